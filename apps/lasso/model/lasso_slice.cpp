#include "lasso/model/lasso_slice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "lasso/model/lasso_push.hpp"
#include "lasso/model/payloads.hpp"
#include "lasso/policies/sampled_products.hpp"
#include "strads/base/random.hpp"

namespace strads::lasso {

namespace {
constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kDrawsMax = 4096;      ///< of an ordinary round of `auto`
constexpr double kCouplingMax = 0.3;           ///< `auto`: harmful pairs above it share a block; guard takes the rest
constexpr std::uint32_t kSweepsOrdinary = 20;  ///< passes of a worker over its block in an ordinary round
constexpr double kPhaseShare = 0.01;           ///< of the best round's decrease: less ends the phase
constexpr std::uint32_t kSweepsJoint =
    2000;                           ///< then a barrier, where a request to stop is heard and a certificate made
constexpr double kSolved = 1.02;    ///< max |g_j| / lambda at most: a certificate at this lambda is likely
constexpr VarId kStaticBlock = 64;  ///< variables of a static block of block-greedy
/// From so many slices on positions are searched: tables of them would take J times the number of slices.
constexpr std::size_t kSearchedFrom = 64;

/// Where the summary of a scan counts the columns of a state.
std::size_t ready_count_of(ColumnState state) {
  switch (state) {
    case ColumnState::kept:
      return kReadyKept;
    case ColumnState::constant:
      return kReadyConstant;
    case ColumnState::excluded:
      return kReadyExcluded;
    case ColumnState::collinear:
      return kReadyCollinear;
  }
  return kReadyKept;
}
}  // namespace

LassoSlice::LassoSlice(std::shared_ptr<LassoData> data, std::shared_ptr<BlockCaches> caches,
                       const LassoOptions& options, std::vector<VarId> variables)
    : data_(std::move(data)),
      caches_(std::move(caches)),
      options_(options),
      variables_(std::move(variables)),
      penalty_(0, options.l1_ratio, data_->factors, options.nonnegative),
      gradient_(*data_->columns, variables_),
      pairs_(*data_->columns) {
  const std::size_t all = data_->columns->size();
  if (variables_.size() != all && variables_.size() >= all / kSearchedFrom) {
    local_of_.assign(data_->columns->size(), kNoPlace);
    for (std::size_t i = 0; i < variables_.size(); ++i) local_of_[variables_[i]] = static_cast<VarId>(i);
  }
  beta_.assign(variables_.size(), 0.0);
  if (options_.policy == Policy::automatic) return;
  last_delta_.assign(variables_.size(), 0.0);
  visited_.assign(variables_.size(), 0);
}

std::size_t LassoSlice::local(VarId j) const {
  if (!local_of_.empty()) return local_of_[j];
  if (variables_.size() == data_->columns->size()) return j;
  const auto found = std::lower_bound(variables_.begin(), variables_.end(), j);
  return found != variables_.end() && *found == j ? static_cast<std::size_t>(found - variables_.begin()) : kNoPlace;
}

Payload LassoSlice::scan(Chunks& chunks, Cost& cost) {
  const StandardizedColumns& columns = *data_->columns;
  Payload summary;
  summary.values.assign(kReadyValues, 0.0);
  summary.values[kReadyMaxGradient] = gradient_.scan(data_->response.standardized, beta_, penalty_, chunks, cost);
  cost.flops += 2 * gradient_.work_of_all();  // statistics, and products with y
  count_states(summary, chunks);
  const auto& y = data_->response.standardized;
  summary.values[kReadyResponseSquared] = dot(y, y);
  summary.values[kReadyLambdaPerY] = std::sqrt(columns.weight()) / data_->response.norm;
  return summary;
}

/// Whole numbers: the same sums whatever the pieces.
void LassoSlice::count_states(Payload& summary, Chunks& chunks) const {
  constexpr std::size_t kPiece = 8192;
  const StandardizedColumns& columns = *data_->columns;
  std::vector<std::array<std::uint64_t, kReadyValues>> counts((variables_.size() + kPiece - 1) / kPiece);
  chunks.for_each(counts.size(), [&](std::size_t piece) {
    std::array<std::uint64_t, kReadyValues> here{};
    for (const VarId j :
         std::span(variables_).subspan(piece * kPiece).first(std::min(kPiece, variables_.size() - piece * kPiece))) {
      const ColumnState state = columns.state(j);
      ++here[ready_count_of(state)];
      if (state != ColumnState::excluded) here[kReadyMissing] += columns.missing(j);
    }
    counts[piece] = here;
  });
  for (const auto& here : counts) {
    for (std::size_t k = 0; k < here.size(); ++k) summary.values[k] += static_cast<double>(here[k]);
  }
}

void LassoSlice::begin(const Payload& problem) {
  const auto lambdas = std::span(problem.values).subspan(kStartValues);
  const double next = lambdas.empty() ? 0.0 : lambdas[std::min<std::size_t>(1, lambdas.size() - 1)];
  set_lambda(problem.values[kStartLambda], next);
}

void LassoSlice::set_lambda(double lambda, double next) {
  lambda_ = lambda;
  next_lambda_ = next;
  penalty_ = {lambda, options_.l1_ratio, data_->factors, options_.nonnegative};
}

Payload LassoSlice::refresh(const State& state, Chunks& chunks, Cost& cost) {
  const auto& replica = static_cast<const LassoState&>(state);
  Payload status;
  status.values.assign(kStatusHeader, 0.0);
  take_values(replica, status);
  const bool automatic = options_.policy == Policy::automatic;
  const SliceGradients::Question question{replica.residual, beta_, support_, penalty_,
                                          automatic ? candidates_asked(replica.variables.size()) : 0};
  const SliceGradients::Answer answer = gradient_.refresh(question, chunks, cost);
  cost.flops += gradient_.work_of_all();
  cost.local += 4 * variables_.size();  // which of them are candidates
  status.values[kStatusResidualSquared] = replica.residual_squared + penalty_.l2 * replica.squares;
  for (const std::uint32_t i : support_) {
    const VariablePenalty penalty = penalty_.of(variables_[i]);
    const double value = beta_[i];
    const double h = gradient_[i] - penalty.l2 * value;
    status.values[kStatusL1] += penalty.factor * std::abs(value);
    status.values[kStatusSlack] += penalty.l1 * std::abs(value) - h * value;
    status.values[kStatusProduct] += h * value;
  }
  status.values[kStatusMaxGradient] = answer.steepest;
  status.values[kStatusViolators] = static_cast<double>(answer.violators);
  if (automatic) {
    std::vector<std::pair<double, VarId>> candidates;
    candidates_ = answer.candidates;
    for (const std::uint32_t i : candidates_) candidates.emplace_back(-importance(i), variables_[i]);
    list_candidates(candidates, replica.variables.size(), status);
  }
  if (next_lambda_ > 0) list_strong(question, may_be_solved(replica, answer.steepest), status, chunks, cost);
  return status;
}

/// The coefficients of this slice, and the first part of what is said about them.
void LassoSlice::take_values(const LassoState& replica, Payload& status) {
  for (const std::uint32_t i : support_) beta_[i] = 0.0;
  support_.clear();
  for (std::size_t k = 0; k < replica.variables.size(); ++k) {
    const std::size_t i = local(replica.variables[k]);
    if (i == kNoPlace) continue;
    beta_[i] = replica.beta[k];
    support_.push_back(static_cast<std::uint32_t>(i));
    status.ids.push_back(replica.variables[k]);
    status.values.push_back(replica.beta[k]);
  }
  status.values[kStatusNonzeros] = static_cast<double>(status.ids.size());
}

/// How many of the best candidates list_candidates() looks at: for their mean work more than it lists, where columns
/// differ in it.
std::size_t LassoSlice::candidates_asked(std::size_t nonzeros) const {
  const Storage storage = data_->columns->view().storage;
  const bool alike = storage != Storage::sparse_f32 && storage != Storage::sparse_f64;
  return std::max({kNewVariablesMax, nonzeros, alike ? std::size_t{1} : kWorkCandidates});
}

/// Appends the best candidates and the mean work. The judge takes at most max(kNewVariablesMax, nonzeros) from all
/// slices together, so that more from one slice cannot matter. `nonzeros`: of the replica.
void LassoSlice::list_candidates(std::vector<std::pair<double, VarId>>& candidates, std::size_t nonzeros,
                                 Payload& status) const {
  const auto keep_best = [&candidates](std::size_t count) {
    if (count >= candidates.size()) return;
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end());
    candidates.resize(count);
  };
  keep_best(kWorkCandidates);
  const StandardizedColumns& columns = *data_->columns;
  double work = 0;  // a sum of whole numbers: the same in any order
  for (const VarId j : status.ids) work += static_cast<double>(columns.work(j));
  for (const auto& [negative, j] : candidates) work += static_cast<double>(columns.work(j));
  const std::size_t count = status.ids.size() + candidates.size();
  status.values[kStatusWork] = count == 0 ? 0.0 : work / static_cast<double>(count);
  keep_best(std::max(kNewVariablesMax, nonzeros));
  std::sort(candidates.begin(), candidates.end());
  for (const auto& [negative, j] : candidates) {
    status.ids.push_back(j);
    status.values.push_back(-negative);
  }
}

