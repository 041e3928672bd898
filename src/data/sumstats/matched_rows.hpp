// Rows of summary statistics laid beside the panel's variants. Layer: data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/sumstats/summary_table.hpp"
#include "strads/base/status.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// A row that is a variant of the panel.
struct MatchedRow {
  SummaryStatistic statistic;
  std::uint64_t line = 0;
  float info = 0;  ///< NaN: unknown
  std::uint16_t file = 0;
  SummarySource source = SummarySource::z;
  bool turned = false, other_strand = false, ambiguous = false, no_effect = false, disagrees = false;
  std::optional<SummaryReason> dropped;
};

/// All that are one, and what became of the others.
struct MatchedRows {
  std::vector<MatchedRow> rows;  ///< in the order of the files
  SummaryCounts counts;          ///< of rows, other tests, and of dropped ones those that are none
  std::string dropped;           ///< the list of these, with its header
  bool by_place = false;
};

/// Matches every row. Errors: input: of a row, with its place; places are asked for and one side has none.
[[nodiscard]] Result<MatchedRows> match_summary_rows(const std::vector<SummaryTable>& tables,
                                                     const SummaryOptions& options, const SummaryPanel& panel);

/// How many rows an id would find, or a place; nothing: one side has none. For the message that too few match.
[[nodiscard]] std::optional<std::uint64_t> count_found(const std::vector<SummaryTable>& tables,
                                                       const SummaryPanel& panel, bool by_place);

/// A line of the list of what was left out.
void list_dropped(std::string& list, const VariableName& name, std::string_view file, std::uint64_t line,
                  SummaryReason reason);

}  // namespace strads::data
