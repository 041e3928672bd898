// When a path has gone far enough by its errors on people whom it has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lasso/study/cv_measure.hpp"

namespace strads::lasso {

/// snpnet's stopping.lag with a least number of lambdas. bench/stopping.py judges it, bench/RESULTS.md has what it
/// found.
struct StopRule {
  std::uint32_t after = 0;  ///< lambdas without gain after which a path ends; 0: it goes on
  std::uint32_t from = 0;   ///< lambdas of a path that are solved in any case
};
/// `from` 0: half of the lambdas of the grid, rounded up.
[[nodiscard]] StopRule stop_rule(std::uint32_t after, std::uint32_t from, std::size_t lambdas);

/// What a family is fitted by. It moves with every probability, where a measure that counts people, or pairs of them,
/// is flat until the first of them changes sides.
[[nodiscard]] Measure loss_of(Family family);

/// Errors on the same people, lambda by lambda.
struct HeldOutCurves {
  Measure measure = Measure::mse;  ///< by which lambda is chosen
  std::vector<double> errors;
  Measure loss = Measure::mse;  ///< loss_of() the family
  std::vector<double> losses;   ///< by it; as many
};
/// Whether the first `count` lambdas are enough: as many as the rule wants in any case, of which the last `after` have
/// improved neither the error nor the loss. REQUIRES: there are so many.
[[nodiscard]] bool is_far_enough(const HeldOutCurves& curves, std::size_t count, const StopRule& rule);
/// The least number of lambdas that are enough; where there is none, all.
[[nodiscard]] std::size_t lambdas_until_stop(const HeldOutCurves& curves, const StopRule& rule);

/// People who watch paths that have not seen them: their errors, lambda by lambda, and whether these are enough. A pure
/// function of the solutions, so that a run that goes on or goes back comes to the same end.
class Watchers {
 public:
  struct Group {
    std::vector<std::uint32_t> rows;
    std::shared_ptr<const LassoData> path;  ///< what the path is fitted to
  };
  Watchers(std::shared_ptr<const Dataset> dataset, std::vector<Group> groups, Measure measure, Family family,
           const StopRule& rule);

  /// Scores the next solution of a group's path, or another one of a lambda that was there. Cost: a pass over its
  /// variables.
  void score_solution(std::size_t group, const Solution& solution);
  /// The path has ended: nobody waits for it any longer.
  void note_end(std::size_t group) { ended_[group] = true; }
  /// Whether every path has solved `count` lambdas, or has ended.
  [[nodiscard]] bool all_have(std::size_t count) const;
  /// Whether the mean errors of the first `count` lambdas say that they were enough; not before all paths have them.
  [[nodiscard]] bool is_enough(std::size_t count) const;
  /// Of the first `count` lambdas, which all paths have, those that count: as lambdas_until_stop().
  [[nodiscard]] std::size_t until_stop(std::size_t count) const { return lambdas_until_stop(curves(count), rule_); }
  /// Of the first `count` lambdas, or of as many as all paths have; empty without one.
  [[nodiscard]] Curve curve(std::size_t count) const { return curve_by(errors_, measure_, count); }

 private:
  using Errors = std::vector<std::vector<FoldError>>;  ///< by group and lambda
  [[nodiscard]] Curve curve_by(const Errors& errors, Measure measure, std::size_t count) const;
  [[nodiscard]] HeldOutCurves curves(std::size_t count) const;

  std::shared_ptr<const Dataset> dataset_;
  std::vector<Group> groups_;
  Measure measure_;
  Family family_;
  StopRule rule_;
  Errors errors_, losses_;
  std::vector<bool> ended_;
};

}  // namespace strads::lasso
