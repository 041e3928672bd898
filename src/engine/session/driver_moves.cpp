// The driver's second half: checkpoints of the runs, and how they go on elsewhere: every run that has not ended is
// replaced by one with a new number, which begins at the old one's checkpoint on the nodes that are there. What still
// comes of the old number is nobody's: late returners are fenced by it.
#include <algorithm>
#include <map>

#include "engine/session/driver_session.hpp"

namespace strads::engine {
namespace {

constexpr double kCheckpointBytesASecond = 2e7;  ///< of replicas: what is sent for them is little beside the run
constexpr double kGatherSeconds = 1;             ///< for all nodes to say what they hold
constexpr double kDifferSeconds = 2;             ///< until those who have not said what they hold are not waited for

std::size_t bytes_of(const Payload& payload) {
  std::size_t bytes = payload.ids.size() * sizeof(VarId) + payload.values.size() * sizeof(double);
  for (const SharedFloats& floats : payload.bulk) bytes += floats.size() * sizeof(float);
  return bytes;
}

}  // namespace

// --- checkpoints ---

/// Who gives the replica of a checkpoint at this barrier, if one is to be made.
std::optional<std::uint32_t> DriverSession::keeper_at(std::uint32_t place, Version version) {
  Record& record = records_[place];
  // One that is on its way is not thrown away for another, unless something of it was lost.
  const Coordinator::Gathered* open = run_of(place)->coordinator->gathered();
  if (open != nullptr && !open->taken && now_ - record.asked < kGatherSeconds) return std::nullopt;
  const bool asked_for = checkpoint_due && checkpoint_due(place, version);
  if (!asked_for && !moving_since_.has_value() && now_ - record.asked < record.pause) return std::nullopt;
  const std::uint32_t nodes = run_of(place)->roster.nodes;
  for (std::uint32_t rank = 0; rank < nodes; ++rank) {
    const Member& member = membership_.members()[rank];
    if (member.lost || member.silent) continue;
    record.asked = now_;
    return rank;
  }
  return std::nullopt;
}

void DriverSession::look_at_checkpoints(DriverRun& held) {
  if (held.coordinator == nullptr || held.end.has_value()) return;
  const Coordinator::Gathered* gathered = held.coordinator->gathered();
  if (gathered == nullptr) return;
  bool all = true, same = true;
  std::optional<std::uint64_t> hash;
  for (std::uint32_t rank = 0; rank < held.roster.nodes; ++rank) {
    const Member& member = membership_.members()[rank];
    const auto said = gathered->hashes.find(rank);
    if (member.lost) continue;
    if (said == gathered->hashes.end()) {  // one that is silent may come back, with another hash
      all = false;
      continue;
    }
    same = same && hash.value_or(said->second) == said->second;
    hash = said->second;
  }
  if (!same) {
    if (!held.differs_since.has_value()) held.differs_since = now_;
    if (all || now_ - *held.differs_since > kDifferSeconds) on_difference(held, *gathered);
    return;
  }
  if (!all || !gathered->whole() || gathered->taken) return;
  Record& record = records_[held.place];
  record.checkpoint = std::make_shared<const RunCheckpoint>(held.coordinator->take_gathered());
  record.made = record.asked;
  record.pause =
      std::max(Record{}.pause, static_cast<double>(bytes_of(record.checkpoint->replica)) / kCheckpointBytesASecond);
  requests.checkpoints.emplace_back(held.place, record.checkpoint);
}

/// A replica is a function of data and commits: one that differs was damaged, by its memory or by a bug. Rounds since
/// the last checkpoint may have been computed on it.
void DriverSession::on_difference(DriverRun& held, const Coordinator::Gathered& gathered) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_hash;
  std::size_t count = 0;
  for (const auto& [rank, hash] : gathered.hashes) {
    if (membership_.members()[rank].lost) continue;
    by_hash[hash].push_back(rank);
    ++count;
  }
  const std::string where = "version " + std::to_string(gathered.version);
  const auto most = std::max_element(by_hash.begin(), by_hash.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  moves_now_ = true;
  held.differs_since.reset();
  if (2 * most->second.size() > count) {
    for (const auto& [hash, ranks] : by_hash) {
      if (hash == most->first) continue;
      for (const std::uint32_t rank : ranks)
        carry_out(membership_.expel(rank, "its replica of " + where + " differs from those of the others"));
    }
    return;
  }
  std::string who;
  for (const auto& [hash, ranks] : by_hash)
    who += (who.empty() ? "" : " and ") + member_text(ranks.front(), membership_.members()[ranks.front()]);
  Record& record = records_[held.place];
  if (record.differed_at == gathered.version) {
    return fail(Status::internal("the replicas of " + who + " differ at " + where +
                                 ", again after going back; please report it, and check the memory of these hosts"));
  }
  record.differed_at = gathered.version;
  requests.notes.push_back(
      {"the replicas of " + who + " differ at " + where + "; the runs go back to their last checkpoints", true});
}

// --- going on elsewhere ---

void DriverSession::look_for_moves() {
  if (first_fingerprint_.has_value()) {
    for (std::uint32_t rank = nodes_; rank < membership_.size(); ++rank)
      carry_out(membership_.compare_late(rank, *first_fingerprint_));
  }
  if (!membership_.wants_move()) {
    moving_since_.reset();
  } else if (!moving_since_.has_value()) {
    moving_since_ = now_;
  }
  if (moving_since_.has_value() && !membership_.works()) moves_now_ = true;
  if (moves_now_ || (moving_since_.has_value() && all_made_checkpoints())) move();
  for (const std::uint32_t rank : membership_.let_go()) {
    tell(rank, membership_.too_late(rank));
    requests.drop.push_back(rank);
    requests.notes.push_back({member_text(rank, membership_.members()[rank]) + " has left", false});
  }
}

bool DriverSession::all_made_checkpoints() const {
  return std::all_of(runs_.begin(), runs_.end(), [this](const auto& each) {
    const DriverRun& held = each.second;
    const auto record = records_.find(held.place);
    return held.end.has_value() || held.coordinator == nullptr ||
           (record != records_.end() && record->second.checkpoint != nullptr && record->second.made >= *moving_since_);
  });
}

void DriverSession::move() {
  moves_now_ = false;
  moving_since_.reset();
  ++moved_;
  if (Status moved = membership_.move(); !moved.ok()) return fail(std::move(moved));
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, each] : runs_) numbers.push_back(number);
  for (const std::uint32_t number : numbers) {
    if (const DriverRun& old = runs_.at(number); !old.end.has_value()) {
      go_on_elsewhere(old);
      continue;
    }
    // Of one that has ended nobody need hear more: a node that lacks its last verdict lets it go.
    membership_.forget_run(number);
    runs_.erase(number);
  }
  // Behind the requests: it is about runs that none of these replaces.
  tell_requests(now_);
  carry_out(membership_.on_quiet());
}

