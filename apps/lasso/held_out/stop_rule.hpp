// When a path has gone far enough by its errors on people whom it has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lasso/run/cv_measure.hpp"

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

}  // namespace strads::lasso
