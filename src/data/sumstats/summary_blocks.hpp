// Kept statistics in blocks. Layer: data.
#pragma once

#include <span>
#include <vector>

#include "data/sumstats/ld_regions.hpp"
#include "data/sumstats/matched_rows.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// Drops what is in no region.
void drop_outside(std::span<MatchedRow> rows, const LdRegions& regions, const SummaryPanel& panel);

/// Puts the rows that are not dropped into `out`, block by block. Blocks come in the order in which the panel has their
/// chromosomes, then by place. `regions`: null: a block is a chromosome.
void take_blocks(std::span<const MatchedRow> rows, const LdRegions* regions, const SummaryPanel& panel,
                 SummaryData& out);

}  // namespace strads::data
