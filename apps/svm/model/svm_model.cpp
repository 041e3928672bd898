#include "svm/model/svm_model.hpp"

#include <algorithm>
#include <utility>

#include "svm/model/svm_judge.hpp"
#include "svm/model/svm_slice.hpp"

namespace strads::svm {

SvmModel::SvmModel(std::shared_ptr<const SvmData> data, const SvmOptions& options, const EngineOptions& engine)
    : problems_(std::move(data), options), seed_(engine.seed) {}

ModelShape SvmModel::shape() const {
  return {.variables = static_cast<VarId>(problems_.shape().variables())};
}

std::unique_ptr<Slice> SvmModel::make_slice(std::vector<VarId> variables) {
  return std::make_unique<SvmSlice>(problems_, std::move(variables));
}

std::unique_ptr<Judge> SvmModel::make_judge() const {
  return std::make_unique<SvmJudge>(problems_.shape(), problems_.options());
}

std::unique_ptr<State> SvmModel::restore_state(const Payload& content) const {
  auto state = SvmState::of(content, problems_.shape());
  if (!state.has_value()) return nullptr;
  return std::make_unique<SvmState>(*std::move(state));
}

void SvmModel::append_head(double realised, std::vector<double>& values) const {
  const auto words = find_fields<PhaseWords>(phase_.values).value_or(PhaseWords{});
  append_fields(ChangeWords{.first = words.first, .realised = realised}, values);
  const auto flags = std::span(phase_.values).last(problems_.shape().problems);
  values.insert(values.end(), flags.begin(), flags.end());
}

/// Whole problems come from one block, in a phase without another: what its worker found is committed as it is.
Pull SvmModel::pull_problems(const SvmState& now, std::span<const Payload> deltas) const {
  Pull pull;
  for (const Payload& block : deltas) {
    each_group(block.values, problems_.shape().samples,
               [&](std::size_t, double decrease, std::span<const double>) { pull.realised += decrease; });
  }
  pull.objective = now.objective - pull.realised;
  append_head(pull.realised, pull.changes.values);
  for (const Payload& block : deltas) {
    pull.changes.values.insert(pull.changes.values.end(), block.values.begin(), block.values.end());
  }
  return pull;
}

/// The guard: the minimum of f along the sum of all deltas, at most the whole of it. A delta that was computed from an
/// older value is clipped first, so that every step within [0, 1] stays within the bounds.
Pull SvmModel::pull(const State& state, std::span<const Payload> deltas, const Direction*) const {
  const auto& now = static_cast<const SvmState&>(state);
  if (std::ranges::any_of(deltas, [](const Payload& block) { return block.ids.empty() && !block.values.empty(); })) {
    return pull_problems(now, deltas);
  }
  std::vector<VarId> ids;
  std::vector<double> values;
  for (const Payload& block : deltas) {
    for (std::size_t k = 0; k < block.ids.size(); ++k) {
      const SvmProblems::Place at = problems_.place_of(block.ids[k]);
      const double before = now.alpha[block.ids[k]];
      const double delta = moved_in_box(before, block.values[k], problems_.box(at.problem).upper(at.sample)) - before;
      if (delta == 0) continue;
      ids.push_back(block.ids[k]);
      values.push_back(delta);
    }
  }
  double slope = 0, curvature = 0;
  std::vector<double> way;
  for (std::size_t problem = 0; problem < problems_.shape().problems; ++problem) {
    const double* const w = now.w.data() + problem * problems_.shape().width;
    bool moves = false;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const SvmProblems::Place at = problems_.place_of(ids[k]);
      if (at.problem != problem) continue;
      if (!moves) way.assign(problems_.shape().width, 0.0);
      moves = true;
      const DualBox& box = problems_.box(problem);
      const double signed_delta = box.sign(at.sample) * values[k], diagonal = box.diagonal(at.sample);
      slope += signed_delta * problems_.samples().dot(at.sample, w) + values[k] * (diagonal * now.alpha[ids[k]] - 1);
      curvature += diagonal * values[k] * values[k];
      problems_.samples().add(at.sample, signed_delta, way.data());
    }
    if (!moves) continue;
    for (const double own : way) curvature += own * own;
  }
  Pull pull;
  pull.step = slope < 0 ? (curvature > -slope ? -slope / curvature : 1.0) : 0.0;
  pull.realised = -pull.step * (slope + 0.5 * pull.step * curvature);
  pull.objective = now.objective - pull.realised;
  pull.changes.ids = std::move(ids);
  append_head(pull.realised, pull.changes.values);
  pull.changes.values.insert(pull.changes.values.end(), values.begin(), values.end());
  return pull;
}

