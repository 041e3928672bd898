// What many models in one schedule put into the engine's payloads: written here and nowhere else.
//
// READY, START: the payloads of all parts, packed.
// SLICE STATUS: those of all parts, empty of parts that have nothing to say; behind them what the commits of each
// part's phase came to (PartSums). PHASE: the jobs of all parts (ManyPhase). BLOCK: the part's, ids counted from the
// part's first variable on, and its number behind the values. DELTAS: those with ids are told by them; else the part's
// number is behind the values. COMMIT: ManyCommit. In place of a part's number that of all parts stands for
// housekeeping: the values before it are part, Job::Action,
// ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/types.hpp"
#include "strads/engine/model.hpp"

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
  Round start = 0;  ///< run: what the whole calls that round; ManyPhase::lay_out() knows

  [[nodiscard]] bool runs() const { return action == Action::run; }
  friend bool operator==(const Job& a, const Job& b) {
    if (a.action != b.action || !a.runs()) return a.action == b.action;
    return a.first == b.first && a.plan.blocks_max == b.plan.blocks_max && a.plan.joint == b.plan.joint &&
           a.plan.steady == b.plan.steady && a.plan.rounds_max == b.plan.rounds_max &&
           a.plan.updates_max == b.plan.updates_max && a.plan.content == b.plan.content;
  }
};

/// A round as the part sees it.
struct PartRound {
  std::size_t part = 0;
  Round round = 0;
};

/// A phase of the whole. If replicas are verified or released, its first round is for that. Then parts run side by
/// side: a round of the whole is a round of each. Those whose blocks stay with their workers (PhasePlan::steady) have
/// rounds of their own, one part after the other. A part begins with the first round that belongs to the scheduler
/// whose turn it is.
struct ManyPhase {
  Round first = 0;
  std::vector<Job> jobs;

  /// Says where jobs start. Call it when they are complete.
  void lay_out(std::uint32_t schedulers);
  [[nodiscard]] bool keeps_house() const;
  /// Rounds of the whole phase, if no part's phase ends early.
  [[nodiscard]] std::uint64_t rounds() const;
  /// What that round is to each part that it belongs to, in the order of the parts; nothing: nobody's, or housekeeping.
  [[nodiscard]] std::vector<PartRound> parts_in(Round round) const;

  [[nodiscard]] Payload encode() const;
  /// Laid out. nullopt: no phase of `parts` models.
  [[nodiscard]] static std::optional<ManyPhase> decode(const Payload& payload, std::size_t parts,
                                                       std::uint32_t schedulers);
};

/// A round of the whole as one commit.
struct ManyCommit {
  /// What pull() of a part decided; nothing of parts whose step is 0.
  struct Change {
    std::size_t part = 0;
    double step = 0, objective = 0, realised = 0;
    Payload own;
  };
  /// What its scheduler says of every part that had a round.
  struct Remark {
    std::size_t part = 0;
    std::uint32_t blocks = 0;
    double predicted = 0;
    std::uint64_t updates = 0;
    bool ends_phase = false;
  };
  std::vector<Change> changes;       ///< in the order of the parts
  std::vector<double> housekeeping;  ///< see housekeeping_of()
  std::vector<Remark> remarks;       ///< in the order of the parts

  /// nullptr: nothing of that part.
  [[nodiscard]] const Change* change_of(std::size_t part) const;
  /// Nothing at all: an empty payload.
  [[nodiscard]] Payload encode() const;
  /// nullopt: no commit of `parts` models.
  [[nodiscard]] static std::optional<ManyCommit> decode(const Payload& payload, std::size_t parts);
};

/// What the commits of a part's phase came to.
struct PartSums {
  std::uint64_t rounds = 0, parallel_rounds = 0, empty_rounds = 0;
  std::uint64_t blocks = 0, updates = 0;
  double predicted = 0, realised = 0;
  bool ended = false;  ///< the phase; not: a limit cut it off

  friend bool operator==(const PartSums&, const PartSums&) = default;
};

/// A slice's report: of each part its status, and the sums of its phase, which are the same in every slice.
struct ManyStatus {
  std::vector<Payload> parts;
  std::vector<PartSums> sums;

  [[nodiscard]] Payload encode() const;
  [[nodiscard]] static std::optional<ManyStatus> decode(const Payload& payload, std::size_t parts);
};

/// The last value of a payload as a part's number; nullopt: it is none below `count`.
[[nodiscard]] std::optional<std::size_t> tag_of(const Payload& payload, std::size_t count);

/// The actions of a housekeeping turn as values, without the number behind them; and back: nullopt: not such values.
[[nodiscard]] std::vector<double> housekeeping_of(const ManyPhase& phase);
[[nodiscard]] std::optional<std::vector<std::pair<std::size_t, Job::Action>>> read_housekeeping(
    std::span<const double> values, std::size_t parts);

}  // namespace strads::engine
