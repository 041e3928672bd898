#include "strads_sim/audit/policy_audit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "strads/base/random.hpp"

namespace strads::simulator {
namespace {

constexpr double kDrawsNear = 1e-9;   ///< what two ways of adding up may come to
constexpr double kCouplingMax = 0.3;  ///< `auto`: harmful pairs above it share a block
constexpr double kPhaseShare = 0.01;  ///< `auto`: of the best round's decrease
constexpr std::size_t kStaticBlock = 64;

std::string list(const std::vector<VarId>& variables) {
  std::string text = "{";
  for (const VarId j : variables) text += (text.size() > 1 ? " " : "") + std::to_string(j);
  return text + "}";
}

std::string list(const std::vector<std::vector<VarId>>& blocks) {
  std::string text = "blocks";
  for (const auto& block : blocks) text += " " + list(block);
  return blocks.empty() ? "no block" : text;
}

/// The item that owns position x of all weights laid end to end.
std::size_t owner_of(const std::vector<std::uint64_t>& weights, std::uint64_t x) {
  std::size_t item = 0;
  while (x >= weights[item]) x -= weights[item++];
  return item;
}

std::uint64_t total_of(const std::vector<std::uint64_t>& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
}

}  // namespace

void PolicyAudit::begin(const std::vector<std::vector<VarId>>& slices) {
  slices_ = slices;
  last_.assign(plain_.size(), 0.0);
  visited_.assign(plain_.size(), 0);
  members_.assign(plain_.size(), Member::no);
}

void PolicyAudit::enter_phase(const PhasePlan& plan, const PhaseStart& start) {
  plan_ = plan;
  best_realised_.assign(slices_.size(), 0.0);
  if (!automatic() || plan.joint()) return;
  for (VarId j = 0; j < plain_.size(); ++j) {
    members_[j] = member(j, start);
    const double delta = plain_.step(j, start.b[j], start.barrier.gradients[j], start.penalty).delta;
    last_[j] = members_[j] == Member::no      ? 0.0
               : std::abs(delta) < kDrawsNear ? kDrawsNear / 2
                                              : delta;  // its sign is rounding's
  }
}

PolicyAudit::Wrong PolicyAudit::check(const sim::AuditedCommit& commit, const std::vector<double>& moved) {
  Wrong wrong = automatic() ? check_automatic(commit) : check_published(commit);
  for (const auto& block : commit.blocks) {
    for (const VarId j : block) {
      visited_[j] = 1;
      last_[j] = moved[j];
    }
  }
  return wrong;
}

// --- the published policies ---

double PolicyAudit::importance(VarId j) const {
  if (!plain_.takes_part(j)) return 0;
  const bool learns = asked_.policy == "paper" || asked_.policy == "theorem1";
  if (!learns) return 1;
  if (visited_[j] == 0) return kSampleFirst;
  return asked_.policy == "paper" ? std::abs(last_[j]) + asked_.eta
                                  : 0.5 * last_[j] * last_[j] + asked_.eta * asked_.eta;
}

/// P' variables without replacement: those that were never drawn first, all alike; the others with weights rint(p x
/// scale).
std::vector<VarId> PolicyAudit::draw(std::uint32_t slice, Version round) const {
  const std::vector<VarId>& variables = slices_[slice];
  const double scale = asked_.policy == "theorem1" ? std::ldexp(1.0, 52) : std::ldexp(1.0, 40);
  const bool more = asked_.policy != "uniform";
  const double workers = asked_.engine.workers;
  const auto wanted = static_cast<std::size_t>(more ? std::ceil(asked_.candidates * workers) : workers);
  int bits = 0;
  while ((variables.size() >> bits) != 0) ++bits;
  const std::uint64_t cap = std::uint64_t{1} << (62 - bits);
  std::vector<std::uint64_t> first(variables.size(), 0);
  std::vector<std::uint64_t> weights(variables.size(), 0);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const double p = importance(variables[i]);
    if (p == kSampleFirst) first[i] = 1;
    if (p == kSampleFirst || p == 0) continue;
    const double weight = std::rint(p * scale);
    weights[i] =
        weight >= static_cast<double>(cap) ? cap : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight));
  }
  CounterRng random(asked_.engine.seed, Purpose::sampling, slice, static_cast<std::uint64_t>(round));
  std::vector<VarId> drawn;
  while (drawn.size() < wanted) {
    auto& from = total_of(first) > 0 ? first : weights;
    const std::uint64_t total = total_of(from);
    if (total == 0) break;
    const std::size_t item = owner_of(from, random.below(total));
    from[item] = 0;
    drawn.push_back(variables[item]);
  }
  return drawn;
}

