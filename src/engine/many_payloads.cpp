#include "engine/many_payloads.hpp"

#include <algorithm>
#include <cmath>

namespace strads::engine {
namespace {

constexpr std::size_t kLengths = 3;          ///< of ids, values and bulk
constexpr double kLengthMax = 4294967296.0;  ///< more would not be a length
constexpr double kRoundMax = 1e15;           ///< a round number that a double holds exactly
constexpr double kJobRoundsMax = 1099511627776.0;

/// What stands before a job's plan.
enum JobValue : std::size_t { kJobAction, kJobFirst, kJobRounds, kJobBlocks, kJobSteady, kJobValues };

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
  return job.action == Job::Action::run ? job.plan.rounds_max : 0;
}

Payload encoded(const Job& job) {
  Payload payload = job.plan.content;
  const double head[] = {static_cast<double>(job.action), static_cast<double>(job.first),
                         static_cast<double>(rounds_of(job)), static_cast<double>(job.plan.blocks_max),
                         job.plan.steady ? 1.0 : 0.0};
  payload.values.insert(payload.values.begin(), std::begin(head), std::end(head));
  return payload;
}

std::optional<Job> decoded(Payload payload, std::uint32_t schedulers) {
  if (payload.values.size() < kJobValues) return std::nullopt;
  const std::span<const double> head = payload.values;
  const bool known = counts_to(head[kJobAction], 4) && counts_to(head[kJobFirst], kRoundMax) &&
                     counts_to(head[kJobRounds], kJobRoundsMax) && counts_to(head[kJobBlocks], kLengthMax) &&
                     counts_to(head[kJobSteady], 2);
  if (!known) return std::nullopt;
  Job job;
  job.action = static_cast<Job::Action>(static_cast<std::uint8_t>(head[kJobAction]));
  job.first = static_cast<Round>(head[kJobFirst]);
  job.plan.rounds_max = static_cast<std::uint64_t>(head[kJobRounds]);
  job.plan.blocks_max = static_cast<std::uint32_t>(head[kJobBlocks]);
  job.plan.steady = head[kJobSteady] == 1;
  if (job.first % schedulers != 0 || job.plan.rounds_max % schedulers != 0) return std::nullopt;
  payload.values.erase(payload.values.begin(), payload.values.begin() + kJobValues);
  job.plan.content = std::move(payload);
  return job;
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

std::uint64_t ManyPhase::rounds(std::uint32_t schedulers) const {
  std::uint64_t sum = keeps_house() ? schedulers : 0;
  for (const Job& job : jobs) sum += rounds_of(job);
  return sum;
}

std::optional<PartRound> ManyPhase::find(Round round, std::uint32_t schedulers) const {
  if (round < first) return std::nullopt;
  auto nth = static_cast<std::uint64_t>(round - first);
  if (keeps_house()) {
    if (nth < schedulers) return std::nullopt;
    nth -= schedulers;
  }
  for (std::size_t part = 0; part < jobs.size(); ++part) {
    const std::uint64_t rounds = rounds_of(jobs[part]);
    if (nth < rounds) return PartRound{part, jobs[part].first + static_cast<Round>(nth)};
    nth -= rounds;
  }
  return std::nullopt;
}

std::uint64_t ManyPhase::done(std::size_t part, Round last, std::uint32_t schedulers) const {
  std::uint64_t before = keeps_house() ? schedulers : 0;
  for (std::size_t i = 0; i < part; ++i) before += rounds_of(jobs[i]);
  const auto passed = static_cast<std::uint64_t>(std::max<Round>(last + 1 - first, 0));
  return passed <= before ? 0 : std::min(passed - before, rounds_of(jobs[part]));
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
  if (phase.first % schedulers != 0) return std::nullopt;
  Payload packed = payload;
  packed.values.pop_back();
  auto unpacked = unpack(packed, parts);
  if (!unpacked.has_value()) return std::nullopt;
  for (Payload& part : *unpacked) {
    auto job = decoded(std::move(part), schedulers);
    if (!job.has_value()) return std::nullopt;
    phase.jobs.push_back(std::move(*job));
  }
  return phase;
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
