#include "data/sumstats/summary_quality.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace strads::data {
namespace {

constexpr std::size_t kFrequenciesLeast = 20;
/// Mean difference of the frequencies of two samples of one population, of some hundred people, at the most.
constexpr double kDifferenceOfOne = 0.05;

/// 1 / sd of the variant's copies by its statistic, in a trait of sd 1. NaN: unknown.
double inverse_sd(const SummaryStatistic& statistic) {
  return std::sqrt(statistic.n * statistic.se * statistic.se + statistic.beta * statistic.beta);
}

std::optional<SummaryReason> reason_of_quality(const MatchedRow& row, const SummaryOptions& options,
                                               const SummaryPanel& panel, double trait_sd, double n_max) {
  const SummaryStatistic& statistic = row.statistic;
  const double panel_sd = panel.sd[statistic.column];
  if (row.info < static_cast<float>(options.info_min)) return SummaryReason::low_info;
  if (statistic.n < options.n_share_min * n_max) return SummaryReason::low_n;
  if (panel_sd < options.panel_sd_min) return SummaryReason::panel_sd;
  const double sd = trait_sd / inverse_sd(statistic);  // NaN: no bound is passed
  if (sd < options.sd_ratio_min * panel_sd || sd > panel_sd + options.sd_excess_max || sd < options.sd_min) {
    return SummaryReason::other_sd;
  }
  const double apart = std::abs(statistic.frequency - panel.frequency[statistic.column]);
  if (apart > options.frequency_difference_max) return SummaryReason::other_frequency;
  return std::nullopt;
}

}  // namespace

double trait_sd_of(std::span<const MatchedRow> rows, const SummaryOptions& options, const SummaryPanel& panel) {
  std::vector<double> sds;
  for (const MatchedRow& row : rows) {
    const double panel_sd = panel.sd[row.statistic.column];
    const double sd = panel_sd * inverse_sd(row.statistic);
    if (!row.dropped && panel_sd >= options.panel_sd_min && std::isfinite(sd)) sds.push_back(sd);
  }
  if (sds.empty()) return std::nan("");
  const auto middle = sds.begin() + static_cast<std::ptrdiff_t>(sds.size() / 2);
  std::nth_element(sds.begin(), middle, sds.end());
  return *middle;
}

double frequency_correlation_of(std::span<const MatchedRow> rows, const SummaryPanel& panel) {
  double count = 0, mean_study = 0, mean_panel = 0, squares_study = 0, squares_panel = 0, products = 0;
  for (const MatchedRow& row : rows) {
    const double study = row.statistic.frequency, own = panel.frequency[row.statistic.column];
    if (row.dropped || std::isnan(study) || std::isnan(own)) continue;
    count += 1;
    const double from_study = study - mean_study, from_panel = own - mean_panel;
    mean_study += from_study / count;
    mean_panel += from_panel / count;
    squares_study += from_study * (study - mean_study);
    squares_panel += from_panel * (own - mean_panel);
    products += from_study * (own - mean_panel);
  }
  if (count < kFrequenciesLeast || squares_study <= 0 || squares_panel <= 0) return std::nan("");
  return products / std::sqrt(squares_study * squares_panel);
}

bool frequencies_agree(double correlation, std::span<const MatchedRow> rows, const SummaryOptions& options,
                       const SummaryPanel& panel) {
  if (std::isnan(correlation) || correlation >= options.min_frequency_correlation) return true;
  if (correlation <= 0) return false;
  double count = 0, differences = 0;
  for (const MatchedRow& row : rows) {
    const double apart = std::abs(row.statistic.frequency - panel.frequency[row.statistic.column]);
    if (row.dropped || std::isnan(apart)) continue;
    count += 1;
    differences += apart;
  }
  return differences <= kDifferenceOfOne * count;
}

QualityUnknown drop_by_quality(std::span<MatchedRow> rows, const SummaryOptions& options, const SummaryPanel& panel,
                               double trait_sd) {
  QualityUnknown unknown{std::isnan(trait_sd), true, true};
  double n_max = 0;
  for (const MatchedRow& row : rows) {
    if (row.dropped) continue;
    n_max = std::max(n_max, row.statistic.n);
    if (!std::isnan(row.statistic.frequency)) unknown.frequency = false;
    if (!std::isnan(row.info)) unknown.info = false;
  }
  for (MatchedRow& row : rows) {
    if (!row.dropped) row.dropped = reason_of_quality(row, options, panel, trait_sd, n_max);
  }
  return unknown;
}

}  // namespace strads::data
