#include "engine/many/many_payloads.hpp"

#include <algorithm>
#include <cmath>

namespace strads::engine {
namespace {

constexpr std::size_t kLengths = 3;               ///< of ids, values and bulk
constexpr double kLengthMax = 4294967296.0;       ///< more would not be a length
constexpr double kRoundMax = 1e15;                ///< so that the sum of two is exact as well
constexpr double kCountMax = 9007199254740992.0;  ///< a number that a double holds exactly

/// What stands before a job's plan.
enum JobValue : std::size_t { kJobAction, kJobFirst, kJobRounds, kJobUpdates, kJobBlocks, kJobForm, kJobValues };
enum JobForm : std::uint8_t { kFree, kJoint, kSteady, kForms };

/// What stands before a part's changes.
enum ChangeValue : std::size_t { kChangePart, kChangeStep, kChangeObjective, kChangeRealised, kChangeValues };
enum RemarkValue : std::size_t {
  kRemarkPart,
  kRemarkBlocks,
  kRemarkPredicted,
  kRemarkUpdates,
  kRemarkEnds,
  kRemarkValues
};
enum SumValue : std::size_t {
  kSumRounds,
  kSumParallelRounds,
  kSumEmptyRounds,
  kSumBlocks,
  kSumUpdates,
  kSumPredicted,
  kSumRealised,
  kSumEnded,
  kSumValues
};

bool counts_to(double value, double end) {
  return value >= 0 && value < end && value == std::floor(value);
}

template <class T>
std::vector<T> taken(const std::vector<T>& from, std::size_t& at, std::size_t count) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(at);
  at += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::uint64_t rounds_of(const Job& job) {
  return job.runs() ? job.plan.rounds_max : 0;
}

Payload encoded(const Job& job) {
  Payload payload = job.plan.content;
  JobForm form = kFree;
  if (job.plan.joint) form = kJoint;
  if (job.plan.steady) form = kSteady;
  const double head[] = {static_cast<double>(job.action),          static_cast<double>(job.first),
                         static_cast<double>(rounds_of(job)),      static_cast<double>(job.plan.updates_max),
                         static_cast<double>(job.plan.blocks_max), static_cast<double>(form)};
  payload.values.insert(payload.values.begin(), std::begin(head), std::end(head));
  return payload;
}

std::optional<Job> decoded(Payload payload) {
  if (payload.values.size() < kJobValues) return std::nullopt;
  const std::span<const double> head = payload.values;
  const bool known = counts_to(head[kJobAction], 4) && counts_to(head[kJobFirst], kRoundMax) &&
                     counts_to(head[kJobRounds], kRoundMax) && counts_to(head[kJobUpdates], kCountMax) &&
                     counts_to(head[kJobBlocks], kLengthMax) && counts_to(head[kJobForm], kForms);
  if (!known) return std::nullopt;
  Job job;
  job.action = static_cast<Job::Action>(static_cast<std::uint8_t>(head[kJobAction]));
  job.first = static_cast<Round>(head[kJobFirst]);
  job.plan.rounds_max = static_cast<std::uint64_t>(head[kJobRounds]);
  job.plan.updates_max = static_cast<std::uint64_t>(head[kJobUpdates]);
  job.plan.blocks_max = static_cast<std::uint32_t>(head[kJobBlocks]);
  job.plan.joint = head[kJobForm] == static_cast<double>(kJoint);
  job.plan.steady = head[kJobForm] == static_cast<double>(kSteady);
  if (job.runs() && (job.plan.rounds_max == 0 || job.plan.blocks_max == 0)) return std::nullopt;
  payload.values.erase(payload.values.begin(), payload.values.begin() + kJobValues);
  job.plan.content = std::move(payload);
  return job;
}

/// The first round from `from` on that belongs to the scheduler of round `like`.
Round aligned(Round from, Round like, std::uint32_t schedulers) {
  const Round period = schedulers;
  return from + (((like - from) % period) + period) % period;
}

/// Values behind a packed payload: `each` for every one of `count`; they are taken away.
std::optional<std::vector<double>> taken_from_end(Payload& payload, std::size_t count) {
  if (payload.values.size() < count) return std::nullopt;
  const auto begin = payload.values.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<double> tail(begin, payload.values.end());
  payload.values.erase(begin, payload.values.end());
  return tail;
}

}  // namespace

Payload pack(std::span<const Payload> parts) {
  Payload packed;
  packed.values.push_back(static_cast<double>(parts.size()));
  for (const Payload& part : parts) {
    for (const std::size_t length : {part.ids.size(), part.values.size(), part.bulk.size()}) {
      packed.values.push_back(static_cast<double>(length));
    }
  }
  for (const Payload& part : parts) {
    packed.ids.insert(packed.ids.end(), part.ids.begin(), part.ids.end());
    packed.values.insert(packed.values.end(), part.values.begin(), part.values.end());
    packed.bulk.insert(packed.bulk.end(), part.bulk.begin(), part.bulk.end());
  }
  return packed;
}

std::optional<std::vector<Payload>> unpack(const Payload& packed, std::size_t count) {
  const std::size_t head = 1 + kLengths * count;
  if (packed.values.size() < head || packed.values[0] != static_cast<double>(count)) return std::nullopt;
  const auto lengths = std::span(packed.values).subspan(1, head - 1);
  if (!std::all_of(lengths.begin(), lengths.end(), [](double n) { return counts_to(n, kLengthMax); })) {
    return std::nullopt;
  }
  std::size_t sums[kLengths] = {0, head, 0};
  for (std::size_t k = 0; k < lengths.size(); ++k) sums[k % kLengths] += static_cast<std::size_t>(lengths[k]);
  if (sums[0] != packed.ids.size() || sums[1] != packed.values.size() || sums[2] != packed.bulk.size()) {
    return std::nullopt;
  }
  std::vector<Payload> parts(count);
  std::size_t at[kLengths] = {0, head, 0};
  for (std::size_t i = 0; i < count; ++i) {
    const auto of_part = lengths.subspan(i * kLengths, kLengths);
    parts[i].ids = taken(packed.ids, at[0], static_cast<std::size_t>(of_part[0]));
    parts[i].values = taken(packed.values, at[1], static_cast<std::size_t>(of_part[1]));
    parts[i].bulk = taken(packed.bulk, at[2], static_cast<std::size_t>(of_part[2]));
  }
  return parts;
}

bool ManyPhase::keeps_house() const {
  return std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return job.action == Job::Action::verify || job.action == Job::Action::release;
  });
}

