// Which matched statistics do not go with the panel [Prive22]. Layer: data.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/sumstats/matched_rows.hpp"
#include "strads/base/status.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// sd of the trait by which the sds that the statistics say, trait sd / sqrt(n se^2 + beta^2), go with the panel's: the
/// median over variants with an sd of panel_sd_min or more. NaN: no row has beta and se.
[[nodiscard]] double trait_sd_of(std::span<const MatchedRow> rows, const SummaryOptions& options,
                                 const SummaryPanel& panel);

/// Correlation of frequencies in study and panel over rows that are not dropped; NaN: fewer than 20 have both, or one
/// side is constant.
[[nodiscard]] double frequency_correlation_of(std::span<const MatchedRow> rows, const SummaryPanel& panel);

/// Whether frequencies that correlate so are those of one population: by the correlation, or where frequencies hardly
/// vary from variant to variant, as in crosses of inbred lines, by their differences, of which noise is the largest
/// part then.
[[nodiscard]] bool frequencies_agree(double correlation, std::span<const MatchedRow> rows,
                                     const SummaryOptions& options, const SummaryPanel& panel);

/// What quality control could not look at.
struct QualityUnknown {
  bool sd = false, frequency = false, info = false;  ///< no row says
};

/// Drops rows outside of the bounds; the first reason counts.
QualityUnknown drop_by_quality(std::span<MatchedRow> rows, const SummaryOptions& options, const SummaryPanel& panel,
                               double trait_sd);

}  // namespace strads::data
