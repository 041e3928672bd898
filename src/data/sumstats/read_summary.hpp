// Summary statistics from tables that are open: for read_summary(), and for tests of bytes. Layer: data.
#pragma once

#include <vector>

#include "data/sumstats/ld_regions.hpp"
#include "data/sumstats/summary_table.hpp"
#include "strads/base/status.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// As read_summary(). `regions`: null: blocks are chromosomes.
[[nodiscard]] Result<SummaryData> summary_of_tables(const std::vector<SummaryTable>& tables, const LdRegions* regions,
                                                    const SummaryOptions& options, const SummaryPanel& panel);

/// Errors: usage: numbers outside of their ranges, options that do not go together.
[[nodiscard]] Status check_summary_options(const SummaryOptions& options);

}  // namespace strads::data
