// Data that another program has in its memory already: what takes the place of files in InputOptions. Layer: data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strads {

/// A dense matrix, rows x columns, as NumPy and R have it.
struct DenseInMemory {
  const std::byte* values = nullptr;  ///< entry (0, 0)
  char kind = 'f';                    ///< as in .npy: f float, i signed, u unsigned, b bool
  std::uint64_t item_size = 8;        ///< bytes of an entry
  std::uint64_t rows = 0, columns = 0;
  bool column_major = true;  ///< float32, float64, int8, uint8 and bool stay where they are; others are copied
  std::uint64_t stride = 0;  ///< bytes from one column (column_major) to the next; 0: they follow each other
};

/// A sparse matrix by columns. Row numbers of a column are strictly increasing.
struct SparseInMemory {
  const std::byte* values = nullptr;  ///< floats or doubles
  bool single = false;                ///< floats
  std::uint64_t rows = 0, columns = 0;
  std::span<const std::uint64_t> starts;  ///< columns + 1 offsets
  std::span<const std::uint32_t> row_numbers;
};

/// One number per row of X.
struct ColumnInMemory {
  std::string name;
  std::span<const double> values;  ///< NaN: missing
};

/// What a fit is given besides its options. Nothing is copied that can stay: whatever spans and pointers name outlives
/// every data set that is made of it (`owners` may see to that).
struct DataInMemory {
  std::optional<DenseInMemory> dense;    ///< X, or
  std::optional<SparseInMemory> sparse;  ///< X; neither: X is a file that the options name
  std::vector<std::string> names;        ///< of the columns of `dense` or `sparse`; empty: 1, 2, 3, ...

  std::optional<ColumnInMemory> response;      ///< in place of --y, --pheno and what X brings
  std::vector<ColumnInMemory> more_responses;  ///< further ones, each with a name of its own; of them none has words
  std::vector<std::string> words;              ///< of a response of two classes that `response` counts from 0; or empty
  std::span<const double> weights;             ///< in place of --weights; empty: none
  std::span<const double> offset;              ///< in place of --offset; empty: none
  std::vector<ColumnInMemory> covariates;      ///< in place of --covar
  std::span<const double> penalty_factors;     ///< in place of --penalty-factors, one a column; empty: none
  std::span<const std::uint8_t> split;   ///< in place of --split: 0 no part, 1 train, 2 val, 3 test a row; empty: none
  std::span<const std::uint32_t> folds;  ///< in place of a file for --folds: a number from 0 a row; empty: none

  std::vector<std::shared_ptr<const void>> owners;

  [[nodiscard]] bool has_x() const { return dense.has_value() || sparse.has_value(); }
};

}  // namespace strads
