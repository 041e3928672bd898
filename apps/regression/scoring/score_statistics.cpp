#include "regression/scoring/score_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "regression/scoring/area_interval.hpp"
#include "strads/base/random.hpp"
#include "strads/base/status.hpp"

namespace strads::lasso {
namespace {

constexpr double kNormal = 1.959963984540054;  // 97.5 % of a normal variable lie below
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// A figure and how it changes with each mean loss.
struct Value {
  double value = 0;
  MeanLosses slope{};
};

/// 1 - L[large] / L[small]: of two nested regressions what the larger one takes away.
Value share_taken(const MeanLosses& mean, Regressors large, Regressors small) {
  Value out{1 - mean[large] / mean[small], {}};
  out.slope[large] = -1 / mean[small];
  out.slope[small] = mean[large] / (mean[small] * mean[small]);
  return out;
}

/// (1 - exp((D - D0) / n)) / (1 - exp(-D0 / n)) [Nagelkerke91].
Value nagelkerke(const MeanLosses& mean, Regressors which) {
  const double left = std::exp(mean[which] - mean[kOnNothing]);
  const double none = std::exp(-mean[kOnNothing]);
  const double most = 1 - none;
  Value out{(1 - left) / most, {}};
  out.slope[which] = -left / most;
  out.slope[kOnNothing] += left / most - (1 - left) * none / (most * most);
  return out;
}

Value difference(const Value& a, const Value& b) {
  Value out{a.value - b.value, a.slope};
  for (std::size_t k = 0; k < kRegressions; ++k) out.slope[k] -= b.slope[k];
  return out;
}

struct Measure {
  const char* name;
  Value (*of)(const MeanLosses& mean);
  bool with_covariates;
};

Value r2_of(const MeanLosses& mean, Regressors which) {
  return share_taken(mean, which, kOnNothing);
}

const std::vector<Measure>& measures_of_numbers() {
  static const std::vector<Measure> measures = {
      {"r2", [](const MeanLosses& mean) { return r2_of(mean, kOnScore); }, false},
      {"r2_covariates", [](const MeanLosses& mean) { return r2_of(mean, kOnCovariates); }, true},
      {"r2_full", [](const MeanLosses& mean) { return r2_of(mean, kOnBoth); }, true},
      {"r2_incremental",
       [](const MeanLosses& mean) { return difference(r2_of(mean, kOnBoth), r2_of(mean, kOnCovariates)); }, true},
      {"r2_partial", [](const MeanLosses& mean) { return share_taken(mean, kOnBoth, kOnCovariates); }, true}};
  return measures;
}

/// The same formulas of deviances.
std::vector<Measure> measures_of_counts() {
  std::vector<Measure> measures = measures_of_numbers();
  constexpr std::array kNames{"deviance_ratio", "deviance_ratio_covariates", "deviance_ratio_full",
                              "deviance_ratio_incremental", "deviance_partial"};
  for (std::size_t k = 0; k < measures.size(); ++k) measures[k].name = kNames[k];
  return measures;
}

const std::vector<Measure>& measures_of_classes() {
  static const std::vector<Measure> measures = {
      {"nagelkerke", [](const MeanLosses& mean) { return nagelkerke(mean, kOnScore); }, false},
      {"mcfadden", [](const MeanLosses& mean) { return r2_of(mean, kOnScore); }, false},
      {"nagelkerke_covariates", [](const MeanLosses& mean) { return nagelkerke(mean, kOnCovariates); }, true},
      {"nagelkerke_full", [](const MeanLosses& mean) { return nagelkerke(mean, kOnBoth); }, true},
      {"nagelkerke_incremental",
       [](const MeanLosses& mean) { return difference(nagelkerke(mean, kOnBoth), nagelkerke(mean, kOnCovariates)); },
       true},
      {"mcfadden_incremental",
       [](const MeanLosses& mean) { return difference(r2_of(mean, kOnBoth), r2_of(mean, kOnCovariates)); }, true},
      {"deviance_partial", [](const MeanLosses& mean) { return share_taken(mean, kOnBoth, kOnCovariates); }, true}};
  return measures;
}

/// Pearson's, of people of whom each counts so many times.
double correlation_of(const ScoredPeople& people, std::span<const double> counts) {
  double total = 0, x_mean = 0, y_mean = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    x_mean += counts[i] * people.scores[i];
    y_mean += counts[i] * people.response[i];
  }
  x_mean /= total;
  y_mean /= total;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double x = people.scores[i] - x_mean;
    const double y = people.response[i] - y_mean;
    xx += counts[i] * x * x;
    xy += counts[i] * x * y;
    yy += counts[i] * y * y;
  }
  return xy / std::sqrt(xx * yy);
}

Statistic fisher(double correlation, std::size_t people) {
  const double z = std::atanh(correlation);
  const double half = people > 3 ? kNormal / std::sqrt(static_cast<double>(people) - 3) : kNothing;
  return {"correlation", correlation, std::tanh(z - half), std::tanh(z + half), "fisher"};
}

Statistic delong(const ScoredPeople& people) {
  const AreaWithError found = area_with_error(people.scores, people.response);
  const double half = kNormal * found.standard_error;
  return {"auc", found.area, std::max(0.0, found.area - half), std::min(1.0, found.area + half), "delong"};
}

