// From p back to t. Layer: data.
#pragma once

namespace strads::data {

/// The t >= 0 with P(|T| > t) = exp(log_p) of Student's distribution. Of the logarithm, since p of large studies are
/// smaller than a double can be. Relative error about 1e-13.
///   log_p: <= 0, finite
///   freedom: degrees of freedom, > 0
/// Cost: 0.3 us where freedom >= 1000 and t^2 < freedom / 100 [Abramowitz and Stegun, 26.7.5], else some 10 us by
/// Newton's method on the incomplete beta function's continued fraction.
[[nodiscard]] double student_quantile(double log_p, double freedom);

/// The same of the normal distribution.
[[nodiscard]] double normal_quantile(double log_p);

}  // namespace strads::data