/// False: by what this slice alone knows, the certificate cannot accept lambda. Its dual point s r holds for the
/// slice's steepest variable only with s <= lambda / max (|h_j| / f_j), so that the gap is at least 1/2 (1 - s)^2 R
/// (duality_gap()). A loose tolerance accepts gradients that are far above lambda.
bool LassoSlice::may_be_solved(const LassoState& replica, double steepest) const {
  if (steepest <= kSolved * penalty_.l1) return true;
  const double too_long = 1 - penalty_.l1 / steepest;
  const double residual_squared = replica.residual_squared + penalty_.l2 * replica.squares;
  constexpr double kRounding = 1e-9;  // the judge adds up F slice by slice
  return 0.5 * too_long * too_long * residual_squared <=
         options_.tolerance * (1 + kRounding) * replica.objective(penalty_);
}

/// Appends what a path wants to know besides: the zero variables that the sequential strong rule keeps for the next
/// lambda, |h_j| / f_j >= 2 lambda' - lambda (Tibshirani et al. 2012), steepest first and no more than the judge takes.
/// The rule may be wrong: the pass after the phase finds what it has missed. Where this slice alone shows that the
/// phase's lambda is not solved (`solved` is false), nobody will ask.
void LassoSlice::list_strong(const SliceGradients::Question& question, bool solved, Payload& status, Chunks& chunks,
                             Cost& cost) {
  const auto candidates = static_cast<double>(status.ids.size()) - status.values[kStatusNonzeros];
  double ridge = 0;
  for (const std::uint32_t i : support_) ridge += penalty_.of(variables_[i]).l2 * beta_[i] * beta_[i];
  std::vector<std::pair<double, VarId>> strong;
  strong_.clear();
  const double least = (2 * next_lambda_ - lambda_) * options_.l1_ratio;
  if (options_.policy == Policy::automatic && solved) {
    const std::size_t count = std::max(kNewVariablesMax, question.best);
    strong_ = gradient_.steepest_zeros(question, least, count, chunks, cost);
    for (const std::uint32_t i : strong_) {
      const double steepness = penalty_.of(variables_[i]).steepness(gradient_[i]);
      if (steepness > 0 && steepness >= least) strong.emplace_back(-steepness, variables_[i]);
    }
    const std::size_t taken = std::min(strong.size(), count);
    std::partial_sort(strong.begin(), strong.begin() + static_cast<std::ptrdiff_t>(taken), strong.end());
    strong.resize(taken);
  }
  for (const auto& [negative, j] : strong) {
    status.ids.push_back(j);
    status.values.push_back(-negative);
  }
  status.values.insert(status.values.end(), {candidates, ridge});
}