void ManyPhase::lay_out(std::uint32_t schedulers) {
  const Round begin = first + (keeps_house() ? 1 : 0);
  Round steady = begin;
  for (Job& job : jobs) {
    if (!job.runs()) continue;
    job.start = aligned(job.plan.steady ? steady : begin, job.first, schedulers);
    if (job.plan.steady) steady = job.start + static_cast<Round>(job.plan.rounds_max);
  }
}

std::uint64_t ManyPhase::rounds() const {
  Round end = first + (keeps_house() ? 1 : 0);
  for (const Job& job : jobs) {
    if (job.runs()) end = std::max(end, job.start + static_cast<Round>(job.plan.rounds_max));
  }
  return static_cast<std::uint64_t>(end - first);
}

std::vector<PartRound> ManyPhase::parts_in(Round round) const {
  std::vector<PartRound> found;
  for (std::size_t part = 0; part < jobs.size(); ++part) {
    const Job& job = jobs[part];
    if (!job.runs() || round < job.start) continue;
    const Round nth = round - job.start;
    if (static_cast<std::uint64_t>(nth) < job.plan.rounds_max) found.push_back({part, job.first + nth});
  }
  return found;
}

Payload ManyPhase::encode() const {
  std::vector<Payload> parts;
  for (const Job& job : jobs) parts.push_back(encoded(job));
  Payload payload = pack(parts);
  payload.values.push_back(static_cast<double>(first));
  return payload;
}

