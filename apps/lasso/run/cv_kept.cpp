// The first payload is what the path told the others: lambdas, and how many of them it has solved. Each one after it is
// a step: KeptPoint and the coefficients, with the variables as ids.
#include "lasso/run/cv_kept.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "strads/base/payload_fields.hpp"

namespace strads::lasso {
namespace {

struct KeptPoint {
  std::uint64_t index = 0;
  double lambda = 0;
  double objective = 0, gap = 0, relative_gap = 0, dual = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t converged = 0;
  double deviance_ratio = 0;
  std::uint64_t phases = 0;
  double seconds = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& point, Visit&& visit) {
    visit(point.index);
    visit(point.lambda);
    visit(point.objective);
    visit(point.gap);
    visit(point.relative_gap);
    visit(point.dual);
    visit(point.nonzeros);
    visit(point.converged);
    visit(point.deviance_ratio);
    visit(point.phases);
    visit(point.seconds);
  }
};

Payload kept_of(const PathStep& step) {
  const PathPoint& point = step.point;
  const Certificate& certificate = point.certificate;
  Payload kept = payload_of(KeptPoint{.index = point.index,
                                      .lambda = point.lambda,
                                      .objective = certificate.objective,
                                      .gap = certificate.gap,
                                      .relative_gap = certificate.relative_gap,
                                      .dual = certificate.dual,
                                      .nonzeros = certificate.nonzeros,
                                      .converged = certificate.converged ? 1U : 0U,
                                      .deviance_ratio = point.deviance_ratio,
                                      .phases = point.phases,
                                      .seconds = step.seconds});
  kept.ids = point.variables;
  kept.values.insert(kept.values.end(), point.standardized.begin(), point.standardized.end());
  return kept;
}

std::optional<PathStep> step_of(const Payload& kept) {
  const auto fields = find_fields<KeptPoint>(kept.values);
  if (!fields || kept.values.size() != kFields<KeptPoint> + kept.ids.size()) return std::nullopt;
  const auto coefficients = std::span(kept.values).subspan(kFields<KeptPoint>);
  PathStep step;
  step.seconds = fields->seconds;
  step.point = {.index = fields->index,
                .lambda = fields->lambda,
                .certificate = {.objective = fields->objective,
                                .gap = fields->gap,
                                .relative_gap = fields->relative_gap,
                                .dual = fields->dual,
                                .nonzeros = fields->nonzeros,
                                .converged = fields->converged != 0},
                .deviance_ratio = fields->deviance_ratio,
                .phases = fields->phases,
                .variables = kept.ids,
                .standardized = {coefficients.begin(), coefficients.end()}};
  return step;
}

}  // namespace

KeptOfRun kept_of_path(const std::vector<PathStep>& steps, const PathLead* lead) {
  KeptOfRun kept;
  Payload& told = kept.numbers.emplace_back();
  if (lead != nullptr) {
    told.values = lead->lambdas;
    if (lead->count.has_value()) told.ids.push_back(static_cast<VarId>(*lead->count));
  }
  for (const PathStep& step : steps) kept.numbers.push_back(kept_of(step));
  return kept;
}

Status take_back_path(const KeptOfRun& kept, std::vector<PathStep>& steps, PathLead* lead) {
  Status wrong = Status::input("what it says of a path that ended is no such thing");
  if (kept.numbers.empty()) return wrong;
  const Payload& told = kept.numbers.front();
  if (told.ids.size() > 1 || (lead == nullptr) != told.values.empty()) return wrong;
  std::vector<PathStep> taken;
  for (const Payload& one : std::span(kept.numbers).subspan(1)) {
    auto step = step_of(one);
    if (!step || step->point.index != taken.size()) return wrong;
    taken.push_back(std::move(*step));
  }
  steps = std::move(taken);
  if (lead == nullptr) return {};
  lead->lambdas = told.values;
  if (!told.ids.empty()) lead->count = told.ids.front();
  return {};
}

}  // namespace strads::lasso
