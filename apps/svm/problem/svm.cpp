#include "svm/problem/svm.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>

#include "strads/base/hash.hpp"
#include "strads/base/types.hpp"
#include "strads/engine/progress.hpp"
#include "svm/problem/payloads.hpp"

namespace strads::svm {

namespace {

/// Where the reports of the last barrier put what has d + 1 numbers for each problem.
struct Found {
  std::vector<double> alpha;
  std::span<const double> w, kept;
};

Found gather(const PayloadShape& shape, const RunEnd& end) {
  Found found{std::vector<double>(shape.variables(), 0.0), {}, {}};
  for (const Payload& status : end.statuses) {
    auto rest = std::span(status.values).subspan(std::min(status.values.size(), shape.status_head()));
    if (rest.size() < status.ids.size()) continue;
    for (std::size_t k = 0; k < status.ids.size(); ++k) found.alpha[status.ids[k]] = rest[k];
    rest = rest.subspan(status.ids.size());
    if (rest.size() < 2 * shape.problems * shape.width || rest.empty()) continue;
    found.w = rest.first(rest.size() / 2);
    found.kept = rest.last(rest.size() / 2);
  }
  return found;
}

}  // namespace

bool fits_engine(const SvmData& data) {
  return std::uint64_t{data.problems()} * data.samples() < std::numeric_limits<VarId>::max();
}

SvmSolution solution_of(const SvmData& data, const SvmOptions& options, const RunEnd& end) {
  const std::size_t features = data.rows.features;
  const PayloadShape shape{
      .problems = data.problems(), .samples = data.samples(), .width = features + (options.bias != 0 ? 1U : 0U)};
  Found found = gather(shape, end);
  SvmSolution solution{.features = features,
                       .weights = std::vector<double>(shape.problems * features, 0.0),
                       .bias = std::vector<double>(shape.problems, 0.0),
                       .alpha = std::move(found.alpha),
                       .primal = {},
                       .dual = {}};
  const auto by_problem = std::span(end.certificate.figures).last(3 * shape.problems);
  for (std::size_t problem = 0; problem < shape.problems; ++problem) {
    const auto judged = by_problem.subspan(3 * problem, 3);
    solution.primal.push_back(judged[0]);
    solution.dual.push_back(judged[1]);
    if (shape.width == 0) continue;
    const auto w = (judged[2] != 0 ? found.kept : found.w).subspan(problem * shape.width, shape.width);
    std::ranges::copy(w.first(features), solution.weights.begin() + static_cast<std::ptrdiff_t>(problem * features));
    if (options.bias != 0) solution.bias[problem] = options.bias * w.back();
  }
  return solution;
}

std::string model_hash(const SvmSolution& solution) {
  Hash64 hash;
  for (const double weight : solution.weights) hash.update_f64(weight);
  for (const double bias : solution.bias) hash.update_f64(bias);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.digest()));
  return text;
}

std::uint64_t memory_of_model(std::uint64_t samples, std::uint64_t features, std::uint64_t problems) {
  constexpr std::uint64_t kOfVariable = 140;  // replica, slices, solver, the messages of a phase and of the end
  constexpr std::uint64_t kOfWeight = 120;    // replica, what is kept, solver, sums of several threads
  return problems * samples * kOfVariable + problems * (features + 1) * kOfWeight;
}

}  // namespace strads::svm
