// Solves the dual of one problem over some of its samples. Private to apps/svm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/random.hpp"
#include "svm/solver/dual_box.hpp"
#include "svm/solver/face_step.hpp"
#include "svm/solver/samples.hpp"

namespace strads::svm {

/// When DualSolver::solve() ends.
struct SolveEnd {
  double relative_gap = 1e-6;   ///< of the problem's primal objective
  std::uint64_t flops_max = 0;  ///< and after about so many at the latest
  /// Goes on where another ended: who is active is looked at first, and the first step on a face comes soon.
  bool goes_on = false;
};

/// What it did.
struct Solved {
  double decrease = 0;  ///< of f
  std::uint64_t flops = 0;
  std::uint64_t updates = 0;  ///< coordinate steps, those of conjugate gradients counted by variable
  std::uint64_t sweeps = 0, face_steps = 0, conjugate_iterations = 0;
  bool reached = false;  ///< the gap that was asked for
};

class DualSolver {
 public:
  /// `members`: samples, ascending; `values`: their a_i. `w` = sum over all samples of a_i y_i x_i. They outlive it.
  DualSolver(const Samples& samples, const DualBox& box, std::span<const std::uint32_t> members,
             std::span<double> values, std::span<double> w);

  /// Passes of coordinate descent in ascending order, at most `sweeps_max`, until one lowers f by no more than
  /// `tolerance`.
  Solved sweep(std::uint32_t sweeps_max, double tolerance);
  /// To the end: coordinate descent in random order with shrinking [Hsieh et al. 2008], then steps on faces. REQUIRES:
  /// members are all samples, so that the gap is that of the problem.
  Solved solve(const SolveEnd& end, CounterRng random, Chunks& chunks);

 private:
  struct Member {
    double sign, upper, diagonal, curvature, cost;
  };
  /// What a pass over all members finds.
  struct Found {
    double gap = 0;
    double objective = 0;  ///< P
  };

  double step(std::uint32_t k, double gradient);
  void pass(CounterRng& random);
  Found look_at_all(Chunks& chunks);
  void accelerate(Chunks& chunks);
  [[nodiscard]] double dual_objective() const;

  const Samples& samples_;
  const DualBox& box_;
  std::span<const std::uint32_t> members_;
  std::span<double> values_;
  std::span<double> w_;
  std::vector<Member> facts_;
  Solved done_;
  // Of solve().
  std::vector<std::uint32_t> order_;  ///< places of members; the first active_ take part
  std::size_t active_ = 0;
  double highest_ = 0, lowest_ = 0;  ///< projected gradients of the pass before: beyond them a variable is left out
  double gap_met_ = 0;               ///< of the samples of the last pass, each when it was met
  std::uint32_t iterations_max_ = 0;
  Face face_;
  std::vector<std::uint32_t> face_places_;
  std::vector<double> margins_;
};

}  // namespace strads::svm
