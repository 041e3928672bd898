#include "sim/faults.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/session/members.hpp"
#include "strads/base/status.hpp"

namespace strads::sim {
namespace {

constexpr double kKindShare = 0.35;  ///< of the seeds that have a kind at all
/// Of the seeds, in which such a process is lost. Both kinds must hit a round in flight 100 times in the 2,000 seeds of
/// CI; at 0.14 schedulers did so 100 times and no more.
constexpr double kSchedulerLossShare = 0.18, kDriverLossShare = 0.14;
constexpr double kDamageShare = 0.5;        ///< of the seeds: many have no checkpoint afterwards
constexpr std::uint64_t kDamageStream = 9;  ///< of its own random numbers, so that the other faults stay what they are
constexpr double kAllLeaveShare = 0.16;     ///< of the seeds without a driver loss
constexpr double kAllLeaveStartShare = 0.15;
constexpr double kAllLeaveHorizon = 0.5;  ///< of the time in which faults begin: later many runs have ended
constexpr double kAllLeaveMost = 0.1;     ///< of the lease: between the first and the last that is asked
constexpr std::uint64_t kAllLeaveStream = 11;
constexpr double kDelayShareMost = 0.2;  ///< of the messages
constexpr double kDuplicateShareMost = 0.2;
/// Small, so that not all beats of a third of the lease are lost by chance: that would be a loss.
constexpr double kLossShareMost = 0.01;
constexpr double kLooksSeconds = 0.15;  ///< until the driver has noticed that all are there, and that all have loaded
constexpr double kStartShare = 0.3;     ///< of the moments: while nodes join and load
/// Of the messages of the start. They are repeated, and nobody is lost for two beats that did not come.
constexpr double kStartLossShareMost = 0.2;
constexpr double kDelayMost = 0.03;      ///< of the lease: the longest delay of one message
constexpr double kLinkDelayMost = 0.02;  ///< of the lease: of all messages of one link
constexpr double kSlowMost = 20;
constexpr int kOutagesMost = 4;
constexpr double kPause = 0.35;  ///< of the lease, between two outages: beats come through
constexpr double kCutMost = 1.0 / 15;
constexpr double kShortMost = 0.1;                         ///< of the lease: shorter than what counts as silence
constexpr double kSilentLeast = 0.24, kSilentMost = 0.45;  ///< silent and back again
constexpr double kLostLeast = 1.2, kLostMost = 1.8;

constexpr std::uint32_t bit(FaultKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

engine::Roster roster_of(const SimulationOptions& options) {
  std::vector<engine::Member> members(options.nodes.size());
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const SimulatedNode& node = options.nodes[rank];
    members[rank].hello.roles = static_cast<std::uint8_t>((node.schedules ? wire::kAcceptsScheduler : 0) |
                                                          (node.works ? wire::kAcceptsWorker : 0));
  }
  return engine::deal_roles(members, options.engine).value();
}

std::string percent(double share) {
  const auto tenths = std::llround(share * 1000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

}  // namespace

std::string milliseconds(double seconds) {
  const auto tenths = std::llround(seconds * 1e4);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
}

const char* fault_name(FaultKind kind) {
  static constexpr std::array<const char*, kFaultKinds> kNames{
      "delay",  "reorder", "duplicate", "loss",           "cut",         "partition", "crash",    "restart",
      "freeze", "slow",    "leave",     "scheduler loss", "driver loss", "damage",    "all leave"};
  return kNames[static_cast<std::size_t>(kind)];
}

// --- what is drawn ---

FaultPlan::FaultPlan(const SimulationOptions& options)
    : random_(options.seed, Purpose::faults, 2),
      messages_(options.seed, Purpose::faults, 3),
      processes_(static_cast<std::uint32_t>(options.nodes.size()) + 1),
      lease_(options.lease_seconds),
      horizon_(options.faults.horizon_seconds),
      start_(options.start.enabled ? options.start.spread_seconds + options.start.load_seconds + kLooksSeconds : 0),
      losing_schedulers_(options.faults.losing_schedulers),
      roster_(roster_of(options)),
      doomed_(options.nodes.size(), false),
      link_delay_(std::size_t{processes_} * processes_, 0.0),
      slowdown_(processes_, 1.0) {
  for (const SimulatedNode& node : options.nodes) works_.push_back(node.works);
  for (const SimulatedNode& node : options.nodes) schedules_.push_back(node.schedules);
  for (std::size_t kind = 0; kind < static_cast<std::size_t>(FaultKind::scheduler_loss); ++kind) {
    if (random_.unit() < kKindShare) kinds_ |= bit(static_cast<FaultKind>(kind));
  }
  draw_messages();
  draw_crashes();
  draw_outages();
  draw_end();
  draw_damage(options.seed);
  draw_all_leave(options.seed);
  if (start_ > 0 && random_.unit() < kKindShare) start_loss_share_ = between(0.02, kStartLossShareMost);
  std::stable_sort(timed_.begin(), timed_.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
}

void FaultPlan::draw_messages() {
  if (has(FaultKind::delay)) {
    delay_share_ = between(0.01, kDelayShareMost);
    delay_most_ = between(0.1, 1) * kDelayMost * lease_;
  }
  if (has(FaultKind::duplicate)) duplicate_share_ = between(0.01, kDuplicateShareMost);
  if (has(FaultKind::loss)) loss_share_ = between(0.001, kLossShareMost);
  if (has(FaultKind::reorder)) {
    const double most = between(0.05, 1) * kLinkDelayMost * lease_;
    for (double& delay : link_delay_) delay = random_.unit() < 0.5 ? 0 : between(0, most);
  }
  if (has(FaultKind::slow)) {
    const auto rank = static_cast<std::uint32_t>(random_.below(processes_ - 1));
    slowdown_[rank] = between(2, kSlowMost);
  }
}

/// Those without whom somebody is left who accepts schedulers, and somebody who accepts workers.
std::vector<std::uint32_t> FaultPlan::expendable() const {
  std::uint32_t workers = 0, schedulers = 0;
  for (std::uint32_t rank = 0; rank + 1 < processes_; ++rank) {
    workers += works_[rank] && !doomed_[rank] ? 1U : 0U;
    schedulers += schedules_[rank] && !doomed_[rank] ? 1U : 0U;
  }
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank + 1 < processes_; ++rank) {
    const bool last = (works_[rank] && workers == 1) || (schedules_[rank] && schedulers == 1);
    if (!last && !doomed_[rank]) ranks.push_back(rank);
  }
  return ranks;
}

/// Either while nodes join and load, or up to `most` seconds afterwards.
double FaultPlan::moment(double most) {
  if (start_ == 0) return between(0, most);
  return random_.unit() < kStartShare ? between(0, start_) : start_ + between(0, most);
}

void FaultPlan::draw_crashes() {
  for (const FaultKind kind : {FaultKind::crash, FaultKind::restart, FaultKind::leave}) {
    if (!has(kind)) continue;
    const auto ranks = expendable();
    if (ranks.empty()) continue;
    TimedFault fault;
    fault.at = moment(horizon_);
    fault.kind = kind;
    fault.rank = ranks[random_.below(ranks.size())];
    if (kind == FaultKind::restart) fault.lasts = between(0.01, 0.6) * lease_;
    doomed_[fault.rank] = true;
    timed_.push_back(fault);
  }
}

void FaultPlan::draw_outages() {
  std::vector<FaultKind> kinds;
  for (const FaultKind kind : {FaultKind::cut, FaultKind::partition, FaultKind::freeze}) {
    if (has(kind)) kinds.push_back(kind);
  }
  if (kinds.empty()) return;
  double at = moment(0.5 * horizon_);
  for (int i = 0; i < kOutagesMost && at < start_ + horizon_; ++i) {
    // The first ones are one of each: later ones often come after the end.
    const auto which = static_cast<std::size_t>(i) < kinds.size()
                           ? static_cast<std::size_t>(i)
                           : static_cast<std::size_t>(random_.below(kinds.size()));
    double lasts = 0;
    if (kinds[which] == FaultKind::cut) cut(at, &lasts);
    if (kinds[which] == FaultKind::partition) part(at, &lasts);
    if (kinds[which] == FaultKind::freeze) freeze(at, &lasts);
    at += lasts + (kPause + between(0, 0.3)) * lease_;
  }
}

double FaultPlan::outage_seconds(bool may_be_lost) {
  const double what = random_.unit();
  if (may_be_lost && what < 0.1) return between(kLostLeast, kLostMost) * lease_;
  if (what < 0.7) return between(kSilentLeast, kSilentMost) * lease_;
  return between(0.005, kShortMost) * lease_;
}

void FaultPlan::freeze(double at, double* lasts) {
  TimedFault fault{at, FaultKind::freeze, any_process(), 0, 0};
  const auto ranks = expendable();
  const bool may_be_lost = std::find(ranks.begin(), ranks.end(), fault.rank) != ranks.end();
  *lasts = fault.lasts = outage_seconds(may_be_lost);
  if (fault.lasts > lease_) doomed_[fault.rank] = true;
  timed_.push_back(fault);
}

void FaultPlan::cut(double at, double* lasts) {
  TimedFault fault{at, FaultKind::cut, any_process(), 0, 0};
  fault.peer = (fault.rank + 1 + static_cast<std::uint32_t>(random_.below(processes_ - 1))) % processes_;
  *lasts = fault.lasts = between(0.05, 1) * kCutMost * lease_;
  cuts_.push_back(fault);
  timed_.push_back(fault);
}

void FaultPlan::part(double at, double* lasts) {
  Partition partition{at, 0, std::vector<bool>(processes_, false), random_.unit() < 0.5};
  const std::uint32_t first = any_process();
  partition.inside[first] = true;
  const auto ranks = expendable();
  bool may_be_lost = std::find(ranks.begin(), ranks.end(), first) != ranks.end();
  if (!may_be_lost) {  // more than one process may stand apart
    for (std::uint32_t rank = 0; rank < processes_; ++rank) {
      if (random_.unit() < 0.3) partition.inside[rank] = true;
    }
  }
  if (std::all_of(partition.inside.begin(), partition.inside.end(), [](bool in) { return in; })) {
    partition.inside[(first + 1) % processes_] = false;
  }
  *lasts = partition.lasts = outage_seconds(may_be_lost);
  if (partition.lasts > lease_) doomed_[first] = true;
  timed_.push_back({at, FaultKind::partition, first, 0, partition.lasts});
  partitions_.push_back(std::move(partition));
}

void FaultPlan::draw_end() {
  if (!losing_schedulers_) return;
  const double what = random_.unit();
  if (what >= kSchedulerLossShare + kDriverLossShare) return;
  const bool scheduler = what < kSchedulerLossShare;
  TimedFault fault;
  fault.at = moment(0.6 * horizon_);
  fault.kind = scheduler ? FaultKind::scheduler_loss : FaultKind::driver_loss;
  const auto holders = roster_.scheduler_nodes();
  fault.rank = scheduler ? holders[random_.below(holders.size())] : processes_ - 1;
  const auto ranks = expendable();
  const bool others_go_on = std::find(ranks.begin(), ranks.end(), fault.rank) != ranks.end();
  if (!others_go_on) lethal_at_ = fault.at;
  kinds_ |= bit(fault.kind);
  if (scheduler) doomed_[fault.rank] = true;
  timed_.push_back(fault);
}

/// The driver expels such a node, or goes back where it cannot know whose replica is right.
void FaultPlan::draw_damage(std::uint64_t seed) {
  CounterRng random(seed, Purpose::faults, kDamageStream);
  const auto ranks = expendable();
  if (random.unit() >= kDamageShare || ranks.empty()) return;
  TimedFault fault;
  fault.at = random.unit() * 0.5 * horizon_;
  fault.kind = FaultKind::damage;
  fault.rank = ranks[random.below(ranks.size())];
  doomed_[fault.rank] = true;
  kinds_ |= bit(fault.kind);
  timed_.push_back(fault);
}

/// As scancel, the end of a pod or `kill` of all do. A driver that is lost ends the run as well: then it is left at
/// that.
void FaultPlan::draw_all_leave(std::uint64_t seed) {
  CounterRng random(seed, Purpose::faults, kAllLeaveStream);
  if (random.unit() >= kAllLeaveShare || has(FaultKind::driver_loss)) return;
  TimedFault fault;
  fault.kind = FaultKind::all_leave;
  const bool early = random.unit() < kAllLeaveStartShare;
  fault.at = random.unit() * (early ? start_ : kAllLeaveHorizon * horizon_) + (early ? 0 : start_);
  fault.peer = random.unit() < 0.5 ? processes_ : processes_ - 1;
  fault.rank = static_cast<std::uint32_t>(random.below(fault.peer));
  if (random.unit() < 0.5) fault.lasts = random.unit() * kAllLeaveMost * lease_;
  kinds_ |= bit(fault.kind);
  timed_.push_back(fault);
}

// --- what is asked ---

Fate FaultPlan::fate(std::uint32_t from, std::uint32_t to, double now) {
  Fate fate;
  // Always the same number of draws a message: what one kind does leaves the others where they are.
  const double spike = messages_.unit();
  const double length = messages_.unit();
  const double twice = messages_.unit();
  const double second = messages_.unit();
  const double lost = messages_.unit();
  fate.delay = link_delay_[std::size_t{from} * processes_ + to];
  if (fate.delay > 0) fate.kinds |= bit(FaultKind::reorder);
  if (spike < delay_share_) {
    fate.delay += length * delay_most_;
    fate.kinds |= bit(FaultKind::delay);
  }
  const auto wait_until = [&](double end) { fate.delay = std::max(fate.delay, end - now); };
  for (const TimedFault& cut : cuts_) {
    const bool this_link = (cut.rank == from && cut.peer == to) || (cut.rank == to && cut.peer == from);
    if (!this_link || now < cut.at || now >= cut.at + cut.lasts) continue;
    wait_until(cut.at + cut.lasts);  // it is queued until there is a connection again
    fate.kinds |= bit(FaultKind::cut);
  }
  for (const Partition& partition : partitions_) {
    if (partition.inside[from] == partition.inside[to]) continue;
    if (now < partition.at || now >= partition.at + partition.lasts) continue;
    fate.kinds |= bit(FaultKind::partition);
    fate.lost = fate.lost || partition.loses;
    wait_until(partition.at + partition.lasts);
  }
  if (lost < loss_share_) {
    fate.lost = true;
    fate.kinds |= bit(FaultKind::loss);
  }
  if (!fate.lost && twice < duplicate_share_) {
    fate.duplicated = true;
    fate.second_delay = fate.delay + second * kDelayMost * lease_;
    fate.kinds |= bit(FaultKind::duplicate);
  }
  return fate;
}

bool FaultPlan::loses_start_word(std::uint8_t type) {
  const bool of_the_start = type == wire::Hello::kType || type == wire::Welcome::kType || type == wire::Loaded::kType ||
                            type == wire::Beat::kType;
  return of_the_start && start_loss_share_ > 0 && messages_.unit() < start_loss_share_;
}

bool FaultPlan::cut_between(std::uint32_t a, std::uint32_t b, double from, double to) const {
  return std::any_of(cuts_.begin(), cuts_.end(), [&](const TimedFault& cut) {
    const bool this_link = (cut.rank == a && cut.peer == b) || (cut.rank == b && cut.peer == a);
    return this_link && from < cut.at && cut.at <= to;
  });
}

double FaultPlan::partitioned_for(std::uint32_t a, std::uint32_t b, double now) const {
  double until = now;
  for (const Partition& partition : partitions_) {  // one after the other
    if (partition.inside[a] == partition.inside[b]) continue;
    if (partition.at <= until && until < partition.at + partition.lasts) until = partition.at + partition.lasts;
  }
  return until - now;
}

// --- for people ---

std::vector<std::string> FaultPlan::lines() const {
  const auto process_text = [this](std::uint32_t rank) {
    return rank + 1 == processes_ ? "the driver" : "node " + std::to_string(rank);
  };
  std::string kinds;
  for (std::size_t kind = 0; kind < kFaultKinds; ++kind) {
    const auto which = static_cast<FaultKind>(kind);
    if (has(which)) kinds += (kinds.empty() ? "" : ", ") + std::string(fault_name(which));
  }
  std::vector<std::string> lines{"kinds: " + (kinds.empty() ? "none" : kinds)};
  if (has(FaultKind::delay)) {
    lines.push_back("delay: " + percent(delay_share_) + " of the messages, up to " + milliseconds(delay_most_));
  }
  if (has(FaultKind::reorder)) {
    const double most = *std::max_element(link_delay_.begin(), link_delay_.end());
    lines.push_back("reorder: links differ by up to " + milliseconds(most));
  }
  if (has(FaultKind::duplicate)) lines.push_back("duplicate: " + percent(duplicate_share_) + " of the messages");
  if (has(FaultKind::loss)) lines.push_back("loss: " + percent(loss_share_) + " of the messages");
  if (start_loss_share_ > 0) lines.push_back("loss: " + percent(start_loss_share_) + " of the messages of the start");
  for (std::uint32_t rank = 0; rank < processes_; ++rank) {
    if (slowdown_[rank] == 1) continue;
    const auto tenths = static_cast<std::uint64_t>(slowdown_[rank] * 10);
    lines.push_back("slow: " + process_text(rank) + " by a factor of " + std::to_string(tenths / 10) + "." +
                    std::to_string(tenths % 10));
  }
  std::size_t partition = 0;
  for (const TimedFault& fault : timed_) {
    std::string line = std::string(fault_name(fault.kind)) + ": ";
    if (fault.kind == FaultKind::partition) {
      std::string inside;
      const auto& set = partitions_[partition].inside;
      for (std::uint32_t rank = 0; rank < processes_; ++rank) {
        if (set[rank]) inside += (inside.empty() ? "" : ", ") + process_text(rank);
      }
      line += inside + " from the others; messages " + (partitions_[partition].loses ? "are lost" : "wait");
      ++partition;
    } else {
      line += process_text(fault.rank);
      if (fault.kind == FaultKind::cut) line += " and " + process_text(fault.peer);
      if (fault.kind == FaultKind::all_leave)
        line += fault.peer == processes_ ? " first, all nodes and the driver" : " first, all nodes";
    }
    line += ", at " + milliseconds(fault.at);
    if (fault.lasts > 0) {
      line += (fault.kind == FaultKind::restart     ? ", back after "
               : fault.kind == FaultKind::all_leave ? ", within "
                                                    : ", for ") +
              milliseconds(fault.lasts);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void FaultCounts::count(const Fate& fate, std::uint8_t message_type, bool slow) {
  const bool round =
      message_type == wire::Assign::kType || message_type == wire::Deltas::kType || message_type == wire::Commit::kType;
  if (!round) return;
  for (std::size_t kind = 0; kind < kFaultKinds; ++kind) {
    // Outages are counted where they begin, not for each message that they hit.
    const auto which = static_cast<FaultKind>(kind);
    if (which == FaultKind::cut || which == FaultKind::partition) continue;
    if ((fate.kinds & bit(which)) != 0) count(which);
  }
  if (slow && message_type == wire::Deltas::kType) count(FaultKind::slow);
}

std::vector<Tally> FaultCounts::tallies() const {
  std::vector<Tally> tallies;
  for (std::size_t kind = 0; kind < kFaultKinds; ++kind) {
    tallies.push_back({fault_name(static_cast<FaultKind>(kind)), counts_[kind]});
  }
  return tallies;
}

std::vector<Tally> StartCounts::tallies() const {
  static constexpr std::array<const char*, kStartHits> kNames{"killed while joining",   "killed while loading",
                                                              "away while joining",     "away while loading",
                                                              "word of the start lost", "joined again"};
  std::vector<Tally> tallies;
  for (std::size_t hit = 0; hit < kStartHits; ++hit) tallies.push_back({kNames[hit], counts_[hit]});
  return tallies;
}

}  // namespace strads::sim
