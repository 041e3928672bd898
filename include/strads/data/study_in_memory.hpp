// Results of a study that another program has in its memory: what takes the place of --sumstats. Layer: data.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads {

/// One number a column of the panel, all of the allele (or value) that the column counts: whoever gives them has
/// matched them. NaN: unknown; empty: none is known. Of each variant r, or beta and se, or beta and p has to be known,
/// else it takes no part. Precedence: r, then beta and se, then p and the sign of beta.
struct StudyInMemory {
  std::span<const double> r;              ///< correlation with the trait, in [-1, 1]
  std::span<const double> beta;           ///< effect of a copy (log odds with SummaryOptions::cases)
  std::span<const double> se;             ///< its standard error, > 0
  std::span<const double> p;              ///< in (0, 1]
  std::span<const double> n;              ///< people, > 2; unknown: SummaryOptions::n, or of its cases and controls
  std::span<const double> frequency;      ///< of the allele in the study
  std::span<const std::uint32_t> blocks;  ///< number of the LD block; empty: by SummaryOptions::ld_blocks or chromosome
  std::vector<std::shared_ptr<const void>> owners;  ///< of what the spans look at
};

/// Statistics in memory as read_summary() has those of files; with the same numbers the same bits (but for p, whose
/// digits a file has). Quality control and its bounds are those of the options; nothing is matched. Errors: usage:
/// lengths, options that do not go together; input: a number that cannot be ("se of variant 4 is -1", counted from 1),
/// no n, nothing that is left. Cost: O(variants log variants) time, about 150 bytes a variant.
[[nodiscard]] Result<SummaryData> summary_in_memory(const StudyInMemory& study, const SummaryOptions& options,
                                                    const SummaryPanel& panel);

}  // namespace strads