/// A variable that is zero, and would not be after an update.
bool LassoSlice::enters(std::size_t i) const {
  const VariablePenalty penalty = penalty_.of(variables_[i]);
  return penalty.pull(gradient_[i]) > penalty.l1;
}

double LassoSlice::importance(std::size_t i) const {
  const double squared_norm = data_->columns->squared_norm(variables_[i]);
  return squared_norm == 0.0
             ? 0.0
             : coordinate_step(beta_[i], gradient_[i], squared_norm, penalty_.of(variables_[i])).decrease;
}

void LassoSlice::enter_phase(const PhasePlan& plan) {
  if (next_lambda_ > 0)
    set_lambda(phase_value(plan.content, kPhaseLambda), phase_value(plan.content, kPhaseNextLambda));
  if (options_.policy != Policy::automatic || plan.joint) return;
  blocks_max_ = plan.blocks_max;
  inner_gap_ = phase_value(plan.content, kPhaseInnerGap);
  best_realised_ = 0;
  select_working_set(plan);
}

void LassoSlice::select_working_set(const PhasePlan& plan) {
  const double threshold = phase_value(plan.content, kPhaseThreshold);
  const double strong = phase_value(plan.content, kPhaseStrong);
  working_.clear();
  last_delta_.resize(variables_.size(), 0.0);
  in_working_.assign(variables_.size(), 0);
  place_.assign(variables_.size(), kNoPlace);
  seen_.resize(variables_.size(), 0);
  couplings_.clear();
  // Only variables whose gradients are exact: what is known of the others depends on what this slice was shown before.
  std::vector<std::uint32_t> exact = strong > 0 ? strong_ : candidates_;
  exact.insert(exact.end(), support_.begin(), support_.end());
  std::sort(exact.begin(), exact.end());
  exact.erase(std::unique(exact.begin(), exact.end()), exact.end());
  for (const std::uint32_t i : exact) {
    const bool candidate = strong > 0 ? penalty_.of(variables_[i]).steepness(gradient_[i]) >= strong
                                      : enters(i) && importance(i) >= threshold;
    if (beta_[i] == 0.0 && !candidate) continue;
    const double squared_norm = data_->columns->squared_norm(variables_[i]);
    last_delta_[i] = coordinate_step(beta_[i], gradient_[i], squared_norm, penalty_.of(variables_[i])).delta;
    in_working_[i] = 1;
    place_[i] = static_cast<std::uint32_t>(working_.size());
    working_.push_back(i);
  }
}

