// Policy `auto`: working sets by predicted decrease (docs/DESIGN.md, "Policies"). p(j) = D_j on the working set; pairs
// that undo each other's work share a block, which a worker solves.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "strads/base/ascending.hpp"
#include "strads/policies/policies.hpp"

namespace strads {

namespace {
constexpr std::uint32_t kNowhere = SlicePositions::kNone;
constexpr std::size_t kDrawsMax = 4096;        ///< of an ordinary round whose pairs are looked at
constexpr double kCouplingMax = 0.3;           ///< harmful pairs above it share a block; the guard takes the rest
constexpr std::uint32_t kSweepsOrdinary = 20;  ///< passes of a worker over its block in an ordinary round
constexpr double kPhaseShare = 0.01;           ///< of the best round's decrease: less ends the phase

class WorkingSet final : public SlicePolicy {
 public:
  explicit WorkingSet(const SliceSetting& setting) : problem_(setting.problem) {}

  [[nodiscard]] bool wants_candidates() const override { return true; }
  void enter_phase(const PolicyPhase& phase) override;
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) override;
  [[nodiscard]] double sampling(std::size_t i) const override;
  [[nodiscard]] double dependency(std::size_t i, std::size_t k) const override;
  [[nodiscard]] ScheduleRules rules() const override;
  void prepare_round(Chunks& chunks) override;
  [[nodiscard]] BlockTreatment treatment() const override {
    return {.solve = true, .sweeps = kSweepsOrdinary, .tolerance = inner_gap_};
  }
  [[nodiscard]] Cost take_planning_cost() override { return std::exchange(planning_, Cost{}); }
  [[nodiscard]] bool learn(const SliceChanges& changes) override;
  [[nodiscard]] Payload memory() const override;
  [[nodiscard]] bool remember(const Payload& memory) override;

 private:
  void select(double threshold);

  CoordinateProblem& problem_;
  std::vector<std::uint32_t> members_;  ///< positions of the working set, ascending
  // By position; empty until there are parallel rounds.
  std::vector<std::uint32_t> place_;  ///< in members_; kNowhere: outside
  std::vector<std::uint8_t> seen_;    ///< has been in a working set of parallel rounds
  std::vector<double>
      last_delta_;  ///< the step that is expected; after a round that drew the variable, the committed one
  std::vector<double> couplings_;  ///< of pairs by places; empty until the phase's first plan, or where there are none
  bool asked_ = false;             ///< for them, in this phase
  std::uint32_t blocks_max_ = 1;
  double inner_gap_ = 0;
  double best_realised_ = 0;  ///< of this slice's rounds in the phase
  Cost planning_;
};

void WorkingSet::enter_phase(const PolicyPhase& phase) {
  best_realised_ = 0;
  if (phase.joint) return;
  blocks_max_ = phase.blocks_max;
  inner_gap_ = phase.inner_gap;
  select(phase.threshold);
}

void WorkingSet::select(double threshold) {
  const std::size_t count = problem_.variables().size();
  members_ = problem_.working_set(threshold);
  last_delta_.resize(count, 0.0);
  place_.assign(count, kNowhere);
  seen_.resize(count, 0);
  couplings_.clear();
  asked_ = false;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    last_delta_[members_[k]] = problem_.step(members_[k]).delta;
    place_[members_[k]] = static_cast<std::uint32_t>(k);
  }
}

/// The phase has done its work when a round brings a small part of what its best one brought.
bool WorkingSet::ends_phase(const RoundOutcome& outcome) {
  best_realised_ = std::max(best_realised_, outcome.realised);
  return outcome.realised <= kPhaseShare * best_realised_;
}

/// Every member of the working set is drawn while it fits a round; importance orders them when it does not.
double WorkingSet::sampling(std::size_t i) const {
  if (place_.empty() || place_[i] == kNowhere) return 0.0;
  return problem_.importance(i) + std::numeric_limits<double>::min();
}

/// Steps that undo part of each other's work: coupling x d_j d_k > 0 (formulas in DESIGN.md). Others do no harm.
double WorkingSet::dependency(std::size_t i, std::size_t k) const {
  const std::size_t row = place_[std::max(i, k)];
  const double product = couplings_[row * members_.size() + place_[std::min(i, k)]];
  return product * last_delta_[i] * last_delta_[k] > 0 ? std::abs(product) : 0.0;
}

ScheduleRules WorkingSet::rules() const {
  const bool unchecked = asked_ && couplings_.empty();
  ScheduleRules rules;
  rules.draws = static_cast<std::uint32_t>(unchecked ? members_.size() : std::min(members_.size(), kDrawsMax));
  rules.block_variables_max = std::numeric_limits<std::uint32_t>::max();
  rules.conflicts = unchecked ? ScheduleRules::Conflicts::ignore : ScheduleRules::Conflicts::merge;
  rules.dependency_max = kCouplingMax;
  return rules;
}

/// Counted: the pairs of which one has not been in a working set before, where what was computed is remembered.
void WorkingSet::prepare_round(Chunks& chunks) {
  if (blocks_max_ <= 1 || asked_ || members_.empty()) return;
  asked_ = true;
  std::size_t fresh = 0;
  for (const std::uint32_t i : members_) fresh += seen_[i] == 0 ? 1 : 0;
  const CouplingsTaken taken = problem_.couplings(members_, fresh, couplings_, chunks);
  planning_ += taken.cost;
  if (!taken.kept) return;
  for (const std::uint32_t i : members_) seen_[i] = 1;
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
  const std::size_t count = problem_.variables().size();
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

}  // namespace strads