std::optional<ManyPhase> ManyPhase::decode(const Payload& payload, std::size_t parts, std::uint32_t schedulers) {
  if (payload.values.empty() || !counts_to(payload.values.back(), kRoundMax)) return std::nullopt;
  ManyPhase phase;
  phase.first = static_cast<Round>(payload.values.back());
  Payload packed = payload;
  packed.values.pop_back();
  auto unpacked = unpack(packed, parts);
  if (!unpacked.has_value()) return std::nullopt;
  for (Payload& part : *unpacked) {
    auto job = decoded(std::move(part));
    if (!job.has_value()) return std::nullopt;
    phase.jobs.push_back(std::move(*job));
  }
  phase.lay_out(schedulers);
  return phase;
}

// --- commits ---

namespace {

constexpr std::size_t kCommitTail = 3;  ///< numbers of changes, of housekeeping values and of remarks

std::optional<std::vector<ManyCommit::Remark>> remarks_of(std::span<const double> values, std::size_t parts) {
  std::vector<ManyCommit::Remark> remarks;
  for (; !values.empty(); values = values.subspan(kRemarkValues)) {
    const bool known = counts_to(values[kRemarkPart], static_cast<double>(parts)) &&
                       counts_to(values[kRemarkBlocks], kLengthMax) && counts_to(values[kRemarkUpdates], kCountMax) &&
                       counts_to(values[kRemarkEnds], 2);
    if (!known) return std::nullopt;
    const auto part = static_cast<std::size_t>(values[kRemarkPart]);
    if (!remarks.empty() && remarks.back().part >= part) return std::nullopt;
    remarks.push_back({part, static_cast<std::uint32_t>(values[kRemarkBlocks]), values[kRemarkPredicted],
                       static_cast<std::uint64_t>(values[kRemarkUpdates]), values[kRemarkEnds] == 1});
  }
  return remarks;
}

std::optional<std::vector<ManyCommit::Change>> changes_of(const Payload& packed, std::size_t count, std::size_t parts) {
  auto unpacked = unpack(packed, count);
  if (!unpacked.has_value()) return std::nullopt;
  std::vector<ManyCommit::Change> changes;
  for (Payload& own : *unpacked) {
    if (own.values.size() < kChangeValues || !counts_to(own.values[kChangePart], static_cast<double>(parts))) {
      return std::nullopt;
    }
    ManyCommit::Change change{static_cast<std::size_t>(own.values[kChangePart]),
                              own.values[kChangeStep],
                              own.values[kChangeObjective],
                              own.values[kChangeRealised],
                              {}};
    if (!changes.empty() && changes.back().part >= change.part) return std::nullopt;
    own.values.erase(own.values.begin(), own.values.begin() + kChangeValues);
    change.own = std::move(own);
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

const ManyCommit::Change* ManyCommit::change_of(std::size_t part) const {
  const auto found = std::find_if(changes.begin(), changes.end(), [part](const auto& c) { return c.part == part; });
  return found == changes.end() ? nullptr : &*found;
}

Payload ManyCommit::encode() const {
  if (changes.empty() && housekeeping.empty() && remarks.empty()) return {};
  std::vector<Payload> own;
  for (const Change& change : changes) {
    const double head[] = {static_cast<double>(change.part), change.step, change.objective, change.realised};
    own.push_back(change.own);
    own.back().values.insert(own.back().values.begin(), std::begin(head), std::end(head));
  }
  Payload payload = pack(own);
  payload.values.insert(payload.values.end(), housekeeping.begin(), housekeeping.end());
  for (const Remark& remark : remarks) {
    payload.values.insert(payload.values.end(),
                          {static_cast<double>(remark.part), static_cast<double>(remark.blocks), remark.predicted,
                           static_cast<double>(remark.updates), remark.ends_phase ? 1.0 : 0.0});
  }
  payload.values.insert(payload.values.end(),
                        {static_cast<double>(changes.size()), static_cast<double>(housekeeping.size()),
                         static_cast<double>(remarks.size())});
  return payload;
}

std::optional<ManyCommit> ManyCommit::decode(const Payload& payload, std::size_t parts) {
  ManyCommit commit;
  if (payload == Payload{}) return commit;
  Payload rest = payload;
  const auto tail = taken_from_end(rest, kCommitTail);
  if (!tail.has_value()) return std::nullopt;
  const auto most = static_cast<double>(parts + 1);
  if (!counts_to((*tail)[0], most) || !counts_to((*tail)[1], 2 * most) || !counts_to((*tail)[2], most)) {
    return std::nullopt;
  }
  const auto remarks = taken_from_end(rest, static_cast<std::size_t>((*tail)[2]) * kRemarkValues);
  if (!remarks.has_value()) return std::nullopt;
  auto housekeeping = taken_from_end(rest, static_cast<std::size_t>((*tail)[1]));
  if (!housekeeping.has_value()) return std::nullopt;
  if (!housekeeping->empty() && !read_housekeeping(*housekeeping, parts).has_value()) return std::nullopt;
  auto read_remarks = remarks_of(*remarks, parts);
  auto changes = changes_of(rest, static_cast<std::size_t>((*tail)[0]), parts);
  if (!read_remarks.has_value() || !changes.has_value()) return std::nullopt;
  commit.changes = std::move(*changes);
  commit.housekeeping = std::move(*housekeeping);
  commit.remarks = std::move(*read_remarks);
  return commit;
}

// --- reports ---

Payload ManyStatus::encode() const {
  Payload payload = pack(parts);
  for (const PartSums& part : sums) {
    payload.values.insert(payload.values.end(),
                          {static_cast<double>(part.rounds), static_cast<double>(part.parallel_rounds),
                           static_cast<double>(part.empty_rounds), static_cast<double>(part.blocks),
                           static_cast<double>(part.updates), part.predicted, part.realised, part.ended ? 1.0 : 0.0});
  }
  return payload;
}

std::optional<ManyStatus> ManyStatus::decode(const Payload& payload, std::size_t parts) {
  Payload rest = payload;
  const auto tail = taken_from_end(rest, parts * kSumValues);
  if (!tail.has_value()) return std::nullopt;
  auto unpacked = unpack(rest, parts);
  if (!unpacked.has_value()) return std::nullopt;
  ManyStatus status{std::move(*unpacked), {}};
  const std::span<const double> values = *tail;
  for (std::size_t i = 0; i < parts; ++i) {
    const auto own = values.subspan(i * kSumValues, kSumValues);
    for (const std::size_t count : {kSumRounds, kSumParallelRounds, kSumEmptyRounds, kSumBlocks, kSumUpdates}) {
      if (!counts_to(own[count], kCountMax)) return std::nullopt;
    }
    const auto number = [own](SumValue which) { return static_cast<std::uint64_t>(own[which]); };
    if (!counts_to(own[kSumEnded], 2)) return std::nullopt;
    status.sums.push_back({number(kSumRounds), number(kSumParallelRounds), number(kSumEmptyRounds), number(kSumBlocks),
                           number(kSumUpdates), own[kSumPredicted], own[kSumRealised], own[kSumEnded] == 1});
  }
  return status;
}

std::optional<std::size_t> tag_of(const Payload& payload, std::size_t count) {
  if (payload.values.empty() || !counts_to(payload.values.back(), static_cast<double>(count))) return std::nullopt;
  return static_cast<std::size_t>(payload.values.back());
}

std::vector<double> housekeeping_of(const ManyPhase& phase) {
  std::vector<double> values;
  for (std::size_t part = 0; part < phase.jobs.size(); ++part) {
    const Job::Action action = phase.jobs[part].action;
    if (action != Job::Action::verify && action != Job::Action::release) continue;
    values.insert(values.end(), {static_cast<double>(part), static_cast<double>(action)});
  }
  return values;
}

std::optional<std::vector<std::pair<std::size_t, Job::Action>>> read_housekeeping(std::span<const double> values,
                                                                                  std::size_t parts) {
  if (values.empty() || values.size() % 2 != 0) return std::nullopt;
  std::vector<std::pair<std::size_t, Job::Action>> actions;
  for (std::size_t at = 0; at < values.size(); at += 2) {
    const bool known = counts_to(values[at], static_cast<double>(parts)) &&
                       (values[at + 1] == static_cast<double>(Job::Action::verify) ||
                        values[at + 1] == static_cast<double>(Job::Action::release));
    if (!known) return std::nullopt;
    actions.emplace_back(static_cast<std::size_t>(values[at]),
                         static_cast<Job::Action>(static_cast<std::uint8_t>(values[at + 1])));
  }
  return actions;
}

}  // namespace strads::engine
