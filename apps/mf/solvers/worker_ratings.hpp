// The ratings that a node computes with: those of its own workers, and of workers lost elsewhere. Private to apps/mf.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mf/solvers/block_ratings.hpp"
#include "mf/solvers/grid_ratings.hpp"

namespace strads::mf {

/// The ratings of the blocks of one worker, or of several.
struct WorkerRatings {
  SideRatings train[kSides];     ///< sgd: empty
  GridRatings grid;              ///< sgd: the training ratings
  SideRatings validation, test;  ///< by user

  /// Training ratings, of both sides together.
  [[nodiscard]] std::uint64_t training() const { return train[0].size() + train[1].size() + kSides * grid.size(); }
};

/// Models that learn from the same ratings share one. Thread-safe.
class RatingStore {
 public:
  /// `is_here`: by worker, whose ratings `here` are.
  RatingStore(std::vector<bool> is_here, WorkerRatings here) : is_here_(std::move(is_here)), here_(std::move(here)) {}

  [[nodiscard]] const WorkerRatings& here() const { return here_; }
  /// Those of a worker. What is not here is taken by `read` once and kept: others who ask wait until it is there.
  /// nullptr: `read` came to nothing, for this worker or an earlier one; it is not tried again, since the run is to
  /// end.
  [[nodiscard]] const WorkerRatings* of(std::uint32_t worker,
                                        const std::function<std::optional<WorkerRatings>()>& read) {
    if (is_here_[worker]) return &here_;
    const std::lock_guard lock(mutex_);
    const auto found = rebuilt_.find(worker);
    if (found != rebuilt_.end()) return &found->second;
    std::optional<WorkerRatings> taken = is_unread_ ? std::nullopt : read();
    is_unread_ = !taken.has_value();
    return is_unread_ ? nullptr : &rebuilt_.emplace(worker, *std::move(taken)).first->second;
  }

 private:
  std::vector<bool> is_here_;
  WorkerRatings here_;
  std::mutex mutex_;
  bool is_unread_ = false;
  std::map<std::uint32_t, WorkerRatings> rebuilt_;  ///< by worker; map: what it holds stays where it is
};

}  // namespace strads::mf
