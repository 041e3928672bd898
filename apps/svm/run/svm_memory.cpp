#include "svm/run/svm_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "svm/problem/svm.hpp"

namespace strads::svm {
namespace {

/// Of an entry of a sample that is not 0: its value, the number of its column.
constexpr std::uint64_t kEntry = 8 + 4;
/// Of a sample: where its entries begin, its class, its weight.
constexpr std::uint64_t kSample = 8 + 4 + 8;
/// On the driver, of all that is reported: messages, decoded, the solution, the model.
constexpr std::uint64_t kReports = 4;
constexpr std::uint64_t kProblems = 1;  ///< two classes

bool is_sparse(const DataShape& shape) {
  return shape.storage == Storage::sparse_f32 || shape.storage == Storage::sparse_f64;
}

std::string kind_of(const DataShape& shape) {
  if (is_sparse(shape)) return "sparse, " + std::to_string(shape.entries) + " entries";
  return shape.storage == Storage::genotype_2bit || shape.storage == Storage::dosage_u16 ? "genotypes" : "dense";
}

/// What is there of fits beside each other.
struct AtOnce {
  std::uint64_t fits = 1;
  std::uint64_t parts = 1;  ///< of the samples: those without one fold or another
};

AtOnce at_once_of(const CvOptions& options) {
  const std::uint64_t folds = folds_planned(options), costs = options.costs.size();
  const std::uint64_t fits =
      std::min<std::uint64_t>(runs_at_once(options.fit.machine, options.fit.cluster), folds * costs);
  // The fits of a fold come one after the other: the first of these may be the last one of its fold.
  return {fits, std::min(folds + 1, (fits - 1 + costs - 1) / costs + 1)};
}

ProcessMemory memory_of(const DataShape& shape, bool computes, const AtOnce& at_once = {}) {
  ProcessMemory memory;
  const std::uint64_t entries = is_sparse(shape) ? shape.entries : shape.rows * shape.columns;
  const std::uint64_t rows = at_once.parts * (entries * kEntry + shape.rows * kSample);
  memory.reading = shape.reading_bytes;
  memory.parts.push_back({"columns", shape.mapped_bytes, shape.held_bytes});
  memory.parts.push_back({"names of variables and samples", 0, shape.names_bytes});
  memory.parts.push_back({"samples as rows, at the most", 0, rows});
  // Zeros of dense columns are left out; how many there are nobody knows before.
  constexpr std::uint64_t kZerosMax = 4;  // quarters
  constexpr std::uint64_t kZerosOfDense = 3;
  if (!is_sparse(shape)) memory.guessed = rows / kZerosMax * kZerosOfDense;
  const std::uint64_t solution = at_once.fits * 8 * kProblems * (shape.rows + shape.columns);
  memory.parts.push_back(
      {computes ? "weights, dual variables, gradients" : "what nodes report", 0,
       computes ? at_once.fits * memory_of_model(shape.rows, shape.columns, kProblems) : kReports * solution});
  return memory;
}

Result<MemoryPlan> plan_of(const FitOptions& options, Look look, const AtOnce& at_once) {
  STRADS_ASSIGN_OR_RETURN(const DataShape shape, look_at_dataset(options.input, look));
  MemoryPlan plan;
  plan.shape = std::to_string(shape.rows) + " samples x " + std::to_string(shape.columns) + " variables, " +
               kind_of(shape) + "; two classes are planned for";
  const unsigned threads = options.machine.threads;
  if (!options.cluster.wanted()) {
    plan.add(memory_of(shape, true, at_once), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  plan.add(memory_of(shape, true, at_once), "node", local ? options.cluster.processes : options.cluster.nodes, local,
           threads);
  plan.add(memory_of(shape, false, at_once), "driver", 1, true, threads);
  return plan;
}

}  // namespace

Result<MemoryPlan> plan_fit(const FitOptions& options, Look look) {
  return plan_of(options, look, {});
}

Result<MemoryPlan> plan_cv(const CvOptions& options, Look look) {
  return plan_of(options.fit, look, at_once_of(options));
}

Status check_node_memory(const FitOptions& options) {
  if (!options.memory_check) return {};
  const auto shape = look_at_dataset(options.input, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  MemoryPlan plan;
  plan.add(memory_of(shape.value(), true), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::svm
