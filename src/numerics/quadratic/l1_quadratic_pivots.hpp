// Block pivots on the support: the fast way from one solution of a path to the next. Layer: numerics. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/quadratic/l1_quadratic_factor.hpp"
#include "numerics/quadratic/l1_quadratic_problem.hpp"

namespace strads::l1 {

/// Minimises q from a start with about the right support and signs, as the solution for a somewhat larger penalty is.
///
/// A round solves for the support with its signs fixed, (G_JJ + ridge I) d = h_J - A_J sign(x_J), drops every variable
/// whose value has crossed zero, solves again, until none crosses; then zeros that violate their conditions enter, many
/// at once: block pivots [PortugalJudiceVicente94] on the linear complementarity problem that q is. From round to round
/// q falls: where it would rise, the round is made again with fewer that enter. One factorisation, of the start's
/// support; then it follows by updates: m^2 for each variable instead of m^3 / 3 for each step. Between pivots only the
/// products with variables that left are needed, since h_J is known to be A_J sign(x_J) after a solve.
///
/// [PortugalJudiceVicente94] Portugal, Judice, Vicente: A comparison of block pivoting and interior-point algorithms
/// for linear least squares problems with nonnegative variables, Math. Comp. 63(208), 1994.
class BlockPivots {
 public:
  /// Starts at `at` and improves it in place. REQUIRES: at.h = c - G at.x, problem.has_gap().
  BlockPivots(Problem& problem, Point& at, double gap_max);

  /// True: the gap that was asked for, or one at the rounding floor. Else `at` is the best point that was met.
  [[nodiscard]] bool run(std::uint32_t steps_max);
  /// Linear systems that were solved.
  [[nodiscard]] std::uint32_t steps() const { return steps_; }

 private:
  void find_support();
  [[nodiscard]] bool settle(std::uint32_t steps_max);
  [[nodiscard]] bool drop_crossed();
  void let_violators_in(double share);

  Problem& problem_;
  Point& at_;
  double gap_max_;
  SupportFactor factor_;
  std::uint32_t steps_ = 0;
  bool far_ = false;  // too many signs of the start were wrong
  Point next_;
  std::vector<std::uint32_t> support_;  // J, ascending
  std::vector<double> signs_;           // by variable; 0: not in J
  std::vector<double> pull_;            // h - A sign(x), by variable; of use on J
  std::vector<double> direction_;       // on J
};

}  // namespace strads::l1
