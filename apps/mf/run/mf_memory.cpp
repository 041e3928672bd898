#include "mf/run/mf_memory.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "strads/numerics/factorization.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads::mf {
namespace {

// Bytes a rating. Those that are held are counted from the members of Triplets, SideRatings and GridRatings; what is
// there on the way was measured (bench/RESULTS.md, "Memory before the start").
constexpr double kNumbers = 8;          ///< of user and item
constexpr double kSlot = 4;             ///< of the other side's record
constexpr double kMerging = 4.3;        ///< besides, while pieces of the file become one list
constexpr double kTaking = 7.3;         ///< besides, while ratings are sorted by block; sgd: nothing
constexpr double kFold = 2;             ///< the number of its fold
constexpr double kTakingAFold = 32;     ///< while one fold is left out and the others are numbered anew
constexpr double kFoldsAtOnce = 2;      ///< the next fold's ratings are sorted before the last fit of one has gone
constexpr double kLeftOut = 4;          ///< where lists are judged: the item
constexpr double kResidual = 4;         ///< ccd
constexpr std::uint64_t kIdBytes = 14;  ///< of a user or item: its name, where that begins
/// Copies of all factors in use at once, in the middle of a run.
struct Copies {
  double held;    ///< the replica, what is in the making, and what messages hold that may be asked for again
  double best;    ///< besides, with early stopping: the best ones; sgd, ccd: whatever ends a sweep holds as much
  double varies;  ///< besides, at the most: memory of pages that no new page fits into; few where blocks are alike

  [[nodiscard]] double all(bool keeps_best) const { return held + (keeps_best ? best : 0) + varies; }
};

Copies copies(const MfSizes& sizes) {
  switch (sizes.solver) {
    case Solver::sgd: {
      // Pages of more blocks differ more in their length.
      constexpr double kBlocks = 8, kADoubling = 0.15;
      const double blocks = std::max(kBlocks, static_cast<double>(sizes.blocks));
      return {3.0, 0, 0.4 + kADoubling * std::log2(blocks / kBlocks)};
    }
    case Solver::ccd:
      return {3.8, 0, 0.3};
    default:
      return {2.0, 0.9, 0.25};
  }
}

/// On the driver: reports of all nodes, in pieces, decoded, gathered, and as a model; a checkpoint.
constexpr double kReports = 4.5;
/// On a node: what its schedulers report, as it is sent.
constexpr double kReportsOfANode = 2;

std::uint64_t bytes(double count) {
  return static_cast<std::uint64_t>(count);
}

double factors(const MfSizes& sizes) {
  const double records = static_cast<double>(sizes.ratings.users + sizes.ratings.items);
  const std::size_t stride = sizes.solver == Solver::sgd ? sgd_stride(sizes.rank) : record_stride(sizes.rank);
  return records * static_cast<double>(stride) * sizeof(float);
}

/// Implicit feedback, for each fit: the pieces of a side's Gram matrix in doubles, and what begin_basis() makes of it,
/// with some 0.75 K^2 rotations (apps/mf/solvers/other_side.cpp). The side that is turned is there while of the other
/// one alone the pages are held twice: together no more than Copies::held.
double other_side(const MfSizes& sizes) {
  constexpr std::uint32_t kManyPiecesUpTo = 256;
  constexpr double kManyPieces = 64, kPieces = 16, kBasis = 3 * sizeof(float) + 6 * sizeof(double);
  const auto size = static_cast<double>(implicit_size(sizes.rank));
  const auto rows = static_cast<double>(std::max(sizes.ratings.users, sizes.ratings.items));
  const double pieces = sizes.rank > kManyPiecesUpTo ? kPieces : kManyPieces;
  return size * size * (std::min(pieces, std::ceil(rows / 512)) * sizeof(double) + kBasis);
}

/// Of a rating that a worker learns from.
double bytes_by_block(Solver solver, double value) {
  if (solver == Solver::sgd) return kSlot + value;  // two places of 16 bits
  return 2 * (kSlot + value + (solver == Solver::ccd ? kResidual : 0));
}

/// What one of several nodes of sgd keeps of the factors that its strata have sent, until the others have them: it says
/// a beat after each 8 MiB of them, and somewhat more comes before the answers of all. A node alone is answered at once
/// and keeps less of them where it needs its most. Guesses, held against runs of 4 to 60 sweeps.
constexpr double kStrataKept = 10 << 20, kStrataKeptAlone = 4 << 20;

MfSizes sizes_of(const FitOptions& options, const GridSizes& grid, const RatingsShape& shape) {
  MfSizes sizes;
  sizes.ratings = shape;
  sizes.held_out = 1 - (1 - options.input.holdout) * (1 - options.input.validation);
  sizes.keeps_best = options.input.validation > 0;
  sizes.solver = options.mf.solver;
  sizes.implicit = options.mf.implicit;
  sizes.rank = grid.rank_max > 0 ? grid.rank_max : options.mf.rank;
  sizes.blocks = std::uint64_t{options.engine.schedulers} * options.engine.workers;
  sizes.folds = grid.folds;
  sizes.at_once = std::min<std::uint64_t>(runs_at_once(options.machine, options.cluster), grid.fits);
  if (options.mf.stop.wanted()) sizes.stop_lists = std::max(1U, grid.folds);
  if (grid.ranked) sizes.judged_lists = grid.folds;
  return sizes;
}

}  // namespace

