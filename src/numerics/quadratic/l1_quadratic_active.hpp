// Newton steps on the support, its factor kept from step to step. Layer: numerics. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/quadratic/l1_quadratic_factor.hpp"
#include "numerics/quadratic/l1_quadratic_problem.hpp"

namespace strads::l1 {

/// Minimises q over the orthant of the current signs, step by step: zeros that violate the conditions of optimality
/// enter by an update each, then one Newton step is made on the support, as far along as q falls; what changes its
/// sign on the way becomes zero.
///
/// A small ridge makes the step exist where the support exceeds the rank of X: along a direction without curvature it
/// is long, and the line search stops it where it removes a variable. Consecutive supports differ by few variables, and
/// the factor follows them: a step costs m^2 instead of m^3 / 3.
class ActiveSet {
 public:
  enum class Outcome : std::uint8_t {
    finished,   ///< the gap that was asked for, or one at the rounding floor
    exhausted,  ///< no steps left
    stuck       ///< no progress, or more work than the proximal steps would be: they go on from here
  };

  /// Starts at `at` and improves it in place. REQUIRES: at.h = c - G at.x.
  ActiveSet(Problem& problem, Point& at, double gap_max);

  [[nodiscard]] Outcome run(std::uint32_t steps_max);
  [[nodiscard]] std::uint32_t steps() const { return steps_; }

 private:
  void let_violators_in();
  void find_support();
  [[nodiscard]] bool find_direction();
  /// True: the whole step, or nearly.
  bool step();
  void step_on_line();
  [[nodiscard]] bool try_clipped();
  [[nodiscard]] bool is_finished();

  Problem& problem_;
  Point& at_;
  double gap_max_;
  SupportFactor factor_;
  std::uint32_t steps_ = 0;
  std::vector<std::uint32_t> support_;  // J, ascending
  std::vector<double> direction_;       // on J
  std::vector<double> moved_;           // -G_J direction, length k
  Point trial_;
};

}  // namespace strads::l1
