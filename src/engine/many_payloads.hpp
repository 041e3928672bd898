// What many models in one schedule put into the engine's payloads: written here and nowhere else.
//
// READY, START, SLICE STATUS: the payloads of all parts, packed; empty ones of parts that have nothing to say.
// PHASE: the jobs of all parts (ManyPhase).
// BLOCK: the part's, ids counted from the part's first variable on, and its number behind the values.
// DELTAS: those with ids are told by them; else the part's number is behind the values.
// COMMIT: the part's changes; behind the values its objective after the commit and its number.
// In place of a part's number that of all parts stands for housekeeping: the values before it are part, Job::Action,
// ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "strads/model.hpp"
#include "strads/payload.hpp"
#include "strads/types.hpp"

namespace strads::engine {

/// Several payloads as one. values: their number and, for each, how many ids, values and arrays it has; then what they
/// hold, one after the other.
[[nodiscard]] Payload pack(std::span<const Payload> parts);
/// nullopt: not `count` payloads.
[[nodiscard]] std::optional<std::vector<Payload>> unpack(const Payload& packed, std::size_t count);

/// What a part does in a phase.
struct Job {
  enum class Action : std::uint8_t {
    none = 0,    ///< it has ended
    run = 1,     ///< a phase of its own
    verify = 2,  ///< its replica is recomputed
    release = 3  ///< it has ended, and its replica is given back
  };
  Action action = Action::none;
  Round first = 0;  ///< run: the part's own number of the first round
  PhasePlan plan;   ///< run

  friend bool operator==(const Job& a, const Job& b) {
    if (a.action != Action::run || b.action != Action::run) return a.action == b.action;
    return a.first == b.first && a.plan.blocks_max == b.plan.blocks_max && a.plan.steady == b.plan.steady &&
           a.plan.rounds_max == b.plan.rounds_max && a.plan.content == b.plan.content;
  }
};

/// A round as the part sees it whose turn it is.
struct PartRound {
  std::size_t part = 0;
  Round round = 0;
};

/// A phase of the whole, in turns: S rounds one after the other, one of each scheduler. If replicas are verified or
/// released, the first turn is for that; then part after part has its turns.
struct ManyPhase {
  Round first = 0;  ///< a multiple of S
  std::vector<Job> jobs;

  [[nodiscard]] bool keeps_house() const;
  /// Rounds of the whole phase.
  [[nodiscard]] std::uint64_t rounds(std::uint32_t schedulers) const;
  /// Whose round that is; nullopt: nobody's, or housekeeping.
  [[nodiscard]] std::optional<PartRound> find(Round round, std::uint32_t schedulers) const;
  /// Rounds of a part's job that are not after round `last` of the whole.
  [[nodiscard]] std::uint64_t done(std::size_t part, Round last, std::uint32_t schedulers) const;

  [[nodiscard]] Payload encode() const;
  /// nullopt: no phase of `parts` models and S schedulers.
  [[nodiscard]] static std::optional<ManyPhase> decode(const Payload& payload, std::size_t parts,
                                                       std::uint32_t schedulers);
};

/// The last value of a payload as a part's number; nullopt: it is none below `count`.
[[nodiscard]] std::optional<std::size_t> tag_of(const Payload& payload, std::size_t count);

/// The actions of a housekeeping turn as values, without the number behind them; and back: nullopt: not such values.
[[nodiscard]] std::vector<double> housekeeping_of(const ManyPhase& phase);
[[nodiscard]] std::optional<std::vector<std::pair<std::size_t, Job::Action>>> read_housekeeping(
    std::span<const double> values, std::size_t parts);

}  // namespace strads::engine
