// Messages between the processes of a cluster: who is in, who is alive, what was lost. Layer: wire. Pure.
// The rules for these structs are written in wire/messages.hpp, which is to be included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/types.hpp"

namespace strads::wire {

/// Of messages that are about the cluster and not about one of its runs: those of the control channel. Where a run may
/// be named: none.
inline constexpr std::uint32_t kNoRun = 0xffffffff;

/// Roles that a node accepts or has, as bits.
enum RoleBit : std::uint8_t { kAcceptsScheduler = 1, kAcceptsWorker = 2 };

struct Hello {
  static constexpr std::uint8_t kType = 9;
  static constexpr const char* kName = "Hello";
  static constexpr const char* kSays = "node -> driver: asks to join; repeated until WELCOME or REJECT";
  std::string build;
  std::string name;
  std::uint64_t process = 0;
  std::string endpoint;
  std::uint8_t roles = 0;
  std::string simd;
  std::uint32_t threads = 0;
  std::uint64_t memory = 0;
  std::string key;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("build", m.build, "id of the node's build; it must be the driver's, or the bits might differ");
    visit("name", m.name, "of the host, or as --name says");
    visit("process", m.process, "process id there; (name, process) tells nodes apart");
    visit("endpoint", m.endpoint, "where the node receives messages of the round protocol");
    visit("roles", m.roles, "accepted: 1 scheduler, 2 worker, 3 both");
    visit("simd", m.simd, "best instruction set of its kernels");
    visit("threads", m.threads, "that will execute tasks");
    visit("memory", m.memory, "bytes of the machine");
    visit("key", m.key,
          "public key of the node, made for this run: from WELCOME on it is known by it; empty: --insecure");
  }
  friend bool operator==(const Hello&, const Hello&) = default;
};

struct Welcome {
  static constexpr std::uint8_t kType = 10;
  static constexpr const char* kName = "Welcome";
  static constexpr const char* kSays =
      "driver -> node: all nodes are here; the cluster's first run begins. The header carries the cluster's id";
  std::uint32_t rank = 0;
  std::uint32_t incarnation = 0;
  double lease = 0;
  std::string simd;
  std::string program;
  std::string config;
  std::string folder;
  std::vector<std::uint32_t> schedulers;
  std::vector<std::uint32_t> workers;
  std::string driver;
  std::string endpoints;
  std::vector<std::uint32_t> incarnations;
  std::string keys;
  std::uint8_t waits = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("rank", m.rank, "of this node, counted from 0: as `--expect` names them, others in the order of joining");
    visit("incarnation", m.incarnation, "of this node; others are not listened to");
    visit("lease", m.lease, "seconds without a word of the driver after which the node ends");
    visit("simd", m.simd, "instruction set that all nodes use");
    visit("program", m.program, "whose options `config` holds, e.g. lasso fit");
    visit("config", m.config, "the driver's effective options, as a config file");
    visit("folder", m.folder, "the driver's working directory: relative paths of `config` begin there");
    visit("schedulers", m.schedulers, "rank of the node of scheduler s, for each s");
    visit("workers", m.workers, "rank of the node of worker w, for each w");
    visit("driver", m.driver, "where the driver receives messages of the round protocol");
    visit("endpoints", m.endpoints, "of all nodes, by rank, one a line");
    visit("incarnations", m.incarnations, "of all nodes, by rank");
    visit("keys", m.keys, "public keys of all nodes, by rank, and the driver's, one a line; empty: --insecure");
    visit("waits", m.waits, "1: no run begins with it; the node maps the data, and takes part from the next OPEN on");
  }
  friend bool operator==(const Welcome&, const Welcome&) = default;
};

struct Loaded {
  static constexpr std::uint8_t kType = 11;
  static constexpr const char* kName = "Loaded";
  static constexpr const char* kSays =
      "node -> driver: the data are mapped, or why they are not; repeated until READY counts";
  std::uint32_t run = 0;
  std::uint64_t fingerprint = 0;
  std::uint8_t code = 0;
  std::string error;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("run", m.run, "whose data these are");
    visit("fingerprint", m.fingerprint, "of the data that this node sees; all must agree");
    visit("code", m.code, "0, or the exit code that belongs to `error`");
    visit("error", m.error, "why the data could not be read; empty when they could");
  }
  friend bool operator==(const Loaded&, const Loaded&) = default;
};