/// Algorithm 1. Nothing: a coupling is so near the threshold that rounding decides.
std::optional<std::vector<VarId>> PolicyAudit::without_conflicts(const std::vector<VarId>& drawn) const {
  std::vector<VarId> kept;
  for (const VarId j : drawn) {
    if (kept.size() == asked_.engine.workers) break;
    bool conflicts = false;
    for (const VarId k : kept) {
      const double coupling = std::abs(plain_.product(j, k));
      if (std::abs(coupling - asked_.rho) < kDrawsNear) return std::nullopt;
      conflicts = conflicts || coupling > asked_.rho;
    }
    if (!conflicts) kept.push_back(j);
  }
  return kept;
}

/// P different ones of the blocks of 64 adjacent variables of a slice.
std::vector<std::vector<VarId>> PolicyAudit::static_blocks(std::uint32_t slice, Version round) const {
  const std::vector<VarId>& variables = slices_[slice];
  const std::size_t count = (variables.size() + kStaticBlock - 1) / kStaticBlock;
  CounterRng random(asked_.engine.seed, Purpose::sampling, slice, static_cast<std::uint64_t>(round));
  std::vector<std::size_t> chosen;
  std::vector<std::vector<VarId>> blocks;
  while (chosen.size() < std::min<std::size_t>(asked_.engine.workers, count)) {
    const auto b = static_cast<std::size_t>(random.below(count));
    if (std::ranges::find(chosen, b) != chosen.end()) continue;
    chosen.push_back(b);
    std::vector<VarId> block;
    for (std::size_t i = b * kStaticBlock; i < std::min((b + 1) * kStaticBlock, variables.size()); ++i) {
      if (plain_.takes_part(variables[i])) block.push_back(variables[i]);
    }
    if (!block.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

std::optional<std::vector<std::vector<VarId>>> PolicyAudit::expected_blocks(std::uint32_t slice, Version round) const {
  if (asked_.policy == "block-greedy") return static_blocks(slice, round);
  std::optional<std::vector<VarId>> kept = draw(slice, round);
  if (asked_.policy != "uniform") kept = without_conflicts(*kept);
  if (!kept.has_value()) return std::nullopt;
  // Each is a block; the heaviest come first.
  std::ranges::stable_sort(*kept, [&](VarId a, VarId b) { return plain_.entries(a) > plain_.entries(b); });
  std::vector<std::vector<VarId>> blocks;
  for (const VarId j : *kept) blocks.push_back({j});
  return blocks;
}

PolicyAudit::Wrong PolicyAudit::check_published(const sim::AuditedCommit& commit) const {
  const auto expected = expected_blocks(commit.scheduler, commit.version);
  if (expected.has_value() && commit.blocks != *expected)
    return std::pair{list(commit.blocks), list(*expected) + ", which policy " + asked_.policy + " draws"};
  if (commit.ends_phase)
    return std::pair{std::string("a slice that ends the phase"), std::string("an end by updates alone")};
  return std::nullopt;
}

// --- auto ---

/// Whether a variable takes part in the rounds of a phase: a nonzero, or one that an update would make one, with a
/// decrease that reaches the threshold.
PolicyAudit::Member PolicyAudit::member(VarId j, const PhaseStart& start) const {
  if (!plain_.takes_part(j)) return Member::no;
  const double gradient = start.barrier.gradients[j];
  // One that is where it should be has p(j) = 0, up to rounding.
  constexpr double kNothing = 1e-14;
  if (start.b[j] != 0)
    return plain_.step(j, start.b[j], gradient, start.penalty).decrease > kNothing ? Member::yes : Member::perhaps;
  const double pull = start.penalty.pull(gradient) / plain_.factor(j);
  const auto reaches = [](double value, double least) {
    if (std::abs(value - least) <= kDrawsNear * std::abs(least) + 1e-14) return Member::perhaps;
    return value > least ? Member::yes : Member::no;
  };
  if (start.steepness > 0) return reaches(pull, start.steepness);
  const Member enters = reaches(pull, std::max(start.penalty.l1, start.before.l1));
  if (enters != Member::yes) return enters;
  return reaches(plain_.step(j, 0, gradient, start.penalty).decrease, start.threshold);
}

PolicyAudit::Wrong PolicyAudit::check_automatic(const sim::AuditedCommit& commit) {
  if (plan_.joint()) {
    const bool right = commit.blocks.size() == 1 && commit.blocks[0] == plan_.content.ids;
    const bool nothing = commit.blocks.empty() && plan_.content.ids.empty();
    if (right || nothing) return std::nullopt;
    return std::pair{list(commit.blocks), "one block " + list(plan_.content.ids) + ", the working set of PHASE"};
  }
  if (auto wrong = check_working_set(commit)) return wrong;
  if (auto wrong = check_balance(commit)) return wrong;
  return check_end(commit);
}

PolicyAudit::Wrong PolicyAudit::check_working_set(const sim::AuditedCommit& commit) const {
  std::vector<std::uint8_t> drawn(members_.size(), 0);
  for (const auto& block : commit.blocks) {
    for (const VarId j : block) drawn[j] = 1;
  }
  for (const VarId j : slices_[commit.scheduler]) {
    if (drawn[j] != 0 && members_[j] == Member::no)
      return std::pair{"variable " + std::to_string(j), std::string("those of the working set of the phase")};
    if (drawn[j] == 0 && members_[j] == Member::yes)
      return std::pair{"no variable " + std::to_string(j),
                       std::string("every variable of the slice in the working set of the phase")};
  }
  return std::nullopt;
}

/// Variables that undo each other's work share a block; what is coupled that way is not divided, and goes, heaviest
/// first, to the block with the least work. Nothing is said where rounding decides who is coupled.
PolicyAudit::Wrong PolicyAudit::check_balance(const sim::AuditedCommit& commit) const {
  std::vector<std::pair<VarId, std::size_t>> drawn;  // with its block
  for (std::size_t b = 0; b < commit.blocks.size(); ++b) {
    for (const VarId j : commit.blocks[b]) drawn.emplace_back(j, b);
  }
  std::vector<std::size_t> group(drawn.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    for (std::size_t c = 0; c < a; ++c) {
      const auto [j, of_j] = drawn[a];
      const auto [k, of_k] = drawn[c];
      const double product = plain_.product(j, k);
      if (std::abs(product) < kCouplingMax - kDrawsNear) continue;
      const double least = std::min(std::abs(last_[j]), std::abs(last_[k]));
      if (std::abs(product) < kCouplingMax + kDrawsNear || (least > 0 && least < kDrawsNear)) return std::nullopt;
      if (!(product * last_[j] * last_[k] > 0)) continue;
      if (of_j != of_k)
        return std::pair{"variables " + std::to_string(j) + " and " + std::to_string(k) + " in different blocks",
                         std::string("one block: they are coupled by more than 0.3 and undo each other's work")};
      const std::size_t from = group[a];
      const std::size_t to = group[c];
      for (std::size_t& of : group) of = of == from ? to : of;
    }
  }
  std::vector<double> work(drawn.size(), 0.0);
  std::vector<double> found(commit.blocks.size(), 0.0);
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    work[group[a]] += plain_.entries(drawn[a].first);
    found[drawn[a].second] += plain_.entries(drawn[a].first);
  }
  std::erase(work, 0.0);
  std::ranges::sort(work, std::greater<>());
  std::vector<double> expected(std::min<std::size_t>(plan_.blocks_max, work.size()), 0.0);
  if (plan_.blocks_max == 1 && !drawn.empty()) expected.assign(1, 0.0);
  for (const double one : work) *std::ranges::min_element(expected) += one;
  std::ranges::sort(expected);
  std::ranges::sort(found);
  if (found == expected) return std::nullopt;
  const auto text = [](const std::vector<double>& loads) {
    std::string all;
    for (const double load : loads) all += " " + std::to_string(static_cast<std::uint64_t>(load));
    return std::to_string(loads.size()) + " blocks with work" + all;
  };
  return std::pair{text(found), text(expected) + ": what is coupled, heaviest first, each to the least loaded block"};
}

/// A round that brings a small part of what the slice's best one of the phase brought ends it.
PolicyAudit::Wrong PolicyAudit::check_end(const sim::AuditedCommit& commit) {
  double& best = best_realised_[commit.scheduler];
  best = std::max(best, commit.realised);
  const bool ends = commit.realised <= kPhaseShare * best;
  if (ends == commit.ends_phase) return std::nullopt;
  return std::pair{std::string(commit.ends_phase ? "the end of the phase" : "a phase that goes on"),
                   "the end where a round brings at most 0.01 of the best one's " + std::to_string(best) +
                       "; this one brought " + std::to_string(commit.realised)};
}

}  // namespace strads::simulator
