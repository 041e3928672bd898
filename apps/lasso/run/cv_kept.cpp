// The first payload is what the path told the others: lambdas, and how many of them it has solved. Each one after it is
// a solution: Solution::kept_fields() and the coefficients, with the variables as ids.
#include "lasso/run/cv_kept.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "strads/base/payload_fields.hpp"

namespace strads::lasso {
namespace {

Payload kept_of(const Solution& solution) {
  Payload kept;
  Solution::kept_fields(solution, [&](const char*, auto field) { kept.values.push_back(static_cast<double>(field)); });
  kept.ids = solution.variables;
  kept.values.insert(kept.values.end(), solution.standardized.begin(), solution.standardized.end());
  return kept;
}

std::optional<Solution> solution_from(const Payload& kept) {
  Solution solution;
  std::size_t at = 0;
  bool right = true;
  Solution::kept_fields(solution, [&]<class Field>(const char*, Field& field) {
    const double value = at < kept.values.size() ? kept.values[at] : 0.0;
    right = right && at++ < kept.values.size() && (std::is_same_v<Field, double> || is_count(value));
    if (right) field = static_cast<Field>(value);
  });
  if (!right || kept.values.size() != at + kept.ids.size()) return std::nullopt;
  solution.variables = kept.ids;
  solution.standardized.assign(kept.values.begin() + static_cast<std::ptrdiff_t>(at), kept.values.end());
  return solution;
}

}  // namespace

KeptOfRun kept_of_path(const std::vector<Solution>& steps, const PathLead* lead) {
  KeptOfRun kept;
  Payload& told = kept.numbers.emplace_back();
  if (lead != nullptr) {
    told.values = lead->lambdas;
    if (lead->count.has_value()) told.ids.push_back(static_cast<VarId>(*lead->count));
  }
  for (const Solution& step : steps) kept.numbers.push_back(kept_of(step));
  return kept;
}

Status take_back_path(const KeptOfRun& kept, std::vector<Solution>& steps, PathLead* lead) {
  Status wrong = Status::input("what it says of a path that ended is no such thing");
  if (kept.numbers.empty()) return wrong;
  const Payload& told = kept.numbers.front();
  if (told.ids.size() > 1 || (lead == nullptr) != told.values.empty()) return wrong;
  std::vector<Solution> taken;
  for (const Payload& one : std::span(kept.numbers).subspan(1)) {
    auto step = solution_from(one);
    if (!step || step->index != taken.size()) return wrong;
    taken.push_back(std::move(*step));
  }
  steps = std::move(taken);
  if (lead == nullptr) return {};
  lead->lambdas = told.values;
  if (!told.ids.empty()) lead->count = told.ids.front();
  return {};
}

}  // namespace strads::lasso
