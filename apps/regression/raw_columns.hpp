// Columns in their own units, without standardisation: what prediction multiplies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/data/dataset.hpp"

namespace strads::lasso {

/// sums_i += coefficient x_ij for all rows; a missing value (NaN, genotype code 01) counts as `missing`.
///   sums: length view.rows; rows that take no part get numbers without meaning
/// Cost: one pass over column j. REQUIRES: j < view.columns.
void add_raw_column(const ColumnsView& view, VarId j, double coefficient, double missing, std::span<double> sums);

/// The same for some rows: sums_k += coefficient x_ij with i = rows[k], bit for bit.
///   rows: ascending; sums: as many
/// Cost: as many reads as there are rows; of sparse columns one pass over column j.
void add_raw_rows(const ColumnsView& view, VarId j, double coefficient, double missing,
                  std::span<const std::uint32_t> rows, std::span<double> sums);

/// The entries of a column in some rows, without the zeros that a sparse column leaves out.
struct RawEntries {
  std::vector<double> values;
  std::vector<std::uint32_t>
      rows;  ///< of each value, counted from the first of these rows; empty: all of them in order
};

/// x_ij for rows [begin, end). `begin` is a multiple of 4. Cost: as many reads; of sparse columns the entries there and
/// a search for the first.
void read_raw_rows(const ColumnsView& view, VarId j, double missing, std::size_t begin, std::size_t end,
                   RawEntries& out);

}  // namespace strads::lasso
