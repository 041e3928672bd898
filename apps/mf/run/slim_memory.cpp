#include "mf/run/slim_memory.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "mf/run/mf_memory.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"

namespace strads::mf {
namespace {

/// Of a pair, by user and by item.
constexpr std::uint64_t kPairBytes = 2 * 4;
/// Of a user or item: where its pairs begin, a scale, a name.
constexpr std::uint64_t kRowBytes = 8 + 8 + 14;
/// Of a worker, by user and by item: residuals, couplings, chains.
constexpr std::uint64_t kWorkerBytes = 8 + 4;
/// Of a weight: in a column, and in the commit that brought it.
constexpr std::uint64_t kWeightBytes = 8 + 12;
/// At the end: reported; on whom they are gathered, in columns, as a matrix and as the file's bytes besides.
constexpr std::uint64_t kWeightReported = 12, kWeightGathered = 30;
/// Of an item: its column's head, and where it is.
constexpr std::uint64_t kColumnBytes = 120;
/// Weights for each pair, a guess: of Gowalla there are 4 with l1 = 1; fewer where l1 is larger.
constexpr std::uint64_t kWeightsOfPair = 4;
/// Of a worker: items whose products are made for the item with most of them. A guess, held against Gowalla's; there
/// are never more than these (item_solver.cpp).
constexpr std::uint64_t kItemsOfActive = 25, kActiveMax = 3000;

/// `grid`: of `mf cv`; every fold's pairs are there, and on whoever judges those that its lists leave out and start
/// from.
ProcessMemory slim_memory(const FitOptions& options, const RatingsShape& shape, bool computes, bool gathers,
                          std::uint64_t workers, const GridSizes& grid) {
  const std::uint64_t folds = std::max(1U, grid.folds);
  const std::uint64_t runs =
      grid.folds == 0 ? 1 : std::min<std::uint64_t>(grid.fits, runs_at_once(options.machine, options.cluster));
  // Reading is what it is for a factorization; of it nothing but the pairs is kept.
  MfSizes sizes;
  sizes.ratings = shape;
  sizes.held_out = options.input.holdout;
  sizes.solver = Solver::sgd;
  ProcessMemory memory;
  memory.reading = mf_memory(sizes).reading;
  const std::uint64_t rows = shape.users + shape.items;
  memory.parts.push_back({"pairs by user and by item", 0, folds * (kPairBytes * shape.ratings + kRowBytes * rows)});
  if (grid.folds > 0 && gathers) {
    memory.parts.push_back({"pairs that lists leave out and start from", 0, folds * kPairBytes * shape.ratings});
  }
  memory.parts.push_back({"ratings", 0, shape.ratings * (8 + (shape.has_levels ? 1 : 4))});
  if (computes) {
    memory.parts.push_back({"residuals of workers", 0, kWorkerBytes * rows * workers * runs});
    memory.parts.push_back({"columns of weights", 0, kColumnBytes * shape.items * runs});
  }
  const std::uint64_t weights = kWeightsOfPair * shape.ratings;
  memory.guessed = runs * weights * ((computes ? kWeightBytes : 0) + (gathers ? kWeightGathered : kWeightReported));
  memory.parts.push_back({"weights, a guess", 0, memory.guessed});
  const std::uint64_t active = std::min(kActiveMax, shape.items / kItemsOfActive);
  const std::uint64_t grams = 8 * active * active * workers;
  if (computes) memory.parts.push_back({"an item's part of the Gram matrix, a guess", 0, grams});
  memory.guessed += computes ? grams : 0;
  return memory;
}

}  // namespace

Result<MemoryPlan> plan_slim(const FitOptions& options, const GridSizes& grid, Look look) {
  STRADS_ASSIGN_OR_RETURN(const auto shape, look_at_ratings(options.input, look));
  MemoryPlan plan;
  plan.shape = std::to_string(shape.ratings) + " pairs of " + std::to_string(shape.users) + " users and " +
               std::to_string(shape.items) + " items";
  const unsigned threads = options.machine.threads;
  const std::uint64_t at_once = std::max(1U, threads == 0 ? options.engine.workers : threads);
  if (!options.cluster.wanted()) {
    plan.add(slim_memory(options, shape, true, true, at_once, grid), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  const std::uint64_t nodes = local ? options.cluster.processes : options.cluster.nodes;
  plan.add(slim_memory(options, shape, true, false, at_once, grid), "node", nodes, local, threads);
  plan.add(slim_memory(options, shape, false, true, 0, grid), "driver", 1, true, threads);
  return plan;
}

Status check_slim_node_memory(const FitOptions& options, const GridSizes& grid) {
  if (!options.memory_check) return {};
  const auto shape = look_at_ratings(options.input, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  MemoryPlan plan;
  plan.add(slim_memory(options, shape.value(), true, false, 1, grid), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::mf
