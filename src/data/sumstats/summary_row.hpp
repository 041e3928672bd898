// One row of a table of summary statistics, and the correlation that it says. Layer: data.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/formats/table.hpp"
#include "data/sumstats/summary_columns.hpp"
#include "strads/base/status.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// A row as it was written; NaN and "" where it says nothing. Views of the table's text.
struct SummaryRow {
  std::string_view chromosome, position, id;
  std::string_view effect, other;
  double beta = std::nan("");  ///< log odds where the table has odds
  double se = std::nan("");
  double z = std::nan("");
  double log_p = std::nan("");  ///< natural logarithm of p, <= 0
  double frequency = std::nan("");
  double info = std::nan("");
  double n = std::nan("");             ///< as in the row: people, or effective ones of the row's cases and controls
  bool n_is_effective = false;         ///< from cases and controls
  bool is_other_test = false;          ///< TEST is not ADD
  std::optional<SummaryReason> unfit;  ///< no_result, several_alleles
};

/// Reads rows of a table with these columns.
class SummaryRowReader {
 public:
  SummaryRowReader(const Table& table, const SummaryColumns& columns) : table_(table), columns_(columns) {}

  /// Errors: input, with the place: another number of fields, text in place of a number, a number that cannot be (se
  /// <= 0, odds <= 0, p outside of [0, 1], a frequency outside of [0, 1], n <= 2).
  [[nodiscard]] Status read(std::uint64_t row, SummaryRow& out);

 private:
  [[nodiscard]] Status take(SummaryField field, std::string_view text, SummaryRow& out);
  [[nodiscard]] Status take_number(SummaryField field, std::string_view text, SummaryRow& out);
  [[nodiscard]] Status take_p(std::string_view text, double value, SummaryRow& out);
  void settle_alleles(SummaryRow& out);

  const Table& table_;
  const SummaryColumns& columns_;
  std::string effect_, other_;  // in capitals
  std::string_view reference_, alternative_;
  double cases_ = 0, controls_ = 0;
};

/// Effective number of people of a study of cases and controls: that of a study with as many of both whose statistics
/// say as much.
[[nodiscard]] inline double effective_people(double cases, double controls) {
  return 4 / (1 / cases + 1 / controls);
}

/// The correlation of a row.
struct RowCorrelation {
  double r = 0;
  SummarySource source = SummarySource::z;
  bool no_effect = false;  ///< the effect is 0, so that p has no sign: r = 0
  bool disagrees = false;  ///< what else the row says is another z
};

/// What is missing where correlation_of() finds nothing.
[[nodiscard]] inline SummaryReason reason_without_result(const SummaryRow& row) {
  return std::isnan(row.beta) ? SummaryReason::no_effect : SummaryReason::no_error;
}

/// Z before beta and se before p and the sign of beta. Nothing: the row says none of these.
/// Errors: input: p = 0 where it is needed. `where`: as at() has it.
[[nodiscard]] Result<std::optional<RowCorrelation>> correlation_of(const SummaryRow& row, double n,
                                                                   const std::string& where);

}  // namespace strads::data
