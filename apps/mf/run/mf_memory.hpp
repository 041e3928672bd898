// What memory a factorization takes, from sizes alone: nothing is kept of the ratings that are counted for it.
#pragma once

#include <cstdint>

#include "mf/grid/cv.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/data/data_shape.hpp"
#include "strads/program/memory_plan.hpp"

namespace strads::mf {

/// What decides how much one process holds.
struct MfSizes {
  RatingsShape ratings;
  bool keeps_best = true;  ///< early stopping
  double held_out = 0;     ///< share of the ratings that no fit learns from: validation and test
  Solver solver = Solver::cd;
  bool implicit = false;  ///< values are confidences, and each process has what it computes of the other side
  std::uint32_t rank = 40;
  std::uint64_t blocks = 8;        ///< of each side: schedulers x workers
  double share = 1;                ///< of the blocks that are computed here; 0: the driver of a cluster
  std::uint64_t nodes = 0;         ///< that share the blocks; 0: one process does everything
  std::uint32_t folds = 0;         ///< 0: one fit of all ratings
  std::uint64_t at_once = 1;       ///< fits of the grid at a time
  std::uint64_t stop_lists = 0;    ///< fits of other pairs that stop by lists of items; 1: mf fit
  std::uint64_t judged_lists = 0;  ///< folds whose lists are judged, on a driver or without nodes
};

/// The parts of one process. A pure function.
[[nodiscard]] ProcessMemory mf_memory(const MfSizes& sizes);

/// The grid of `mf cv`; of a fit no folds.
struct GridSizes {
  std::uint32_t folds = 0;
  std::uint64_t fits = 1;
  std::uint32_t rank_max = 0;
  bool ranked = false;  ///< by lists of items
};

[[nodiscard]] GridSizes grid_sizes(const CvPlan& plan);

/// Of all processes of a run with these options. Errors: as look_at_ratings().
[[nodiscard]] Result<MemoryPlan> plan_factorization(const FitOptions& options, const GridSizes& grid, Look look);

/// On a node, before it reads the ratings: what every node of this run needs for that. Errors: as check_memory().
[[nodiscard]] Status check_node_memory(const FitOptions& options, const GridSizes& grid);

}  // namespace strads::mf