void SvmModel::apply(State& state, const Payload& changes, double step, const Direction*, Chunks& chunks,
                     Cost& cost) const {
  if (changes.values.empty()) return;
  auto& next = static_cast<SvmState&>(state);
  const std::span<const double> values(changes.values);
  const auto words = read_fields<ChangeWords>(values);
  if (next.first != words.first) {
    // The first commit since a barrier whose w was the best so far.
    next.first = words.first;
    for (std::size_t problem = 0; problem < problems_.shape().problems; ++problem) {
      if (values[kFields<ChangeWords> + problem] == 0) continue;
      const auto begin = static_cast<std::ptrdiff_t>(problem * problems_.shape().width);
      std::copy_n(next.w.begin() + begin, problems_.shape().width, next.kept.begin() + begin);
    }
  }
  next.objective -= words.realised;
  next.verified = false;
  const auto rest = values.subspan(problems_.shape().change_head());
  if (changes.ids.empty()) {
    each_group(rest, problems_.shape().samples, [&](std::size_t problem, double, std::span<const double> alpha) {
      std::ranges::copy(alpha, next.alpha.begin() + static_cast<std::ptrdiff_t>(problem * problems_.shape().samples));
      renew(next, problem, chunks, cost);
    });
    return;
  }
  for (std::size_t k = 0; k < changes.ids.size(); ++k) {
    const SvmProblems::Place at = problems_.place_of(changes.ids[k]);
    const DualBox& box = problems_.box(at.problem);
    double& value = next.alpha[changes.ids[k]];
    const double before = std::exchange(value, moved_in_box(value, step * rest[k], box.upper(at.sample)));
    // What was truly added, so that w stays the sum of what alpha says.
    problems_.samples().add(at.sample, box.sign(at.sample) * (value - before),
                            next.w.data() + at.problem * problems_.shape().width);
    cost.flops += 2 * problems_.samples().entries(at.sample);
  }
}

void SvmModel::renew(SvmState& state, std::size_t problem, Chunks& chunks, Cost& cost) const {
  std::vector<std::uint32_t> chosen;
  std::vector<double> factors;
  const DualBox& box = problems_.box(problem);
  const double* const alpha = state.alpha.data() + problem * problems_.shape().samples;
  for (std::uint32_t i = 0; i < problems_.shape().samples; ++i) {
    if (alpha[i] == 0) continue;
    chosen.push_back(i);
    factors.push_back(box.sign(i) * alpha[i]);
    cost.flops += 2 * problems_.samples().entries(i);
  }
  problems_.samples().combine(
      chosen, factors, std::span(state.w).subspan(problem * problems_.shape().width, problems_.shape().width), chunks);
}

void SvmModel::recompute(State& state, Chunks& chunks, Cost& cost) const {
  auto& next = static_cast<SvmState&>(state);
  next.verified = true;
  double objective = 0;
  for (std::size_t problem = 0; problem < problems_.shape().problems; ++problem) {
    renew(next, problem, chunks, cost);
    const DualBox& box = problems_.box(problem);
    double quadratic = 0, linear = 0;
    for (const double own : std::span(next.w).subspan(problem * problems_.shape().width, problems_.shape().width))
      quadratic += own * own;
    for (std::uint32_t i = 0; i < problems_.shape().samples; ++i) {
      const double value = next.alpha[problem * problems_.shape().samples + i];
      quadratic += box.diagonal(i) * value * value;
      linear += value;
    }
    objective += 0.5 * quadratic - linear;
  }
  next.objective = objective;
}

std::shared_ptr<Model> make_svm_model(std::shared_ptr<const SvmData> data, const SvmOptions& options,
                                      const EngineOptions& engine) {
  return std::make_shared<SvmModel>(std::move(data), options, engine);
}

}  // namespace strads::svm
