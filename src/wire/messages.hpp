// Every message of the round protocol, each written once. Layer: wire. Pure.
//
// Encoding, decoding, printing and the table in docs/PROTOCOL.md come from these structs: `kSays` is who tells whom and
// what for, and `fields` lists each field with its name and its meaning, in the order in which it travels. To add a
// message: a struct like these with the next free kType, and its name in `Message`. A change of any field list is a new
// kProtocolVersion (wire/framing.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "strads/base/payload.hpp"
#include "strads/base/types.hpp"
#include "wire/control_messages.hpp"

namespace strads::wire {

/// In place of a rank.
inline constexpr std::uint32_t kNobody = 0xffffffff;

struct Ready {
  static constexpr std::uint8_t kType = 1;
  static constexpr const char* kName = "Ready";
  static constexpr const char* kSays = "scheduler -> coordinator: the slice has been scanned once";
  std::uint32_t scheduler = 0;
  Payload summary;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("scheduler", m.scheduler, "s, the owner of the slice");
    visit("summary", m.summary, "the model's: kept columns, max |x_j'y| ...");
  }
  friend bool operator==(const Ready&, const Ready&) = default;
};

struct Start {
  static constexpr std::uint8_t kType = 2;
  static constexpr const char* kName = "Start";
  static constexpr const char* kSays = "coordinator -> every node: all slices are scanned; the problem is fixed";
  Payload problem;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("problem", m.problem, "the model's: lambda, number of kept columns ...");
  }
  friend bool operator==(const Start&, const Start&) = default;
};

struct Assign {
  static constexpr std::uint8_t kType = 3;
  static constexpr const char* kName = "Assign";
  static constexpr const char* kSays = "scheduler -> worker: compute one block on replica(base)";
  Round round = 0;
  std::uint32_t index = 0;
  std::uint32_t worker = 0;
  Version base = -1;
  std::uint32_t kind = 0;
  std::uint32_t sweeps = 1;
  double tolerance = 0;
  Payload block;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("round", m.round, "the block's name is (round, index), also when another worker gets it");
    visit("index", m.index, "position of the block in its round");
    visit("worker", m.worker, "who is asked to compute it");
    visit("base", m.base, "the version that push must read");
    visit("kind", m.kind, "the model's: how to solve the block");
    visit("sweeps", m.sweeps, "at most so many passes over the block");
    visit("tolerance", m.tolerance, "the model's: when to stop earlier");
    visit("block", m.block, "ids: variables; values: what push needs besides the replica");
  }
  friend bool operator==(const Assign&, const Assign&) = default;
};

struct Deltas {
  static constexpr std::uint8_t kType = 4;
  static constexpr const char* kName = "Deltas";
  static constexpr const char* kSays = "worker -> scheduler: what push computed for one block";
  Round round = 0;
  std::uint32_t index = 0;
  double predicted = 0;
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;
  std::uint64_t updates = 0;
  Payload deltas;
  std::vector<std::uint64_t> tally{};

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("round", m.round, "copied from ASSIGN; unknown blocks are counted and dropped");
    visit("index", m.index, "copied from ASSIGN");
    visit("predicted", m.predicted, "decrease of the objective that the block alone would bring");
    visit("flops", m.flops, "counted cost");
    visit("bytes", m.bytes, "counted: read or written by push");
    visit("updates", m.updates, "coordinate updates made");
    visit("deltas", m.deltas, "ids: changed variables; values: new minus old");
    visit("tally", m.tally, "the model's: how the block was solved, in counts that can be added up; at most 64");
  }
  friend bool operator==(const Deltas&, const Deltas&) = default;
};