double LassoSlice::define_sampling(VarId j) const {
  const std::size_t i = local(j);
  if (!kept(j)) return 0.0;
  switch (options_.policy) {
    case Policy::uniform:
    case Policy::fixed_structure:
    case Policy::block_greedy:
      return 1.0;
    case Policy::paper:
      // Committed, not proposed: a round that the guard rejected must not raise the importance of what it drew.
      return visited_[i] == 0 ? kSampleFirst : std::abs(last_delta_[i]) + options_.eta;
    case Policy::theorem1:
      return visited_[i] == 0 ? kSampleFirst : 0.5 * last_delta_[i] * last_delta_[i] + options_.eta * options_.eta;
    case Policy::automatic:
      // Every member of the working set is drawn while it fits a round; the decrease orders them when it does not.
      return in_working_.empty() || in_working_[i] == 0 ? 0.0 : importance(i) + std::numeric_limits<double>::min();
  }
  return 0.0;
}

double LassoSlice::counted_pair(VarId j, VarId k) const {
  // Algorithm 1 asks one after the other: a sum that several threads may add to would cost as much as the product.
  pair_flops_.store(pair_flops_.load(std::memory_order_relaxed) + data_->columns->work(j), std::memory_order_relaxed);
  const std::uint32_t a = pair_place_.empty() ? kNoPlace : pair_place_[local(j)];
  const std::uint32_t b = pair_place_.empty() ? kNoPlace : pair_place_[local(k)];
  if (a == kNoPlace || b == kNoPlace) return data_->columns->pair(j, k);
  return pairs_.product(a, b);
}

