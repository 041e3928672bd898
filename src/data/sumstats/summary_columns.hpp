// Which column of a table of summary statistics holds what: by its header, or as the user says. Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/table.hpp"
#include "strads/base/status.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// What a row says of a variant.
enum class SummaryField : std::uint8_t {
  chromosome,
  position,
  id,
  effect,     ///< the allele whose copies have the effect
  other,      ///< the other one
  reference,  ///< plink2 without OMITTED: of these two the one that is not `effect`
  alternative,
  beta,
  odds,  ///< exp(beta)
  se,    ///< of beta, or of the logarithm of the odds
  z,
  p,
  log_p,            ///< -log10 of p
  frequency,        ///< of `effect`
  other_frequency,  ///< of `other`
  n,
  cases,
  controls,
  info,
  test,  ///< rows of "ADD" alone are read
  error  ///< "." where there is none
};
inline constexpr std::size_t kSummaryFields = 21;

/// The columns of one table.
struct SummaryColumns {
  SummaryFormat format = SummaryFormat::mapped;
  std::array<std::optional<std::size_t>, kSummaryFields> columns;
  /// By column what it is; nothing: not read.
  std::vector<std::optional<SummaryField>> fields;

  [[nodiscard]] bool has(SummaryField field) const { return columns[static_cast<std::size_t>(field)].has_value(); }
  [[nodiscard]] bool has_places() const { return has(SummaryField::chromosome) && has(SummaryField::position); }
};

/// What the header says or, where `map` is not "", what the user does ("chr=Chr,pos=Position").
/// Errors: usage: a map that is none; input: a header of no known format, columns that are not there, too few for a
/// correlation.
[[nodiscard]] Result<SummaryColumns> find_summary_columns(const Table& table, const std::string& map);

}  // namespace strads::data
