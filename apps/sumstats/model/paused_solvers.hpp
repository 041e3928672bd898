// Solvers of blocks that a turn did not end, with their Gram matrices. Private to apps/sumstats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sumstats/problem/block_progress.hpp"
#include "sumstats/solver/block_solver.hpp"

namespace strads::sumstats {

/// What a node's workers remember from turn to turn. A solver goes on from where it stands with the same bits as one
/// that is made from the block's record, so that what is remembered cannot change a result: it saves the products.
/// Thread-safe.
class PausedSolvers {
 public:
  explicit PausedSolvers(std::size_t most) : most_(most) {}

  /// The solver that stands there in this block, once; nullptr: it is elsewhere, or was forgotten.
  [[nodiscard]] std::unique_ptr<BlockSolver> take(std::uint32_t block, const BlockProgress& progress);
  /// The oldest are forgotten where there are more than `most`.
  void keep(std::unique_ptr<BlockSolver> solver);

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockSolver>> solvers_;  ///< the latest last
};

}  // namespace strads::sumstats
