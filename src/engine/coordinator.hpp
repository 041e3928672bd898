// The coordinator role: gathers READY and SLICE STATUS in slice order and lets the model's judge decide.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/effects.hpp"
#include "strads/model.hpp"
#include "strads/options.hpp"

namespace strads::engine {

/// Out of the data path: between two barriers it only counts commits, for progress and for the judge.
class Coordinator {
 public:
  Coordinator(const EngineOptions& options, std::uint32_t nodes, std::unique_ptr<Judge> judge);

  void on_ready(const wire::Ready& ready, Effects& effects);
  void on_status(const wire::SliceStatus& status, Effects& effects);
  void on_commit(const wire::Commit& commit, Effects& effects);
  /// Asks all schedulers to end the run with the next commit. Certifies and stops at the barrier that follows.
  void request_finish(Effects& effects);

  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  void begin(Effects& effects);
  void count(const wire::Commit& commit, Effects& effects);
  void judge_when_complete(Effects& effects);
  void end(Status status, std::string reason, Effects& effects);
  template <class Message>
  void broadcast(const Message& message, Effects& effects) const {
    for (std::uint32_t node = 0; node < nodes_; ++node) effects.send({wire::Role::node, node}, message);
  }

  EngineOptions options_;
  std::uint32_t nodes_;
  std::unique_ptr<Judge> judge_;
  std::map<std::uint32_t, wire::Ready> ready_;
  std::map<std::uint32_t, wire::SliceStatus> statuses_;
  std::map<Version, wire::Commit> early_;  ///< commits are counted in order: sums of doubles must not depend on arrival
  Version counted_ = -1;
  std::uint32_t barrier_number_ = 0;  ///< number of the next barrier's SLICE STATUS
  Barrier since_;                     ///< sums over the commits since the last phase began
  RunTotals totals_;
  Certificate certificate_;
  Payload problem_;
  bool finish_requested_ = false;
  bool ended_ = false;
};

}  // namespace strads::engine