struct Beat {
  static constexpr std::uint8_t kType = 12;
  static constexpr const char* kName = "Beat";
  static constexpr const char* kSays = "node <-> driver: alive; every second, on sockets of their own";
  std::uint64_t number = 0;
  std::vector<std::uint32_t> runs;
  std::vector<Version> versions;
  std::vector<std::uint32_t> phases;
  std::uint8_t stage = 0;
  std::uint64_t updates = 0;
  std::uint64_t blocks = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> refused;
  std::vector<std::uint32_t> accused;
  std::vector<std::uint32_t> grounds;
  std::uint64_t repeated = 0;
  std::uint64_t second_workers = 0;
  std::vector<std::uint32_t> late;
  double seconds_running = 0;
  double seconds_waiting = 0;
  double seconds_busy = 0;
  std::uint64_t memory_peak = 0;
  std::uint64_t data_mapped = 0;
  std::uint64_t data_resident = 0;
  std::vector<std::uint32_t> unreachable;
  std::uint32_t peers = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("number", m.number, "counts the beats of the sender; the driver answers with the same");
    visit("runs", m.runs, "numbers of the runs that the sender holds; of others nothing may be forgotten");
    visit("versions", m.versions, "of its replica of each of them; from the driver: that every node has reached");
    visit("phases", m.phases, "of each, verdicts that the sender has taken; from the driver: that every node has");
    visit("stage", m.stage, "0 joining, 1 loading, 2 scanning, 3 running, 4 stopped, 5 leaving: the totals are final");
    visit("updates", m.updates, "coordinate updates computed by this node's blocks, of all runs");
    visit("blocks", m.blocks, "computed by this node, of all runs");
    visit("messages", m.messages, "of the round protocol, sent to other processes");
    visit("bytes", m.bytes, "of these messages, frames as sent");
    visit("refused", m.refused, "what it did not take, by kind, in the order of include/strads/base/refusals.hpp");
    visit("accused", m.accused, "ranks of processes that sent the node three messages that no process of a run sends");
    visit("grounds", m.grounds, "what was wrong with the third message of each, by its number there");
    visit("repeated", m.repeated, "messages that were sent again after a quiet interval");
    visit("second_workers", m.second_workers,
          "times that its schedulers asked one more worker for a block whose node was late, in all runs");
    visit("late", m.late, "ranks of these nodes");
    visit("seconds_running", m.seconds_running, "in which a run was between its START and its end");
    visit("seconds_waiting", m.seconds_waiting, "in which a turn had come and its plan was not ready");
    visit("seconds_busy", m.seconds_busy, "in which a task ran");
    visit("memory_peak", m.memory_peak, "most bytes that the process ever held, mapped pages included");
    visit("data_mapped", m.data_mapped, "bytes of mapped data files");
    visit("data_resident", m.data_resident, "bytes of them that are in this process's memory");
    visit("unreachable", m.unreachable,
          "ranks (the driver's is 2^32 - 2) that were never reached on their data endpoints");
    visit("peers", m.peers, "nodes that the sender knows: of later ranks the driver tells it (PEER)");
  }
  friend bool operator==(const Beat&, const Beat&) = default;
};

struct Roster {
  static constexpr std::uint8_t kType = 13;
  static constexpr const char* kName = "Roster";
  static constexpr const char* kSays =
      "driver -> node: the workers were dealt anew, since a node went silent, came back or leaves";
  std::uint64_t number = 0;
  std::vector<std::uint32_t> workers;
  std::vector<std::uint32_t> lost;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("number", m.number, "counts the rosters of a run; an older one is dropped");
    visit("workers", m.workers, "rank of the node of worker w, for each w");
    visit("lost", m.lost, "ranks of nodes that do not come back: nothing is sent to them any more");
  }
  friend bool operator==(const Roster&, const Roster&) = default;
};

struct Leave {
  static constexpr std::uint8_t kType = 14;
  static constexpr const char* kName = "Leave";
  static constexpr const char* kSays =
      "node <-> driver: goodbye. From the driver: the run is over; the node answers with a last BEAT and LEAVE, "
      "repeated until that BEAT is answered";
  std::uint8_t code = 0;
  std::string reason;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("code", m.code, "exit code of the run, or of the node that leaves");
    visit("reason", m.reason, "host, rank and cause; empty when all went well");
  }
  friend bool operator==(const Leave&, const Leave&) = default;
};

struct Open {
  static constexpr std::uint8_t kType = 17;
  static constexpr const char* kName = "Open";
  static constexpr const char* kSays =
      "driver -> node: another run of the cluster begins, or one goes on from its checkpoint under a new number; "
      "repeated until the node has LOADED it";
  std::uint32_t run = 0;
  std::uint32_t place = 0;
  std::uint32_t turn = 0;
  std::string request;
  std::uint32_t replaces = kNoRun;
  std::uint32_t nodes = 0;
  std::uint64_t roster = 0;
  std::vector<std::uint32_t> schedulers;
  std::vector<std::uint32_t> workers;
  std::uint32_t parts = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("run", m.run, "its number: 1, 2 ...; none is given twice");
    visit("place", m.place, "which of the program's runs it is; 0: that of WELCOME");
    visit("turn", m.turn, "its roles live this many ranks further round than those of the cluster");
    visit("request", m.request, "the program's: what the run is, and what it needs of another");
    visit("replaces", m.replaces,
          "number of the run that ends here, since this one goes on in its place; 2^32 - 1: none");
    visit("nodes", m.nodes, "that take part: ranks 0 ... nodes - 1");
    visit("roster", m.roster,
          "number of the ROSTER that the next two lists are from; older ones are of no use any more");
    visit("schedulers", m.schedulers, "of the cluster: rank of the node of scheduler s, for each s");
    visit("workers", m.workers, "of the cluster: rank of the node of worker w, for each w");
    visit("parts", m.parts, "of its snapshot, to be fetched; 0: the run begins anew");
  }
  friend bool operator==(const Open&, const Open&) = default;
};