/// The published policies ask about one pair after the other and stop at the first conflict: what is asked is counted,
/// and what can be done for all drawn columns together is done here. `rights` are among `lefts`.
void LassoSlice::prepare_pairs(std::span<const VarId> lefts, std::span<const VarId>, Chunks& chunks) {
  if (options_.policy == Policy::automatic) return;
  pair_place_.resize(variables_.size(), kNoPlace);
  for (const VarId j : paired_) pair_place_[local(j)] = kNoPlace;
  paired_.assign(lefts.begin(), lefts.end());
  for (std::size_t a = 0; a < lefts.size(); ++a) {
    pair_place_[local(lefts[a])] = static_cast<std::uint32_t>(a);
    planning_.streamed += data_->columns->work(lefts[a]);
    planning_.scattered += data_->columns->work(lefts[a]);
  }
  pairs_.prepare(paired_, chunks);
}

Cost LassoSlice::take_planning_cost() {
  const std::uint64_t pairs = pair_flops_.exchange(0);
  Cost cost = std::exchange(planning_, Cost{});
  cost.flops += pairs;
  cost.tiled += pairs;
  return cost;
}

void LassoSlice::prepare_round(Chunks& chunks) {
  if (options_.policy != Policy::automatic || blocks_max_ <= 1 || !couplings_.empty() || working_.empty()) return;
  std::vector<VarId> members;
  for (const std::uint32_t i : working_) members.push_back(variables_[i]);
  // With scaling off couplings are not correlations, and a sample of the rows would be in other units.
  if (options_.center && options_.scale && sampling_pays(*data_->columns)) {
    const std::uint64_t flops = sampled_products(*data_->columns, members, couplings_, chunks);
    planning_ += Cost{.flops = flops, .streamed = 2 * kSampledRows * members.size(), .tiled = flops};
    return;
  }
  std::uint64_t fresh = 0;
  std::uint64_t work = 0;
  for (const std::uint32_t i : working_) {
    work += data_->columns->work(variables_[i]);
    fresh += seen_[i] == 0 ? 1 : 0;
    seen_[i] = 1;
  }
  // Counted: the pairs of which one has not been in a working set before; the others are remembered on one node.
  planning_.flops += work * (fresh - fresh * fresh / (2 * members.size()));
  planning_.tiled += caches_->ordinary.gram(*data_->columns, members, couplings_, chunks);
  planning_.fresh += 2 * couplings_.size() * sizeof(double);  // the matrix, and what is remembered of it
}

double LassoSlice::coupling(std::size_t i, std::size_t k) const {
  return couplings_[std::size_t{place_[i]} * working_.size() + place_[k]];
}

double LassoSlice::define_dependency(VarId j, VarId k) const {
  if (options_.policy != Policy::automatic) return std::abs(counted_pair(j, k));
  const std::size_t a = local(j);
  const std::size_t b = local(k);
  const double product = coupling(std::max(a, b), std::min(a, b));
  // Steps that undo part of each other's work: x_j'x_k d_j d_k > 0 (formulas in DESIGN.md). Others do no harm.
  return product * last_delta_[a] * last_delta_[b] > 0 ? std::abs(product) : 0.0;
}

double LassoSlice::workload(VarId j) const {
  return static_cast<double>(data_->columns->work(j));
}

ScheduleRules LassoSlice::rules() const {
  ScheduleRules rules;
  const std::uint32_t workers = std::max<std::uint32_t>(1, options_.workers);
  rules.draws = workers;
  rules.dependency_max = options_.rho;
  switch (options_.policy) {
    case Policy::uniform:
    case Policy::block_greedy:
      break;
    case Policy::fixed_structure:
    case Policy::paper:
    case Policy::theorem1:
      rules.draws = static_cast<std::uint32_t>(std::ceil(options_.candidates * workers));
      rules.conflicts = ScheduleRules::Conflicts::drop;
      // delta^2 / 2 of steps of 1e-6 must still be told apart: 2^52 instead of 2^40.
      if (options_.policy == Policy::theorem1) rules.sampling_scale = 4503599627370496.0;
      break;
    case Policy::automatic:
      rules.draws = static_cast<std::uint32_t>(std::min<std::size_t>(working_.size(), kDrawsMax));
      rules.block_variables_max = kNoPlace;
      rules.conflicts = ScheduleRules::Conflicts::merge;
      rules.dependency_max = kCouplingMax;
      break;
  }
  return rules;
}