struct Commit {
  static constexpr std::uint8_t kType = 5;
  static constexpr const char* kName = "Commit";
  static constexpr const char* kSays =
      "scheduler -> every node and coordinator: the agreed outcome of one round. Version v is the outcome of round v";
  Version version = 0;
  std::uint32_t scheduler = 0;
  std::uint32_t blocks = 0;
  std::uint8_t ends_phase = 0;
  std::uint8_t last = 0;
  double step = 0;
  double objective = 0;
  double predicted = 0;
  double realised = 0;
  std::uint64_t flops = 0;
  std::uint64_t flops_path = 0;
  std::uint64_t updates = 0;
  std::uint64_t updates_path = 0;
  Payload changes;
  std::vector<std::uint64_t> tally{};

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("version", m.version, "of the replica after this commit: the number of the round");
    visit("scheduler", m.scheduler, "version mod S");
    visit("blocks", m.blocks, "blocks that were computed");
    visit("ends_phase", m.ends_phase, "1: the last round of the phase is version + D - 1");
    visit("last", m.last, "1: a limit or a request ends the run with this commit");
    visit("step", m.step, "a of r <- r - a v; 0: an empty round");
    visit("objective", m.objective, "after the commit");
    visit("predicted", m.predicted, "sum of the blocks' predictions");
    visit("realised", m.realised, "decrease of the objective by this commit");
    visit("flops", m.flops, "counted by the round's tasks");
    visit("flops_path", m.flops_path, "of the costliest block: the critical path");
    visit("updates", m.updates, "coordinate updates made");
    visit("updates_path", m.updates_path, "of the block with most");
    visit("changes", m.changes, "the model's; left out on the way to the coordinator, which has no replica");
    visit("tally", m.tally, "sum of those of the blocks, count by count");
  }
  friend bool operator==(const Commit&, const Commit&) = default;
};

struct SliceStatus {
  static constexpr std::uint8_t kType = 6;
  static constexpr const char* kName = "SliceStatus";
  static constexpr const char* kSays = "scheduler -> coordinator: at barrier c, what the refreshed slice looks like";
  std::uint32_t scheduler = 0;
  std::uint32_t phase = 0;
  Version version = -1;
  std::uint8_t verified = 0;
  std::uint8_t last = 0;
  std::uint64_t flops = 0;
  std::uint64_t planned_early = 0;
  std::uint64_t rounds = 0;
  Payload status;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("scheduler", m.scheduler, "s, the owner of the slice");
    visit("phase", m.phase, "number of the phase that this barrier would begin");
    visit("version", m.version, "c");
    visit("verified", m.verified, "1: on a replica that was recomputed from the data at this barrier");
    visit("last", m.last, "1: the commit before the barrier said `last`");
    visit("flops", m.flops, "of the refresh");
    visit("planned_early", m.planned_early, "own rounds whose plan was ready before their turn, since the start");
    visit("rounds", m.rounds, "own rounds committed, since the start");
    visit("status", m.status, "the model's: certificate parts, candidates");
  }
  friend bool operator==(const SliceStatus&, const SliceStatus&) = default;
};

struct Phase {
  static constexpr std::uint8_t kType = 7;
  static constexpr const char* kName = "Phase";
  static constexpr const char* kSays = "coordinator -> every node: the verdict of a barrier";
  std::uint32_t phase = 0;
  Version version = -1;
  std::uint8_t verdict = 0;
  std::uint8_t mode = 0;
  std::uint32_t blocks_max = 1;
  std::uint64_t rounds_max = 0;
  std::uint64_t updates_max = 0;
  Payload plan;
  std::uint32_t keeper = kNobody;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("phase", m.phase, "number of the phase that begins");
    visit("version", m.version, "c, the barrier");
    visit("verdict", m.verdict, "0 go on, 1 recompute the replica and refresh again, 2 stop");
    visit("mode", m.mode,
          "0: blocks go to all workers in turn; 1: one round, whose block comes from all slices; 2: blocks stay with "
          "their workers");
    visit("blocks_max", m.blocks_max, "effective parallelism P_eff: blocks a round");
    visit("rounds_max", m.rounds_max, "rounds of the phase at most");
    visit("updates_max", m.updates_max, "the commit that reaches it ends the phase");
    visit("plan", m.plan, "the model's: candidates, thresholds");
    visit("keeper", m.keeper,
          "a checkpoint is made here: every node says KEPT, this one with its replica; 2^32 - 1: none is made");
  }
  friend bool operator==(const Phase&, const Phase&) = default;
};

/// Replicas are compared wherever a checkpoint is made.
struct Kept {
  static constexpr std::uint8_t kType = 19;
  static constexpr const char* kName = "Kept";
  static constexpr const char* kSays =
      "node -> coordinator: its replica at a barrier with a checkpoint; again when that PHASE comes again";
  std::uint32_t node = 0;
  std::uint32_t phase = 0;
  Version version = -1;
  std::uint64_t hash = 0;
  Payload replica;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("node", m.node, "rank of the node");
    visit("phase", m.phase, "copied from PHASE");
    visit("version", m.version, "copied from PHASE");
    visit("hash", m.hash, "of the content of its replica: the same on every node");
    visit("replica", m.replica, "the model's: the content itself, of the keeper; of others empty");
  }
  friend bool operator==(const Kept&, const Kept&) = default;
};