/// A node asks for one part after the other, so that a snapshot of any size takes no more of a connection than that,
/// and a part that was lost is asked for again.
struct Fetch {
  static constexpr std::uint8_t kType = 21;
  static constexpr const char* kName = "Fetch";
  static constexpr const char* kSays = "node -> driver: the next part of a run's snapshot; repeated until it comes";
  std::uint32_t run = 0;
  std::uint32_t part = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("run", m.run, "its number");
    visit("part", m.part, "from 0; those before are here");
  }
  friend bool operator==(const Fetch&, const Fetch&) = default;
};

struct Part {
  static constexpr std::uint8_t kType = 22;
  static constexpr const char* kName = "Part";
  static constexpr const char* kSays = "driver -> node: what it asked for";
  std::uint32_t run = 0;
  std::uint32_t part = 0;
  std::string bytes;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("run", m.run, "its number");
    visit("part", m.part, "from 0");
    visit("bytes", m.bytes, "of SNAPSHOT and each MEMORY, encoded, one after the other; 512 KiB at most");
  }
  friend bool operator==(const Part&, const Part&) = default;
};

struct Peer {
  static constexpr std::uint8_t kType = 23;
  static constexpr const char* kName = "Peer";
  static constexpr const char* kSays =
      "driver -> node: another node has joined since WELCOME; repeated until a BEAT counts it";
  std::uint32_t rank = 0;
  std::string endpoint;
  std::uint32_t incarnation = 0;
  std::string key;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("rank", m.rank, "the next one: as many nodes as it says are known already");
    visit("endpoint", m.endpoint, "where it receives messages of the round protocol");
    visit("incarnation", m.incarnation, "of this node; others are not listened to");
    visit("key", m.key, "its public key; empty: --insecure");
  }
  friend bool operator==(const Peer&, const Peer&) = default;
};

/// Of a run with --trace-times. Clocks of processes differ: the file has each one's own, and who reads it compares what
/// was sent with what was taken.
struct Times {
  static constexpr std::uint8_t kType = 25;
  static constexpr const char* kName = "Times";
  static constexpr const char* kSays =
      "driver -> node, after WELCOME, with nothing in it: note your times. node -> driver, before a BEAT: those noted "
      "since the last one, in lists of one length";
  std::vector<std::uint32_t> what;
  std::vector<std::uint32_t> runs;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> indices;
  std::vector<std::uint32_t> who;
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;
  std::uint64_t lost = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("what", m.what,
          "below 32 a kind of task; 32 and the type of a message that was sent, 64 and that of one taken");
    visit("runs", m.runs, "number of its run");
    visit("numbers", m.numbers, "of the round, the phase or the beat, modulo 2^32");
    visit("indices", m.indices, "of a block in its round, of a slice's scheduler; else 0");
    visit("who", m.who, "of a task: its worker or scheduler; of a message: rank of the other process");
    visit("begins", m.begins, "nanoseconds of the sender's steady clock");
    visit("ends", m.ends, "the same; of a message: its begin");
    visit("lost", m.lost, "so many found no room");
  }
  friend bool operator==(const Times&, const Times&) = default;
};

struct Close {
  static constexpr std::uint8_t kType = 18;
  static constexpr const char* kName = "Close";
  static constexpr const char* kSays =
      "driver -> node: every node has taken the last verdict of this run; repeated until no BEAT names it";
  std::uint32_t run = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("run", m.run, "nobody asks for anything of it any more");
  }
  friend bool operator==(const Close&, const Close&) = default;
};

struct Reject {
  static constexpr std::uint8_t kType = 15;
  static constexpr const char* kName = "Reject";
  static constexpr const char* kSays = "driver -> stranger: why a message was refused";
  std::string reason;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("reason", m.reason, "what was found, what was expected");
  }
  friend bool operator==(const Reject&, const Reject&) = default;
};

struct Resend {
  static constexpr std::uint8_t kType = 16;
  static constexpr const char* kName = "Resend";
  static constexpr const char* kSays =
      "node -> every scheduler and coordinator: nothing has come for a while; what is missing";
  std::uint32_t node = 0;
  std::uint8_t started = 0;
  Version version = -1;
  std::uint32_t phases = 0;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& visit) {
    visit("node", m.node, "rank of the node that asks");
    visit("started", m.started, "1: it has START");
    visit("version", m.version, "its last commit: later ones are missing");
    visit("phases", m.phases, "verdicts that it has: later ones are missing");
  }
  friend bool operator==(const Resend&, const Resend&) = default;
};

}  // namespace strads::wire