Block LassoSlice::make_block(std::vector<VarId> variables) const {
  Block block;
  // In ascending order columns are read in the order of the file.
  std::sort(variables.begin(), variables.end());
  block.content.values.reserve(variables.size());
  for (const VarId j : variables) block.content.values.push_back(beta_[local(j)]);
  block.content.ids = std::move(variables);
  if (options_.policy == Policy::automatic) {
    block.kind = kSolveBlock;
    block.sweeps = kSweepsOrdinary;
    block.tolerance = inner_gap_;
  } else if (options_.policy == Policy::block_greedy) {
    block.kind = kUpdateBest;
  }
  if (next_lambda_ > 0) block.content.values.push_back(lambda_);
  return block;
}

std::optional<std::vector<Block>> LassoSlice::schedule(Round, const PhasePlan& plan, CounterRng& random) {
  if (options_.policy != Policy::block_greedy) return std::nullopt;
  // P different static blocks of adjacent variables of the slice [Scherrer et al. 2012].
  const std::size_t count = (variables_.size() + kStaticBlock - 1) / kStaticBlock;
  const std::size_t wanted = std::min<std::size_t>(plan.blocks_max, count);
  std::vector<std::size_t> chosen;
  while (chosen.size() < wanted) {
    const auto b = static_cast<std::size_t>(random.below(count));
    if (std::find(chosen.begin(), chosen.end(), b) == chosen.end()) chosen.push_back(b);
  }
  std::vector<Block> blocks;
  for (const std::size_t b : chosen) {
    std::vector<VarId> members;
    for (std::size_t i = b * kStaticBlock; i < std::min<std::size_t>((b + 1) * kStaticBlock, variables_.size()); ++i) {
      if (kept(variables_[i])) members.push_back(variables_[i]);
    }
    if (!members.empty()) blocks.push_back(make_block(std::move(members)));
  }
  return blocks;
}

Block LassoSlice::joint_block(const State& state, const PhasePlan& plan) const {
  Block block;
  block.content.ids = plan.content.ids;
  block.content.values = static_cast<const LassoState&>(state).values(plan.content.ids);
  block.content.values.push_back(phase_value(plan.content, kPhaseFresh));
  block.content.values.push_back(phase_value(plan.content, kPhaseRaise));
  if (next_lambda_ > 0) block.content.values.push_back(lambda_);
  block.kind = kSolveJoint;
  block.sweeps = kSweepsJoint;
  block.tolerance = phase_value(plan.content, kPhaseInnerGap);
  return block;
}

void LassoSlice::committed(const RoundOutcome& outcome, std::vector<VarId>& touched) {
  const bool published = options_.policy != Policy::automatic;
  for (const VarId j : outcome.drawn) {
    const std::size_t i = local(j);
    if (i == kNoPlace) continue;  // a joint block holds variables of all slices
    if (!last_delta_.empty()) last_delta_[i] = 0.0;
    if (published) visited_[i] = 1;
    if (published) touched.push_back(j);
  }
  const CommitView view = view_commit(*outcome.changes);
  for (std::size_t k = 0; k < view.variables.size(); ++k) {
    const std::size_t i = local(view.variables[k]);
    if (i == kNoPlace) continue;
    const double updated = committed_value(view, k, beta_[i], outcome.step);
    if (!last_delta_.empty()) last_delta_[i] = updated - beta_[i];
    beta_[i] = updated;
    support_.push_back(static_cast<std::uint32_t>(i));
  }
}

bool LassoSlice::ends_phase(const RoundOutcome& outcome) {
  if (options_.policy != Policy::automatic) return false;
  // The phase has done its work when a round brings a small part of what its best one brought.
  best_realised_ = std::max(best_realised_, outcome.realised);
  return outcome.realised <= kPhaseShare * best_realised_;
}

}  // namespace strads::lasso
