// A worker role: computes blocks on the version that they name and reports deltas. It owns no variables.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "engine/effects.hpp"
#include "engine/replica.hpp"
#include "strads/model.hpp"

namespace strads::engine {

class Worker {
 public:
  Worker(std::uint32_t schedulers, const Model& model, const Replica& replica);

  /// An assignment may come before its base version or its phase is here (it waits), or again while it is computed (it
  /// is counted and dropped: the answer is on its way).
  void on_assign(const wire::Assign& assign, Effects& effects);
  /// The replica has a new version, or a phase has begun.
  void on_advanced(Effects& effects);

  [[nodiscard]] std::uint64_t repeated_assigns() const noexcept { return repeated_assigns_; }
  [[nodiscard]] std::uint64_t stale_assigns() const noexcept { return stale_assigns_; }

 private:
  [[nodiscard]] bool ready_for(const wire::Assign& assign) const;
  void compute(const wire::Assign& assign, Effects& effects);

  std::uint32_t schedulers_;
  const Model& model_;
  const Replica& replica_;
  std::map<BlockId, wire::Assign> waiting_;
  std::set<BlockId> computing_;
  std::uint64_t repeated_assigns_ = 0;
  std::uint64_t stale_assigns_ = 0;
};

}  // namespace strads::engine