/// By the delta method; see score_statistics().
Statistic delta(const Measure& measure, const MeanLosses& mean,
                const std::array<std::vector<double>, kRegressions>& losses) {
  const Value at = measure.of(mean);
  const std::size_t people = losses[0].size();
  double squared = 0;
  for (std::size_t i = 0; i < people; ++i) {
    double influence = 0;
    for (std::size_t k = 0; k < kRegressions; ++k) influence += at.slope[k] * (losses[k][i] - mean[k]);
    squared += influence * influence;
  }
  const double half = kNormal * std::sqrt(squared) / static_cast<double>(people);
  return {measure.name, at.value, at.value - half, at.value + half, "delta"};
}

/// The p-quantile of sorted values: their (B + 1) p-th, with a straight line between two.
double percentile(std::span<const double> sorted, double p) {
  const double place = std::clamp(p * static_cast<double>(sorted.size() + 1), 1.0, static_cast<double>(sorted.size()));
  const auto below = static_cast<std::size_t>(place);
  const double next = below < sorted.size() ? sorted[below] : sorted[below - 1];
  return sorted[below - 1] + (place - static_cast<double>(below)) * (next - sorted[below - 1]);
}

/// The figures of all replicates, in the order of `list`; NaN where a replicate cannot have one.
class Bootstrap {
 public:
  Bootstrap(const ScoredPeople& people, const NestedRegressions& regressions, std::span<const Measure> measures)
      : people_(people), regressions_(regressions), measures_(measures), areas_(people.scores, people.response) {}

  [[nodiscard]] std::vector<double> replicate(std::uint64_t seed, std::uint64_t number) const {
    const std::size_t n = people_.response.size();
    std::vector<double> counts(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      CounterRng random(seed, Purpose::bootstrap, 0, number, k);
      counts[static_cast<std::size_t>(random.below(n))] += 1;
    }
    if ((people_.two_classes || people_.counts) && !has_both(counts)) return {};
    std::vector<double> figures = {people_.two_classes ? areas_.area(counts) : correlation_of(people_, counts)};
    const MeanLosses mean = regressions_.mean_losses(counts);
    for (const Measure& measure : measures_) figures.push_back(measure.of(mean).value);
    return figures;
  }

 private:
  [[nodiscard]] bool has_both(std::span<const double> counts) const {
    double cases = 0, all = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      all += counts[i];
      if (people_.response[i] != 0) cases += counts[i];
    }
    return cases > 0 && (people_.counts || cases < all);
  }

  const ScoredPeople& people_;
  const NestedRegressions& regressions_;
  std::span<const Measure> measures_;
  AreaOfDraws areas_;
};

/// The interval of figure k, named and estimated as `analytic`.
Statistic percentiles(const std::vector<std::vector<double>>& replicates, std::size_t k, const Statistic& analytic) {
  std::vector<double> values;
  for (const auto& figures : replicates) {
    if (!figures.empty() && std::isfinite(figures[k])) values.push_back(figures[k]);
  }
  std::sort(values.begin(), values.end());
  Statistic out{analytic.name, analytic.estimate, kNothing, kNothing, "bootstrap"};
  if (values.empty()) return out;
  out.lower = percentile(values, 0.025);
  out.upper = percentile(values, 0.975);
  return out;
}

}  // namespace

const Statistic& ScoreStatistics::named(const std::string& name) const {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Statistic& one) { return one.name == name; });
  STRADS_CHECK(found != list.end(), "there is such a figure");
  return *found;
}

ScoreStatistics score_statistics(const ScoredPeople& people, const BootstrapOptions& bootstrap, Chunks& threads) {
  const NestedRegressions regressions(people);
  const auto losses = regressions.losses();
  const std::size_t n = people.response.size();
  MeanLosses mean{};
  for (std::size_t k = 0; k < kRegressions; ++k) {
    for (const double loss : losses[k]) mean[k] += loss / static_cast<double>(n);
  }
  std::vector<Measure> measures;
  for (const Measure& one : people.two_classes ? measures_of_classes()
                            : people.counts    ? measures_of_counts()
                                               : measures_of_numbers()) {
    if (!one.with_covariates || !people.covariates.empty()) measures.push_back(one);
  }
  const std::vector<double> once(n, 1.0);
  std::vector<Statistic> analytic = {people.two_classes ? delong(people) : fisher(correlation_of(people, once), n)};
  for (const Measure& measure : measures) analytic.push_back(delta(measure, mean, losses));

  std::vector<std::vector<double>> replicates(bootstrap.replicates);
  const Bootstrap draws(people, regressions, measures);
  threads.for_each(replicates.size(), [&](std::size_t b) { replicates[b] = draws.replicate(bootstrap.seed, b); });
  ScoreStatistics out;
  out.dependent_covariates = regressions.dependent_covariates();
  for (const auto& figures : replicates) out.undrawn += figures.empty() ? 1 : 0;
  for (std::size_t k = 0; k < analytic.size(); ++k) {
    out.list.push_back(analytic[k]);
    if (!replicates.empty()) out.list.push_back(percentiles(replicates, k, analytic[k]));
  }
  return out;
}

}  // namespace strads::lasso
