#include "sumstats/model/paused_solvers.hpp"

#include <algorithm>
#include <utility>

namespace strads::sumstats {

std::unique_ptr<BlockSolver> PausedSolvers::take(std::uint32_t block, const BlockProgress& progress) {
  std::unique_ptr<BlockSolver> found;
  {
    const std::lock_guard lock(mutex_);
    const auto place = std::ranges::find_if(solvers_, [block](const auto& solver) { return solver->block() == block; });
    if (place == solvers_.end()) return nullptr;
    found = std::move(*place);
    solvers_.erase(place);
  }
  // Another one has been further since, or a commit was lost.
  if (found->progress() != progress) return nullptr;
  return found;
}

void PausedSolvers::keep(std::unique_ptr<BlockSolver> solver) {
  const std::lock_guard lock(mutex_);
  solvers_.push_back(std::move(solver));
  if (solvers_.size() > most_) solvers_.erase(solvers_.begin());
}

}  // namespace strads::sumstats
