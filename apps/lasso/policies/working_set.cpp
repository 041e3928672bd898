// Policy `auto`: working sets by predicted decrease (docs/DESIGN.md, "Policies"). p(j) = D_j on the working set; pairs
// that undo each other's work share a block, which a worker solves.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lasso/policies/policies.hpp"
#include "lasso/policies/sampled_products.hpp"
#include "lasso/problem/payloads.hpp"

namespace strads::lasso {

namespace {
constexpr std::uint32_t kNowhere = SlicePositions::kNone;
constexpr std::size_t kDrawsMax = 4096;        ///< of an ordinary round
constexpr double kCouplingMax = 0.3;           ///< harmful pairs above it share a block; the guard takes the rest
constexpr std::uint32_t kSweepsOrdinary = 20;  ///< passes of a worker over its block in an ordinary round
constexpr double kPhaseShare = 0.01;           ///< of the best round's decrease: less ends the phase
/// Of a joint round; then comes a barrier, where a request to stop is heard and a certificate made.
constexpr std::uint32_t kSweepsJoint = 2000;

class WorkingSet final : public SlicePolicy {
 public:
  explicit WorkingSet(const SliceSetting& setting)
      : view_(setting.view), options_(setting.options), caches_(setting.caches) {}

  [[nodiscard]] std::size_t candidates_wanted(std::size_t nonzeros) const override;
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) override;
  [[nodiscard]] double sampling(std::size_t i) const override;
  [[nodiscard]] double dependency(std::size_t i, std::size_t k) const override;
  [[nodiscard]] ScheduleRules rules() const override;
  void prepare_round(Chunks& chunks) override;
  void instruct(Block& block) const override;
  [[nodiscard]] Block joint_block(const LassoState& replica, const PhasePlan& plan) const override;
  [[nodiscard]] Cost take_planning_cost() override { return std::exchange(planning_, Cost{}); }
  [[nodiscard]] bool learn(const SliceChanges& changes) override;
  [[nodiscard]] Payload memory() const override;
  [[nodiscard]] bool remember(const Payload& memory) override;

 private:
  void select(const PhasePlan& plan);
  [[nodiscard]] std::vector<std::uint32_t> exact_ones(bool strong) const;
  void take_all_products(std::span<const VarId> members, Chunks& chunks);

