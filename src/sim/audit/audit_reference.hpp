// The auditor's own replica: the protocol executed one commit after the other, without nodes. Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sim/audit/audit_hashes.hpp"
#include "strads/base/chunks.hpp"
#include "strads/engine/model.hpp"
#include "wire/messages.hpp"

namespace strads::sim {

/// The D newest versions, and one hash for every version that ever was.
class AuditReference {
 public:
  AuditReference(std::shared_ptr<Model> model, std::uint32_t depth);

  /// Makes replica(-1). REQUIRES: Model::begin was called.
  void start();
  [[nodiscard]] bool started() const noexcept { return current_ != nullptr; }
  [[nodiscard]] Version version() const noexcept { return version_; }
  /// nullptr: not one of the D newest.
  [[nodiscard]] const State* at(Version v) const;

  struct Outcome {
    Pull pull;
    std::shared_ptr<const Direction> direction;
  };
  /// What a round comes to on the newest version, from its blocks' deltas in block order.
  [[nodiscard]] Outcome outcome(std::span<const Payload> deltas);
  [[nodiscard]] Push push(const State& base, const wire::Assign& assign);
  /// Of the newest version, as KEPT says it. Cost: a copy of the replica.
  [[nodiscard]] std::uint64_t kept() const { return kept_hash(current_->content()); }
  [[nodiscard]] double objective() const { return model_->objective(*current_); }

  /// Commit version() + 1. `direction`: of its outcome().
  void apply(const wire::Commit& commit, const Direction* direction);
  /// Verdict number `phase` was to recompute the replica.
  void recompute(std::uint32_t phase);
  /// How far a recomputed copy of the newest version is off: the largest difference of two values of the content,
  /// relative to the largest value of it or of the start. Infinity: they do not even hold the same variables. 0 where
  /// the content is not finite (a run without a guard has diverged). Cost: one recomputation.
  [[nodiscard]] double drift();

  /// Whether replica(v) of a node that has taken `phases` verdicts may have this content. A node that has just taken a
  /// verdict to recompute has not done so yet. REQUIRES: v <= version().
  [[nodiscard]] bool holds(Version v, std::uint32_t phases, std::uint64_t content) const;
  /// Of version v after the recomputations of `phases` verdicts.
  [[nodiscard]] std::uint64_t content_hash(Version v, std::uint32_t phases) const;
  [[nodiscard]] std::uint64_t final_hash() const;

 private:
  struct Recomputed {
    std::uint32_t phase = 0;
    std::uint64_t hash = 0;
  };

  std::shared_ptr<Model> model_;
  std::uint32_t depth_;
  SerialChunks chunks_;
  Version version_ = -1;
  std::shared_ptr<State> current_;
  std::map<Version, std::shared_ptr<State>> older_;        ///< versions version_ - D + 1 ... version_ - 1
  std::vector<std::uint64_t> hashes_;                      ///< of version v at v + 1, as its commit left it
  std::map<Version, std::vector<Recomputed>> recomputed_;  ///< in order of the verdicts
  double start_scale_ = 0;                                 ///< largest value of replica(-1)
};

}  // namespace strads::sim
