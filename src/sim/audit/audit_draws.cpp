#include "sim/audit/audit_draws.hpp"

#include <cmath>
#include <memory>

#include "strads/base/chunks.hpp"
#include "strads/base/random.hpp"

namespace strads::sim {

void AuditDraws::begin(Model& model, const std::vector<std::vector<VarId>>& slices, const Payload& problem) {
  slices_ = slices;
  waits_.assign(model.variables(), 0);
  std::vector<std::unique_ptr<Slice>> own;
  SerialChunks chunks;
  for (const auto& variables : slices) {
    Cost cost;
    own.push_back(model.make_slice(variables));
    (void)own.back()->scan(chunks, cost);
  }
  model.begin(problem);
  for (std::size_t s = 0; s < own.size(); ++s) {
    own[s]->begin(problem);
    watched_.push_back(watch(*own[s], slices[s]));
  }
}

AuditDraws::Watched AuditDraws::watch(Slice& slice, std::span<const VarId> variables) {
  Watched watched;
  watched.drops = slice.rules().conflicts == ScheduleRules::Conflicts::drop;
  CounterRng random(0, Purpose::sampling);
  // A model that always plans itself need not take an empty plan.
  if (slice.rules().plans_itself || slice.schedule(0, PhasePlan{}, random).has_value()) return watched;
  double lowest = kSampleFirst;
  double highest = 0;
  for (const VarId j : variables) {
    const double p = slice.define_sampling(j);
    if (!(p > 0)) continue;
    highest = std::max(highest, p);
    lowest = std::min(lowest, p);
  }
  if (highest == kSampleFirst) watched.kind = Kind::first_visits;
  if (highest > 0 && highest != kSampleFirst && lowest == highest) watched.kind = Kind::uniform;
  if (watched.kind == Kind::none) return watched;
  for (const VarId j : variables) {
    if (slice.define_sampling(j) != highest) continue;
    waits_[j] = 1;
    ++watched.variables;
  }
  watched.never_drawn = watched.variables;
  return watched;
}

std::optional<std::string> AuditDraws::on_round(std::uint32_t slice, std::span<const VarId> drawn) {
  if (slice >= watched_.size() || watched_[slice].kind == Kind::none) return std::nullopt;
  Watched& watched = watched_[slice];
  const std::uint64_t before = watched.never_drawn;
  for (const VarId j : drawn) {
    if (waits_[j] == 0) continue;
    waits_[j] = 0;
    --watched.never_drawn;
  }
  ++watched.rounds;
  if (watched.kind == Kind::first_visits && before > 0 && watched.never_drawn == before) {
    return "found none of the " + std::to_string(before) + " variables that were never drawn (" + one_missed(slice) +
           ") among the " + std::to_string(drawn.size()) + " of round number " + std::to_string(watched.rounds) +
           " of the slice, expected at least one: p(j) says that they come first";
  }
  const double kept =
      watched.drops ? std::min<double>(1, static_cast<double>(drawn.size())) : static_cast<double>(drawn.size());
  const double share = kept / static_cast<double>(watched.variables);
  watched.log_miss += share < 1 ? std::log1p(-share) : -HUGE_VAL;
  return std::nullopt;
}

std::optional<std::string> AuditDraws::at_end() const {
  for (std::uint32_t s = 0; s < watched_.size(); ++s) {
    const Watched& watched = watched_[s];
    if (watched.kind != Kind::uniform || watched.never_drawn == 0) continue;
    const auto missed = static_cast<double>(watched.never_drawn);
    const double log_bound =
        missed * (std::log(static_cast<double>(watched.variables)) + watched.log_miss) - std::lgamma(missed + 1);
    if (log_bound >= std::log(kUnlikely)) continue;
    return "found " + std::to_string(watched.never_drawn) + " of the " + std::to_string(watched.variables) +
           " variables of slice " + std::to_string(s) + " never drawn (" + one_missed(s) + ") in " +
           std::to_string(watched.rounds) +
           " rounds, expected none: all have the same p(j), and by chance it is seen " +
           "in less than one of 1e15 runs";
  }
  return std::nullopt;
}

std::string AuditDraws::one_missed(std::uint32_t slice) const {
  for (const VarId j : slices_[slice]) {
    if (waits_[j] != 0) return "the first of them: " + std::to_string(j);
  }
  return "none";
}

}  // namespace strads::sim
