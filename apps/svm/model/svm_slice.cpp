#include "svm/model/svm_slice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strads::svm {

namespace {

/// Of a problem in a phase of `auto`: about a third of a second where it is alone, then a barrier hears what is asked
/// for. Of several it is half of that, for as many of them as a phase takes up (solve_problems()).
constexpr std::uint64_t kFlopsAlone = 400'000'000, kFlopsOfSeveral = 200'000'000;
/// The certificate's gap is another sum of the same numbers.
constexpr double kInnerShare = 0.95;

}  // namespace

SvmCoordinates::SvmCoordinates(const SvmProblems& problems, const std::vector<VarId>& variables)
    : problems_(problems),
      positions_(variables, problems.shape().variables()),
      value_(variables.size(), 0.0),
      gradient_(variables.size(), 0.0) {}

CoordinateStep SvmCoordinates::step(std::size_t i) const {
  const auto at = problems_.place_of(variables()[i]);
  const CoordinateMove move =
      move_in_box(value_[i], gradient_[i], problems_.curvature(at), problems_.box(at.problem).upper(at.sample));
  return {move.delta, move.decrease};
}

double SvmCoordinates::importance(std::size_t i) const {
  const auto at = problems_.place_of(variables()[i]);
  return std::abs(projected_gradient(value_[i], gradient_[i], problems_.box(at.problem).upper(at.sample)));
}

double SvmCoordinates::coupling(std::size_t i, std::size_t k) const {
  const auto left = problems_.place_of(variables()[i]), right = problems_.place_of(variables()[k]);
  if (left.problem != right.problem) return 0;
  const Samples& samples = problems_.samples();
  const double lengths = std::sqrt(samples.norm(left.sample) * samples.norm(right.sample));
  if (!(lengths > 0)) return 0;
  const DualBox& box = problems_.box(left.problem);
  return box.sign(left.sample) * box.sign(right.sample) * samples.product(left.sample, right.sample) / lengths;
}

CouplingsTaken SvmCoordinates::couplings(std::span<const std::uint32_t>, std::size_t, std::vector<double>& out,
                                         Chunks&) {
  out.clear();
  return {};
}

std::uint64_t SvmCoordinates::work(std::size_t i) const {
  return 2 * problems_.samples().entries(problems_.place_of(variables()[i]).sample) + 2;
}

void SvmCoordinates::refresh(const SvmState& state, std::vector<double>& sums, Chunks& chunks, Cost& cost) {
  const Samples& samples = problems_.samples();
  const std::size_t width = samples.width();
  std::vector<std::uint32_t> chosen;
  std::vector<double> margins;
  std::size_t begin = 0;
  for (std::size_t problem = 0; problem < problems_.shape().problems; ++problem) {
    const DualBox& box = problems_.box(problem);
    const std::span<const double> w = std::span(state.w).subspan(problem * width, width);
    ProblemSums own;
    for (const double weight : w) own.norm += weight * weight;
    chosen.clear();
    std::size_t end = begin;
    for (; end < variables().size() && problems_.place_of(variables()[end]).problem == problem; ++end) {
      chosen.push_back(problems_.place_of(variables()[end]).sample);
      cost.flops += 2 * samples.entries(chosen.back()) + 10;
    }
    margins.resize(chosen.size());
    samples.dots(chosen, w, margins, chunks);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const std::uint32_t i = chosen[k];
      const double value = state.alpha[variables()[begin + k]], margin = box.sign(i) * margins[k];
      const double upper = box.upper(i);
      value_[begin + k] = value;
      gradient_[begin + k] = margin - 1 + box.diagonal(i) * value;
      own.loss += box.loss(i, margin);
      own.linear += value;
      own.square += box.diagonal(i) * value * value;
      own.violation = std::max(own.violation, std::abs(projected_gradient(value, gradient_[begin + k], upper)));
      own.support += value > 0 ? 1U : 0U;
      own.at_bound += value >= upper ? 1U : 0U;
    }
    append_fields(own, sums);
    begin = end;
  }
  cost.streamed = cost.flops;
}

SvmSlice::SvmSlice(const SvmProblems& problems, std::vector<VarId> variables)
    : problems_(problems), variables_(std::move(variables)), coordinates_(problems, variables_) {
  choose_policy(coordinates_, problems.options().policies);
}

Payload SvmSlice::refresh(const State& state, Chunks& chunks, Cost& cost) {
  const auto& now = static_cast<const SvmState&>(state);
  Payload status{{}, {static_cast<double>(now.first)}};
  coordinates_.refresh(now, status.values, chunks, cost);
  if (!now.verified) return status;
  // The end of the run: what it has found.
  status.ids = variables_;
  for (const VarId j : variables_) status.values.push_back(now.alpha[j]);
  if (position(0) != SlicePositions::kNone) {
    for (const auto* numbers : {&now.w, &now.kept}) {
      status.values.insert(status.values.end(), numbers->begin(), numbers->end());
    }
  }
  return status;
}

Block SvmSlice::joint_block(const State&, const PhasePlan& plan) const {
  const auto words = read_fields<PhaseWords>(plan.content.values);
  Block block{
      .content = payload_of(BlockWords{.relative_gap = kInnerShare * words.inner_gap,
                                       .flops_max = plan.content.ids.size() == 1 ? kFlopsAlone : kFlopsOfSeveral,
                                       .stream = words.first}),
      .kind = kSolveProblems};
  for (const VarId problem : plan.content.ids) {
    block.content.ids.push_back(static_cast<VarId>(problem * problems_.shape().samples));
  }
  return block;
}

void SvmSlice::take_commit(const RoundOutcome& outcome, SliceChanges& changes) {
  const Payload& committed = *outcome.changes;
  if (committed.ids.empty()) return;  // an empty round, or problems solved whole: no policy draws in such a phase
  const auto deltas = std::span(committed.values).last(committed.ids.size());
  for (std::size_t k = 0; k < committed.ids.size(); ++k) {
    const std::size_t at = position(committed.ids[k]);
    if (at == SlicePositions::kNone) continue;
    changes.changed.push_back(static_cast<std::uint32_t>(at));
    changes.deltas.push_back(outcome.step * deltas[k]);
  }
}

}  // namespace strads::svm
