// What memory a fit, a path or a cross-validation takes, from sizes alone: nothing is read for it but heads of files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lasso/options/fit_options.hpp"
#include "lasso/study/problem_count.hpp"
#include "strads/data/data_shape.hpp"
#include "strads/program/memory_plan.hpp"

namespace strads::lasso {

/// What decides how much one process holds.
struct FitSizes {
  DataShape data;
  std::uint64_t extra_vectors = 0;  ///< covariates and weights: each of data.rows numbers
  std::uint64_t problems = 1;    ///< sets of samples, each with statistics of all columns; cross-validation: folds + 1
  std::uint64_t at_once = 1;     ///< of them that compute at a time
  double at_largest = 1;         ///< of these, as many that are at their last lambdas
  std::uint32_t schedulers = 1;  ///< S
  std::uint32_t schedulers_here = 1;
  double lambda_ratio = 0.1;  ///< lambda / lambda_max, where it is known
  double nonzeros = 500;      ///< that are planned for
  bool is_path = false;       ///< of many lambdas
  bool computes = true;       ///< false: the driver of a cluster
  bool is_scaled = true;      ///< --scale on: no squared norms are kept
  bool draws_all = false;     ///< a published policy: every variable has a weight
  // Of ridge, whose coefficients are all there.
  std::uint64_t ridge_problems = 0;  ///< of `problems`
  std::uint64_t ridge_kept = 0;      ///< of these, paths whose solutions this process keeps,
  std::uint64_t ridge_written = 0;   ///< and writes to files
  std::uint64_t lambdas = 1;         ///< of a path
};

/// The parts of one process, and what of them is guessed. A pure function.
[[nodiscard]] ProcessMemory fit_memory(const FitSizes& sizes);

/// "ridge: all 7129 variables take part ...": what an l1 ratio of 0 costs; empty without one. `columns`: J.
[[nodiscard]] std::string ridge_text(const FitOptions& options, const ProblemCount& count, std::uint64_t columns);

/// Of all processes of a run with these options. With Look::thorough also who takes part, and for how long it
/// computes: prices are those of --cost-model, else measured, which takes some tenths of a second.
/// Errors: as look_at_dataset() and look_at_people(); input or usage: the cost model cannot be read.
[[nodiscard]] Result<MemoryPlan> plan_fit(const FitOptions& options, const ProblemCount& count, Look look);

/// On a node, before it reads its data: what every node of this run holds, schedulers or not. Errors: as
/// check_memory().
[[nodiscard]] Status check_node_memory(const FitOptions& options, const ProblemCount& count);

}  // namespace strads::lasso