  const SliceView& view_;
  const LassoOptions& options_;
  std::shared_ptr<BlockCaches> caches_;
  std::vector<std::uint32_t> members_;  ///< positions of the working set, ascending
  // By position; empty until there are parallel rounds.
  std::vector<std::uint32_t> place_;  ///< in members_; kNowhere: outside
  std::vector<std::uint8_t> seen_;    ///< has been in a working set of parallel rounds
  std::vector<double>
      last_delta_;  ///< the step that is expected; after a round that drew the variable, the committed one
  std::vector<double> couplings_;  ///< x_j'x_k by places; empty until the phase's first plan
  std::uint32_t blocks_max_ = 1;
  double inner_gap_ = 0;
  double best_realised_ = 0;  ///< of this slice's rounds in the phase
  Cost planning_;
};

/// For the mean work of candidates more than the judge takes, where columns differ in it. Of ridge all take part.
std::size_t WorkingSet::candidates_wanted(std::size_t nonzeros) const {
  if (options_.l1_ratio == 0) return std::max<std::size_t>(1, view_.variables.size());
  const Storage storage = view_.columns.view().storage;
  const bool alike = storage != Storage::sparse_f32 && storage != Storage::sparse_f64;
  return std::max({kNewVariablesMax, nonzeros, alike ? std::size_t{1} : kWorkCandidates});
}

void WorkingSet::enter_phase(const PhasePlan& plan) {
  best_realised_ = 0;
  if (plan.joint()) return;
  blocks_max_ = plan.blocks_max;
  inner_gap_ = phase_of(plan.content).inner_gap;
  select(plan);
}

void WorkingSet::select(const PhasePlan& plan) {
  const double threshold = phase_of(plan.content).threshold;
  const double strong = path_phase_of(plan.content).strong;
  members_.clear();
  last_delta_.resize(view_.variables.size(), 0.0);
  place_.assign(view_.variables.size(), kNowhere);
  seen_.resize(view_.variables.size(), 0);
  couplings_.clear();
  for (const std::uint32_t i : exact_ones(strong > 0)) {
    const bool candidate = strong > 0 ? view_.penalty_of(i).steepness(view_.gradient[i]) >= strong
                                      : view_.enters(i) && view_.decrease(i) >= threshold;
    if (view_.beta[i] == 0.0 && !candidate) continue;
    last_delta_[i] = view_.step(i).delta;
    place_[i] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(i);
  }
}

/// Positions whose gradients are exact, ascending: what is known of the others depends on what this slice was shown
/// before.
std::vector<std::uint32_t> WorkingSet::exact_ones(bool strong) const {
  std::vector<std::uint32_t> exact = strong ? view_.strong : view_.candidates;
  exact.insert(exact.end(), view_.support.begin(), view_.support.end());
  std::sort(exact.begin(), exact.end());
  exact.erase(std::unique(exact.begin(), exact.end()), exact.end());
  return exact;
}

/// The phase has done its work when a round brings a small part of what its best one brought.
bool WorkingSet::ends_phase(const RoundOutcome& outcome) {
  best_realised_ = std::max(best_realised_, outcome.realised);
  return outcome.realised <= kPhaseShare * best_realised_;
}

/// Every member of the working set is drawn while it fits a round; the decrease orders them when it does not.
double WorkingSet::sampling(std::size_t i) const {
  if (place_.empty() || place_[i] == kNowhere) return 0.0;
  return view_.decrease(i) + std::numeric_limits<double>::min();
}

/// Steps that undo part of each other's work: x_j'x_k d_j d_k > 0 (formulas in DESIGN.md). Others do no harm.
double WorkingSet::dependency(std::size_t i, std::size_t k) const {
  const std::size_t row = place_[std::max(i, k)];
  const double product = couplings_[row * members_.size() + place_[std::min(i, k)]];
  return product * last_delta_[i] * last_delta_[k] > 0 ? std::abs(product) : 0.0;
}

ScheduleRules WorkingSet::rules() const {
  ScheduleRules rules;
  rules.draws = static_cast<std::uint32_t>(std::min(members_.size(), kDrawsMax));
  rules.block_variables_max = std::numeric_limits<std::uint32_t>::max();
  rules.conflicts = ScheduleRules::Conflicts::merge;
  rules.dependency_max = kCouplingMax;
  return rules;
}

void WorkingSet::prepare_round(Chunks& chunks) {
  if (blocks_max_ <= 1 || !couplings_.empty() || members_.empty()) return;
  std::vector<VarId> members;
  for (const std::uint32_t i : members_) members.push_back(view_.variables[i]);
  // With scaling off couplings are not correlations, and a sample of the rows would be in other units.
  if (!options_.center || !options_.scale || !sampling_pays(view_.columns)) return take_all_products(members, chunks);
  const std::uint64_t flops = sampled_products(view_.columns, members, couplings_, chunks);
  planning_ += Cost{.flops = flops, .streamed = 2 * kSampledRows * members.size(), .tiled = flops};
}

/// Counted: the pairs of which one has not been in a working set before; the others are remembered on one node.
void WorkingSet::take_all_products(std::span<const VarId> members, Chunks& chunks) {
  std::uint64_t fresh = 0;
  std::uint64_t work = 0;
  for (const std::uint32_t i : members_) {
    work += view_.columns.work(view_.variables[i]);
    fresh += seen_[i] == 0 ? 1 : 0;
    seen_[i] = 1;
  }
  planning_.flops += work * (fresh - fresh * fresh / (2 * members.size()));
  planning_.tiled += caches_->ordinary.gram(view_.columns, members, couplings_, chunks);
  planning_.fresh += 2 * couplings_.size() * sizeof(double);  // the matrix, and what is remembered of it
}

void WorkingSet::instruct(Block& block) const {
  block.kind = kSolveBlock;
  block.sweeps = kSweepsOrdinary;
  block.tolerance = inner_gap_;
}

Block WorkingSet::joint_block(const LassoState& replica, const PhasePlan& plan) const {
  Block block;
  block.content.ids = plan.content.ids;
  block.content.values = replica.values(plan.content.ids);
  const Phase phase = phase_of(plan.content);
  append_fields(JointBlock{.fresh = phase.fresh, .raise = phase.raise}, block.content.values);
  block.kind = kSolveJoint;
  block.sweeps = kSweepsJoint;
  block.tolerance = phase.inner_gap;
  return block;
}

/// p(j) stays what it was when the phase began: its gradients are those of the barrier.
bool WorkingSet::learn(const SliceChanges& changes) {
  if (!last_delta_.empty()) changes.write_deltas(last_delta_);
  return false;
}

/// ids: the positions of seen_. It only counts work; all else is rebuilt by enter_phase() before parallel rounds ask
/// for it, and joint ones do not ask: members_, place_, couplings_, blocks_max_, inner_gap_, best_realised_, and
/// last_delta_ of the members, the only ones whose couplings are asked for. planning_ is taken with every plan.
Payload WorkingSet::memory() const {
  Payload memory;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i] != 0) memory.ids.push_back(static_cast<VarId>(i));
  }
  return memory;
}

bool WorkingSet::remember(const Payload& memory) {
  const std::size_t count = view_.variables.size();
  if (!ascending_below(memory.ids, count) || !memory.values.empty() || !memory.bulk.empty()) return false;
  std::ranges::fill(seen_, std::uint8_t{0});
  if (!memory.ids.empty()) seen_.resize(count, 0);
  for (const VarId i : memory.ids) seen_[i] = 1;
  return true;
}

}  // namespace

std::unique_ptr<SlicePolicy> make_working_set(const SliceSetting& setting) {
  return std::make_unique<WorkingSet>(setting);
}

}  // namespace strads::lasso
