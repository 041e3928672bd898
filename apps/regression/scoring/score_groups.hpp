// People in groups of equal size by their score. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strads::lasso {

struct ScoreGroup {
  std::size_t people = 0;
  double score = 0;           ///< mean
  double response = 0;        ///< mean; of two classes the share of cases
  double standard_error = 0;  ///< of that mean: standard deviation / sqrt(people); NaN of one person
};

/// The people by ascending score (equal ones in their order), cut into `count` groups whose sizes differ by one at
/// most; fewer where there are fewer people. Cost: O(n log n).
///   scores, response: n numbers each, none NaN
[[nodiscard]] std::vector<ScoreGroup> groups_by_score(std::span<const double> scores, std::span<const double> response,
                                                      std::size_t count);

}  // namespace strads::lasso