ProcessMemory mf_memory(const MfSizes& sizes) {
  const double ratings = static_cast<double>(sizes.ratings.ratings);
  const double value = sizes.ratings.has_levels && !sizes.implicit ? 1 : 4;
  const double learnt = ratings * (1 - sizes.held_out);
  const bool computes = sizes.share > 0;
  ProcessMemory memory;
  const std::uint64_t ids = kIdBytes * (sizes.ratings.users + sizes.ratings.items);
  memory.parts.push_back({"names of users and items", 0, ids});
  const double taking = computes && sizes.solver != Solver::sgd ? ratings * kTaking : 0;
  const double merging = ratings * kMerging + static_cast<double>(sizes.ratings.copied_bytes);
  const auto lines = static_cast<double>(sizes.ratings.lines_bytes);
  memory.reading = bytes(ratings * (kNumbers + value) + std::max({taking, merging, lines})) + ids;
  const bool judges = sizes.nodes == 0 || !computes;
  const std::uint64_t lists = sizes.stop_lists + (judges ? sizes.judged_lists : 0);
  if (lists > 0) {
    memory.parts.push_back({"pairs that lists leave out", 0, bytes(static_cast<double>(lists) * ratings * kLeftOut)});
  }
  const double all_factors = factors(sizes);
  const Copies of_factors = copies(sizes);
  if (sizes.folds > 0) {
    memory.parts.push_back({"all ratings and their folds", 0, bytes(ratings * (kNumbers + value + kFold))});
    const double of_a_fold = learnt * (1 - 1.0 / sizes.folds);
    if (computes) {
      const double by_block = of_a_fold * sizes.share * bytes_by_block(sizes.solver, value);
      memory.parts.push_back({"ratings of two folds by user and by item", 0, bytes(kFoldsAtOnce * by_block)});
    } else {
      memory.parts.push_back(
          {"a fold's ratings, which factors are checked with", 0, bytes(of_a_fold * (kNumbers + value))});
    }
    // Of several fits at a time one has ended and the next one not begun. On a node that one may not have gone yet.
    const bool has_room = computes && sizes.at_once > 1 && sizes.nodes == 0;
    const double of_one = has_room ? all_factors * of_factors.all(sizes.keeps_best) : 0;
    memory.parts.push_back(
        {"while the next fold is left out", 0, bytes(std::max(0.0, of_a_fold * kTakingAFold - of_one))});
  } else if (!computes) {
    memory.parts.push_back({"ratings, which factors are checked with", 0, bytes(ratings * (kNumbers + value))});
  } else {
    memory.parts.push_back(
        {"ratings by user and by item", 0, bytes(learnt * sizes.share * bytes_by_block(sizes.solver, value))});
    memory.parts.push_back({"ratings held out", 0, bytes((ratings - learnt) * (kSlot + value))});
  }
  if (!computes) {
    memory.parts.push_back({"factors, as nodes report them", 0, bytes(all_factors * kReports)});
    return memory;
  }
  // Fits beside each other in one process are seldom all at their most, but for those of sgd; on a node one that has
  // ended may still be there.
  const double of_another = sizes.nodes > 0 || sizes.solver == Solver::sgd ? 1.0 : 0.7;
  const double runs = all_factors * (1 + of_another * static_cast<double>(sizes.at_once - 1));
  memory.parts.push_back({"factors", 0, bytes(runs * (of_factors.held + (sizes.keeps_best ? of_factors.best : 0)))});
  if (sizes.implicit) {
    const double sides = static_cast<double>(sizes.at_once) * other_side(sizes);
    memory.parts.push_back({"products of a side's factors", 0, bytes(sides)});
  }
  if (sizes.nodes > 0) {
    const double reports =
        static_cast<double>(sizes.at_once) * all_factors * kReportsOfANode / static_cast<double>(sizes.nodes);
    memory.parts.push_back({"factors that are reported", 0, bytes(reports)});
  }
  double varies = runs * of_factors.varies;
  if (sizes.nodes > 0 && sizes.solver == Solver::sgd)
    varies += (sizes.nodes > 1 ? kStrataKept : kStrataKeptAlone) * static_cast<double>(sizes.at_once);
  memory.guessed = bytes(varies);
  memory.parts.push_back({"factors of earlier versions, at the most", 0, memory.guessed});
  return memory;
}

GridSizes grid_sizes(const CvPlan& plan) {
  GridSizes grid{plan.folds, plan.size(), 0, plan.by_lists()};
  for (const CvPoint& point : plan.points) grid.rank_max = std::max(grid.rank_max, point.rank);
  return grid;
}

Result<MemoryPlan> plan_factorization(const FitOptions& options, const GridSizes& grid, Look look) {
  STRADS_ASSIGN_OR_RETURN(const auto shape, look_at_ratings(options.input, look));
  MemoryPlan plan;
  plan.shape = std::to_string(shape.ratings) + " ratings of " + std::to_string(shape.users) + " users and " +
               std::to_string(shape.items) + " items, " + (shape.has_levels ? "few" : "many") + " different values";
  MfSizes sizes = sizes_of(options, grid, shape);
  const unsigned threads = options.machine.threads;
  if (!options.cluster.wanted()) {
    plan.add(mf_memory(sizes), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  const std::uint64_t nodes = local ? options.cluster.processes : options.cluster.nodes;
  const double workers = options.engine.workers;
  sizes.nodes = nodes;
  sizes.share = std::min(1.0, std::ceil(workers / static_cast<double>(nodes)) / workers);
  plan.add(mf_memory(sizes), "node", nodes, local, threads);
  sizes.share = 0;
  plan.add(mf_memory(sizes), "driver", 1, true, threads);
  return plan;
}

Status check_node_memory(const FitOptions& options, const GridSizes& grid) {
  if (!options.memory_check) return {};
  const auto shape = look_at_ratings(options.input, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  MfSizes sizes = sizes_of(options, grid, shape.value());
  sizes.share = 1.0 / std::max<std::uint32_t>(1, options.engine.workers);  // a node hears later what it computes
  sizes.at_once = 1;
  MemoryPlan plan;
  plan.add(mf_memory(sizes), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::mf
