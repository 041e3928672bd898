// How good predictions of one of two classes are, and of counts.
#pragma once

#include <span>

namespace strads::lasso {

/// Of class 1 at log-odds `link`: 1 / (1 + exp(-link)). 0 and 1 where a double has nothing nearer.
[[nodiscard]] double probability_of(double link);

/// 2 log(1 + exp(-y link)) with y = -1 or 1: minus twice the log-likelihood of a sample's class, for any finite link
/// without overflow and without loss of digits.
[[nodiscard]] double deviance_of(double link, bool is_case);

/// Twice the loss of a count y >= 0 whose expected value is exp(link): 2 (mu - y - y (link - log y)), without overflow
/// of the difference and without loss of digits where it is small. NaN where y is no count.
[[nodiscard]] double deviance_of_count(double y, double link);

/// Area under the ROC curve: of all pairs of a case and a control, each with the product of their weights, the share in
/// which the case has the larger score; equal ones count half. NaN without cases or without controls.
///   scores: any numbers that rank the samples; none is NaN
///   is_case: as many, 0 or not
///   weights: as many, > 0; empty: all 1
/// Cost: O(n log n).
[[nodiscard]] double area_under_curve(std::span<const double> scores, std::span<const double> is_case,
                                      std::span<const double> weights);

}  // namespace strads::lasso