/// `old` is gone afterwards.
void DriverSession::go_on_elsewhere(const DriverRun& old) {
  const std::uint32_t number = next_number_++;
  DriverRun& opened = runs_[number];
  opened.number = number;
  opened.place = old.place;
  opened.turn = old.turn;
  opened.engine = old.engine;
  opened.roster = membership_.roster();
  opened.model = old.model;
  opened.fingerprint = old.fingerprint;
  opened.may_judge = old.may_judge;
  begin_from(opened, records_[old.place].checkpoint);
  opened.request = request_of(opened, old.number, old.request.has_value() ? old.request->request : first_request_);
  const std::string rounds =
      opened.from == nullptr ? "the beginning" : "round " + std::to_string(opened.from->totals.rounds);
  const std::size_t count = opened.roster.scheduler_nodes().size();
  if (first_has_begun_)
    requests.notes.push_back({"run " + std::to_string(old.place) + " goes on from " + rounds + " on " +
                                  std::to_string(count) + (count == 1 ? " node" : " nodes") + " with schedulers",
                              false});
  membership_.forget_run(old.number);
  runs_.erase(old.number);
}

void DriverSession::begin_from(DriverRun& opened, std::shared_ptr<const RunCheckpoint> from) {
  records_[opened.place].checkpoint = from;
  opened.from = std::move(from);
  if (opened.from != nullptr) opened.snapshot = encode_snapshot(part_of_node(*opened.from));
}

wire::Open DriverSession::request_of(const DriverRun& held, std::uint32_t replaces, std::string request) const {
  wire::Open open;
  open.run = held.number;
  open.place = held.place;
  open.turn = held.turn;
  open.request = std::move(request);
  open.replaces = replaces;
  open.nodes = held.roster.nodes;
  open.roster = membership_.roster_number();
  open.schedulers = held.roster.schedulers;
  open.workers = membership_.workers_now();
  open.parts = parts_of(held.snapshot.size());
  return open;
}

// --- what is told of the runs ---

/// A run that goes back tells again what it told before.
std::vector<ProgressEvent> DriverSession::take_progress(DriverRun& of) {
  Record& record = records_[of.place];
  std::vector<ProgressEvent> news;
  for (ProgressEvent& event : std::exchange(of.effects.progress, {})) {
    bool is_new = false;
    switch (event.kind) {
      case ProgressEvent::Kind::started:
        is_new = !std::exchange(record.started, true);
        break;
      case ProgressEvent::Kind::commit:
        is_new = event.version > record.version;
        record.version = std::max(record.version, event.version);
        break;
      case ProgressEvent::Kind::barrier:
        is_new = event.phase > record.phase;
        record.phase = std::max(record.phase, event.phase);
        break;
    }
    if (is_new) news.push_back(std::move(event));
  }
  return news;
}

}  // namespace strads::engine
