// A path of solutions: one run that goes down a list of lambdas, each started from the solution before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lasso/family/family.hpp"
#include "lasso/problem/solution.hpp"

namespace strads::lasso {

/// What the path on all samples of a cross-validation tells those without a fold: judges of one process, asked one
/// after the other. What it says when they ask must not depend on how far it happens to be: whoever runs them sees to
/// that (make_study_runs()).
struct PathLead {
  std::vector<double> lambdas;            ///< in units of LambdaScale::y, or of sample; empty: not known yet
  std::size_t passed = 0;                 ///< lambdas that are solved and not the last
  std::optional<std::size_t> count = {};  ///< solved, once the path has ended
};

/// What makes a run a path.
struct PathOptions {
  std::uint32_t count = 0;    ///< lambdas of the grid; 0: no path, one lambda
  double min_ratio = 0;       ///< last lambda / first; 0: 1e-2 with fewer samples than variables, else 1e-4 (glmnet)
  std::vector<double> given;  ///< instead of a grid: descending, in the units of LassoOptions::lambda_scale
  bool early_end = true;      ///< a grid ends where glmnet's does; given lambdas are all solved

  std::shared_ptr<PathLead> lead;  ///< null: a path of its own
  bool follows = false;            ///< with `lead`: takes lambdas and end from there, else leaves them there

  /// Asked at each solution, before it is recorded, in the process that holds the coordinator; true: the path ends with
  /// it. Asked again of the same lambda, where the check against the data has moved the solution, the last answer
  /// counts. Empty: the path ends where the rest here says.
  std::function<bool(const Solution& solution)> enough;

  /// False: one lambda.
  [[nodiscard]] bool wanted() const { return count > 0 || !given.empty(); }
};

/// Told by the judge, in the process that holds the coordinator, one lambda after the other.
using PathRecorded = std::function<void(const Solution& solution)>;

/// count numbers from lambda_max down to min_ratio lambda_max, evenly spaced in their logarithm. Cost: O(count).
/// REQUIRES: count >= 1, lambda_max > 0, 0 < min_ratio < 1.
[[nodiscard]] std::vector<double> lambda_grid(double lambda_max, double min_ratio, std::uint32_t count);

/// glmnet's: 1e-2 where there are fewer samples than variables, else 1e-4.
[[nodiscard]] double default_min_ratio(double samples, double variables);

/// Where a run is on its path. Knows no data.
class LassoPath {
 public:
  LassoPath() = default;
  /// `early_end`: see ends_at(); no value: off.
  LassoPath(std::vector<double> lambdas, std::optional<Growth> early_end,
            std::shared_ptr<const PathLead> followed = nullptr)
      : lambdas_(std::move(lambdas)), followed_(std::move(followed)), early_end_(early_end) {}

  /// False: a run of one lambda.
  [[nodiscard]] bool active() const { return !lambdas_.empty(); }
  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] double lambda() const { return lambdas_[index_]; }
  /// The next one; the same where there is none.
  [[nodiscard]] double next() const { return lambdas_[std::min(index_ + 1, lambdas_.size() - 1)]; }
  [[nodiscard]] const std::vector<double>& lambdas() const { return lambdas_; }

  /// True iff the path is over with the solution at lambda(), which explains this share of the deviance: it is the last
  /// one, or, where early_end was asked for, glmnet would end there: from the fifth lambda on, more than 0.999, or less
  /// than 1e-5 (of what Growth says) more than the solution before; or, where another path is followed, that one has
  /// ended.
  [[nodiscard]] bool ends_at(double deviance_ratio) const;
  [[nodiscard]] bool at_last() const { return index_ + 1 == lambdas_.size(); }
  void advance(double deviance_ratio);

 private:
  std::vector<double> lambdas_;               ///< descending
  std::shared_ptr<const PathLead> followed_;  ///< may be null
  std::size_t index_ = 0;
  double deviance_before_ = 0;
  std::optional<Growth> early_end_;
};

/// One number for a whole path: XXH3-64 over the hashes of its points (beta_hash), in order, as 16 hex digits.
[[nodiscard]] std::string path_hash(const std::vector<std::string>& beta_hashes);
[[nodiscard]] std::string path_hash(const std::vector<Solution>& path);

}  // namespace strads::lasso
