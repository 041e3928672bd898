// What a score is worth: figures about people whose response is known, with intervals. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regression/scoring/nested_regressions.hpp"
#include "strads/base/chunks.hpp"

namespace strads::lasso {

/// One figure with one interval.
struct Statistic {
  std::string name;
  double estimate = 0;
  double lower = 0, upper = 0;  ///< of 95 %; NaN where the method has none
  std::string method;           ///< "fisher", "delta", "delong", "bootstrap"
};

struct ScoreStatistics {
  std::vector<Statistic> list;  ///< figures in a fixed order, each with its analytic interval and then the bootstrap's
  std::vector<std::size_t> dependent_covariates;  ///< by number: without effect
  std::uint64_t undrawn = 0;                      ///< replicates of the bootstrap with one class alone: left out

  /// The first of the name. REQUIRES: there is one.
  [[nodiscard]] const Statistic& named(const std::string& name) const;
};

struct BootstrapOptions {
  std::uint64_t seed = 0;
  std::uint64_t replicates = 1000;  ///< 0: no such intervals
};

/// Numbers: correlation, r2 (of the regression on the score alone); with covariates r2_covariates, r2_full,
/// r2_incremental = r2_full - r2_covariates, r2_partial = r2_incremental / (1 - r2_covariates).
/// Two classes: auc, nagelkerke, mcfadden; with covariates nagelkerke_covariates, nagelkerke_full,
/// nagelkerke_incremental, mcfadden_incremental, deviance_partial = 1 - deviance of both / deviance of covariates.
/// The regressions are fitted to these people (NestedRegressions).
///
/// Intervals of 95 %. fisher: of a correlation by Fisher's z [Fisher21], as R's cor.test. delong: of an AUC [DeLong88],
/// cut to [0, 1]. delta: every other figure is a smooth function g of mean losses; its variance is that of the mean of
/// g'(mean losses) (losses of a person - mean losses) over n, since at their least the losses do not change with the
/// coefficients to first order (the delta method; [Vuong89] for likelihoods). It is normal, so that near 0 its lower
/// end may be negative. bootstrap: percentiles [Efron79], (B + 1) p-th order statistics with straight lines between
/// them; person k of replicate b is draw (seed, b, k) below n, so that no thread changes it. REQUIRES: more people than
/// unknowns(); with two classes both of them. Cost: of the bootstrap `replicates` times
/// NestedRegressions::mean_losses().
[[nodiscard]] ScoreStatistics score_statistics(const ScoredPeople& people, const BootstrapOptions& bootstrap,
                                               Chunks& threads);

}  // namespace strads::lasso