struct Memory {
  static constexpr std::uint8_t kType = 20;
  static constexpr const char* kName = "Memory";
  static constexpr const char* kSays =
      "scheduler -> coordinator: what its slice remembers at a barrier with a checkpoint. Part of a snapshot too";
  std::uint32_t scheduler = 0;
  std::uint32_t phase = 0;
  std::uint64_t planning_flops = 0;
  Payload memory;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("scheduler", m.scheduler, "s, the owner of the slice");
    visit("phase", m.phase, "copied from PHASE");
    visit("planning_flops", m.planning_flops, "of plans since the last dispatch");
    visit("memory", m.memory, "the model's: what a refresh would not find again");
  }
  friend bool operator==(const Memory&, const Memory&) = default;
};

/// Does not travel by itself: PARTs carry it.
struct Snapshot {
  static constexpr std::uint8_t kType = 24;
  static constexpr const char* kName = "Snapshot";
  static constexpr const char* kSays = "driver -> node, in PARTs: where a run goes on";
  std::uint32_t phases = 0;
  Version version = -1;
  std::uint8_t verified = 0;
  std::uint8_t in_phase = 0;
  std::uint8_t mode = 0;
  std::uint32_t blocks_max = 1;
  std::uint64_t rounds_max = 0;
  std::uint64_t updates_max = 0;
  Payload plan;
  Payload replica;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("phases", m.phases, "verdicts before the barrier");
    visit("version", m.version, "of the barrier");
    visit("verified", m.verified, "1: its replica was recomputed from the data");
    visit("in_phase", m.in_phase, "1: a phase came before; the next five are its");
    visit("mode", m.mode, "as in PHASE");
    visit("blocks_max", m.blocks_max, "as in PHASE");
    visit("rounds_max", m.rounds_max, "as in PHASE");
    visit("updates_max", m.updates_max, "as in PHASE");
    visit("plan", m.plan, "the model's");
    visit("replica", m.replica, "the model's: the content of replica(version)");
  }
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

struct Finish {
  static constexpr std::uint8_t kType = 8;
  static constexpr const char* kName = "Finish";
  static constexpr const char* kSays =
      "coordinator -> every scheduler: a request (time limit, SIGINT, no node would be left) to end the run with the "
      "next "
      "commit. driver -> node, on the control channel: its wish to leave is known; it stays until LEAVE";
  std::uint32_t scheduler = 0;
  std::uint8_t reason = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("scheduler", m.scheduler, "s, who is asked; 0 on the control channel");
    visit("reason", m.reason, "the coordinator's word for it; only logged");
  }
  friend bool operator==(const Finish&, const Finish&) = default;
};

using Message =
    std::variant<Ready, Start, Assign, Deltas, Commit, SliceStatus, Phase, Finish, Hello, Welcome, Loaded, Beat, Roster,
                 Leave, Reject, Resend, Open, Close, Kept, Memory, Fetch, Part, Peer, Snapshot, Times>;

/// A struct of the above form.
template <class T>
concept WireMessage = requires {
  { T::kType } -> std::convertible_to<std::uint8_t>;
  { T::kName } -> std::convertible_to<const char*>;
  { T::kSays } -> std::convertible_to<const char*>;
};

/// Boost.Serialization's non-intrusive form, for every message at once: any archive that knows `archive & field` can
/// read or write a message. An archive with a member `at` is told before each field which one it is.
template <class Archive, class Self>
requires WireMessage<std::remove_const_t<Self>>
void serialize(Archive& archive, Self& message, const unsigned int /*version*/) {
  using M = std::remove_const_t<Self>;
  M::fields(message, [&archive](const char* name, auto& field, const char* /*meaning*/) {
    if constexpr (requires { archive.at(M::kName, name); }) archive.at(M::kName, name);
    archive& field;
  });
}

/// Calls visit(std::type_identity<M>{}) for every message M, in the order of `Message`.
template <class Visit>
void for_each_message_type(Visit&& visit) {
  [&]<class... M>(std::type_identity<std::variant<M...>>) {
    (visit(std::type_identity<M>{}), ...);
  }(std::type_identity<Message>{});
}

}  // namespace strads::wire
