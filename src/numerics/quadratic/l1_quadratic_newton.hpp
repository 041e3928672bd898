// Semismooth Newton steps on proximal-point subproblems: the fast end of the block solver. Layer: numerics. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/quadratic/l1_quadratic_problem.hpp"

namespace strads::l1 {

/// Minimises q by the proximal-point method: z <- argmin over x of q(x) + ||x - z||^2 / (2 sigma), sigma growing.
///
/// Each subproblem is solved through its dual, whose variable is a residual u. We keep it as u = y - X w, because we
/// have the Gram matrix and not X: everything needs h(w) = X'u only. The dual is once differentiable,
///   psi(w) = 1/2 ||X w||^2 + ||p(w)||^2 / (2 sigma),  p(w) = S(z + sigma h(w), sigma A_j),
/// its gradient is X (p(w) - w), and a generalised Newton step solves, on the support J of p, (I / sigma + G_JJ) v =
/// (h(w) - h(p))_J and goes to w = p - v. 1 / sigma is the ridge that keeps the system regular where J exceeds the
/// rank of X; as sigma grows it vanishes, and variables enter and leave J in any number per step [LiSunToh18].
class ProximalNewton {
 public:
  /// Starts at `best` and improves it in place. REQUIRES: best.h = c - G best.x.
  ProximalNewton(Problem& problem, Point& best, double gap_max);

  /// At most `steps_max` Newton steps, until the gap (where known) is <= gap_max, or else a proximal step lowers q by
  /// less than gap_max, or rounding allows no more. `best` never gets worse. Returns true when there is nothing left to
  /// do; false: after the subproblem in which `pause_after` steps were reached, or without steps. May be called again,
  /// also when `best` has been improved meanwhile (REQUIRES as above).
  [[nodiscard]] bool run(std::uint32_t steps_max, std::uint32_t pause_after);
  /// Newton steps so far.
  [[nodiscard]] std::uint32_t steps() const { return steps_; }

 private:
  enum class Outcome : std::uint8_t {
    solved,     ///< the subproblem, to the accuracy that the next one needs
    finished,   ///< best has the gap that was asked for
    exhausted,  ///< no steps left
    failed      ///< sigma is too large for this matrix
  };

  Outcome solve_subproblem();
  void apply_prox();
  [[nodiscard]] bool subproblem_is_solved() const;
  [[nodiscard]] bool find_newton_point();
  void search_line();
  [[nodiscard]] bool factorise_support(double ridge);
  /// Refines best on its own support, without the proximal term.
  void polish();
  [[nodiscard]] double dual_value(const Point& at) const;
  /// Keeps the better of the point and best; true when it has the gap that was asked for, or one at the rounding floor.
  bool offer(const Point& at);

  Problem& problem_;
  Point& best_;
  double gap_max_;
  Value best_value_;
  double best_distance_;
  double sigma_;
  double sigma_max_;
  std::uint32_t steps_left_ = 0;
  std::uint32_t steps_ = 0;
  int idle_ = 0;  // proximal steps in a row that improved nothing
  bool has_gap_asked_for_ = false;

  std::vector<double> centre_;          // z
  Point dual_;                          // w
  Point prox_;                          // p(w)
  Point newton_;                        // where the full Newton step leads
  Point trial_;                         // a shorter step
  std::vector<std::uint32_t> support_;  // J, ascending
  std::vector<double> direction_;       // v on J
};

}  // namespace strads::l1
