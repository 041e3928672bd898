// The area under a ROC curve with its variance. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strads::lasso {

struct AreaWithError {
  double area = 0;
  double standard_error = 0;  ///< [DeLong88]; NaN with fewer than two of a class
};

/// Of all pairs of a case and a control the share in which the case has the larger score, equal ones counting half, and
/// its standard error from the placements, found by ranks as in [Sun14]. Cost: O(n log n).
///   scores: n numbers, none NaN
///   is_case: n numbers, 0 or not; both occur
[[nodiscard]] AreaWithError area_with_error(std::span<const double> scores, std::span<const double> is_case);

/// The same area for many samples that are drawn from the same people: they are sorted once.
class AreaOfDraws {
 public:
  AreaOfDraws(std::span<const double> scores, std::span<const double> is_case);
  /// Person i counts counts[i] times; NaN where a class is missing. Cost: one pass.
  [[nodiscard]] double area(std::span<const double> counts) const;

 private:
  std::vector<std::uint32_t> order_;  ///< people by score
  std::vector<std::uint8_t> tied_;    ///< of each place of order_: its score is that of the place before
  std::vector<std::uint8_t> is_case_;
};

}  // namespace strads::lasso
