// Judges a solution anew, from the data and with arithmetic of its own: nothing here is shared with the solver.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

/// What is true of a solution.
struct SvmCheck {
  std::vector<double> primal, dual, gap;  ///< of each problem; gap = primal - dual >= 0 up to rounding
  std::vector<double> rounding;           ///< of each problem: what double precision may make of either objective
  double objective = 0;                   ///< sum of the primal objectives
  double dual_objective = 0;              ///< sum of the lower bounds
  double worst_gap = 0;                   ///< largest relative gap of a problem
  std::uint64_t support = 0;              ///< variables with alpha > 0
  std::uint64_t at_bound = 0;             ///< hinge: variables with alpha_i = C_i
  std::vector<std::uint64_t> errors;      ///< of each problem: training samples on the wrong side (y_i f(x_i) <= 0)
  std::uint64_t wrong = 0;                ///< training samples whose predicted class (largest f) is another
};

/// Primal and dual objectives, margins and counts of a solution, in sums of long double. Cost: two passes over the
/// data for each problem.
[[nodiscard]] SvmCheck check_solution(const SvmData& data, const SvmOptions& options, const SvmSolution& solution,
                                      Chunks& chunks);

/// Compares what the run says of its solution with check_solution(). Errors: internal: an objective that differs by
/// more than 1e-9 of it and what rounding may do, a dual variable outside its box, a gap below 0, a number that is not
/// finite.
[[nodiscard]] Status confirm(const SvmSolution& solution, const SvmCheck& found, const SvmData& data,
                             const SvmOptions& options);

}  // namespace strads::svm
