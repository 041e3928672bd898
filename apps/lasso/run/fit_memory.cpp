#include "lasso/run/fit_memory.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lasso/lasso_node.hpp"
#include "lasso/model/payloads.hpp"

namespace strads::lasso {
namespace {

// Bytes for each column. They are counted from the members of StandardizedColumns, SliceView, SliceGradients and
// SlicePositions, and compared with fits (bench/RESULTS.md, "Memory before the start").
constexpr std::uint64_t kStatistics = 16 + 1;  ///< mean and norm; state
constexpr std::uint64_t kSquaredNorm = 8;
constexpr std::uint64_t kSlice = 4 + 8 + 8 + 1 + 8 + 4 + 8;  ///< ids, beta, gradient, its version, length; a pass
constexpr std::uint64_t kPosition = 4;
constexpr std::uint64_t kWeight = 20;  ///< p(j), a tree over whole numbers, what the policy remembers
/// More slices than this search for positions instead.
constexpr std::uint32_t kTablesUpTo = 64;
/// Vectors of the length of a column: residuals that gradients belong to, the replica, the response, directions.
constexpr std::uint64_t kVectors = 17;
/// Of the binomial family besides: predictor, slope and curvature of every replica and of the block that is solved.
constexpr std::uint64_t kVectorsOfClasses = 16;
/// Nonzeros that are planned for.
constexpr std::uint64_t kNonzeros = 500;

/// Products of a working set of kNewVariablesMax new variables and kNonzeros others: the matrix, and rows on their way.
/// At large lambda fewer variables can be nonzero: noise alone gives N (1 - sqrt(lambda / lambda_max)) at the most.
/// Joint blocks are solved where the schedulers are; published policies have none.
std::uint64_t products(const FitSizes& sizes) {
  if (sizes.draws_all || sizes.schedulers_here == 0) return 0;
  const auto smaller = static_cast<double>(std::min(sizes.data.rows, sizes.data.columns));
  const double most = 1 + smaller * (1 - std::sqrt(std::clamp(sizes.lambda_ratio, 0.0, 1.0)));
  const std::uint64_t width =
      std::min({sizes.data.columns, std::uint64_t{kNewVariablesMax} + kNonzeros, static_cast<std::uint64_t>(4 * most)});
  const std::uint64_t fresh = std::min<std::uint64_t>(width, kNewVariablesMax);
  return 8 * width * (width + fresh);
}

std::uint64_t slices(const FitSizes& sizes) {
  const std::uint64_t columns = sizes.data.columns;
  const std::uint64_t own = columns * sizes.schedulers_here / sizes.schedulers;
  const bool has_tables = sizes.schedulers > 1 && sizes.schedulers <= kTablesUpTo;
  return own * (kSlice + (sizes.draws_all ? kWeight : 0)) +
         (has_tables ? kPosition * columns * sizes.schedulers_here : 0);
}

FitSizes sizes_of(const FitOptions& options, const ProblemCount& count, const DataShape& shape) {
  FitSizes sizes;
  sizes.data = shape;
  sizes.extra_vectors = (options.input.covar.empty() && options.input.covar_names.empty()
                             ? 0
                             : 2 * std::max<std::size_t>(1, options.input.covar_names.size())) +
                        (options.input.weights.empty() ? 0 : 3) + (options.input.offset.empty() ? 0 : 2) +
                        (options.lasso.family == Family::binomial ? kVectorsOfClasses : 0);
  sizes.problems = count.problems;
  sizes.at_once = std::min(count.at_once, count.problems);
  sizes.schedulers = sizes.schedulers_here = options.engine.schedulers;
  sizes.is_scaled = options.lasso.scale;
  // A path goes down to small ones; what other scales mean is known when the data were read.
  const LassoOptions& lasso = options.lasso;
  sizes.lambda_ratio = lasso.lambda_scale == LambdaScale::ratio && !lasso.path.wanted() ? lasso.lambda : 0.1;
  sizes.draws_all = options.lasso.policy != Policy::automatic;
  return sizes;
}

}  // namespace

ProcessMemory fit_memory(const FitSizes& sizes) {
  const DataShape& data = sizes.data;
  ProcessMemory memory;
  memory.reading = data.reading_bytes;
  memory.parts.push_back({"columns", data.mapped_bytes, data.held_bytes});
  memory.parts.push_back({"names of variables and samples", 0, data.names_bytes});
  const std::uint64_t statistics = data.columns * (kStatistics + (sizes.is_scaled ? 0 : kSquaredNorm));
  memory.parts.push_back({"statistics of the columns", 0, sizes.problems * statistics});
  const std::uint64_t vectors =
      (sizes.computes ? kVectors * sizes.at_once : 4) + sizes.extra_vectors + 2 * sizes.problems;
  memory.parts.push_back({"residuals and responses", 0, 8 * data.rows * vectors});
  if (!sizes.computes) {
    memory.parts.push_back({"check of what was found", 0, statistics});
    return memory;
  }
  memory.parts.push_back({"slices and their gradients", 0, sizes.at_once * slices(sizes)});
  memory.guessed = sizes.at_once * products(sizes);
  memory.parts.push_back({"products of pairs, for " + std::to_string(kNonzeros) + " nonzeros", 0, memory.guessed});
  return memory;
}

Result<MemoryPlan> plan_fit(const FitOptions& options, const ProblemCount& count, Look look) {
  const auto shape = look_at_dataset(options.input, look);
  if (!shape.ok()) return shape.status();
  const DataShape& data = shape.value();
  MemoryPlan plan;
  plan.shape = std::to_string(data.rows) + " samples x " + std::to_string(data.columns) + " variables, " +
               storage_name(data.storage) +
               (data.entries > 0 ? ", " + std::to_string(data.entries) + " entries" : std::string());
  FitSizes sizes = sizes_of(options, count, data);
  const unsigned threads = options.machine.threads;
  if (!options.cluster.wanted()) {
    plan.add(fit_memory(sizes), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  const std::uint64_t nodes = local ? options.cluster.processes : options.cluster.nodes;
  const std::uint64_t with_schedulers = std::min<std::uint64_t>(nodes, sizes.schedulers);
  sizes.schedulers_here = static_cast<std::uint32_t>((sizes.schedulers + nodes - 1) / nodes);
  plan.add(fit_memory(sizes), "node with schedulers", with_schedulers, local, threads);
  sizes.schedulers_here = 0;
  if (nodes > with_schedulers) plan.add(fit_memory(sizes), "node without", nodes - with_schedulers, local, threads);
  sizes.computes = false;
  plan.add(fit_memory(sizes), "driver", 1, true, threads);
  return plan;
}

Status check_node_memory(const FitOptions& options, const ProblemCount& count) {
  if (!options.memory_check) return {};
  const auto shape = look_at_dataset(options.input, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  FitSizes sizes = sizes_of(options, count, shape.value());
  sizes.schedulers_here = 0;  // a node hears later which it has
  sizes.at_once = 1;
  MemoryPlan plan;
  plan.add(fit_memory(sizes), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::lasso
