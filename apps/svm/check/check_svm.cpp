#include "svm/check/check_svm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace strads::svm {

namespace {

/// f(x_i) of a problem by its weights, every product and sum in long double.
struct Decision {
  long double value = 0;
  long double reach = 0;  ///< the sum of the absolute values of what is added up
};

Decision decision(const Rows& rows, std::size_t i, const double* weights, double bias) {
  Decision sum{bias, std::abs(bias)};
  for (std::uint64_t at = rows.begins[i]; at < rows.begins[i + 1]; ++at) {
    const long double term = static_cast<long double>(rows.values[at]) * weights[rows.index[at]];
    sum.value += term;
    sum.reach += std::abs(term);
  }
  return sum;
}

class ProblemCheck {
 public:
  ProblemCheck(const SvmData& data, const SvmOptions& options, const SvmSolution& solution, std::size_t problem)
      : data_(data),
        options_(options),
        weights_(solution.weights.data() + problem * solution.features),
        bias_(solution.bias[problem]),
        alpha_(solution.alpha.data() + problem * data.samples()),
        problem_(problem) {}

  /// 1/2 ||w||^2 + sum C_i l(y_i f(x_i)); `values`: f of every sample, which this fills. `rounding`: a margin in double
  /// precision is off by some units of its terms' last place, where w is a sum that cancels by as much again.
  long double primal(std::vector<double>& values, std::uint64_t& errors, double& rounding) const {
    constexpr double kUnits = 64;
    long double uncertain = 0;
    long double sum = 0;
    for (std::size_t j = 0; j < data_.rows.features; ++j) sum += 0.5L * weights_[j] * weights_[j];
    // The constant feature's weight is penalised, and is the bias by its value.
    if (options_.bias != 0) sum += 0.5L * bias_ / options_.bias * bias_ / options_.bias;
    for (std::size_t i = 0; i < data_.samples(); ++i) {
      const auto [f, reach] = decision(data_.rows, i, weights_, bias_);
      values[i] = static_cast<double>(f);
      const long double lack = 1 - y(i) * f;
      errors += lack >= 1 ? 1U : 0U;
      if (lack > 0) sum += cost(i) * (options_.loss == Loss::hinge ? lack : lack * lack);
      const long double slope = options_.loss == Loss::hinge ? cost(i) : 2 * cost(i) * std::max(lack, 0.0L);
      uncertain += (slope + alpha_[i]) * (1 + reach);
    }
    rounding = static_cast<double>(uncertain) * kUnits * std::numeric_limits<double>::epsilon();
    return sum;
  }

  /// sum a - 1/2 ||sum a y x||^2, for squared hinge - sum a^2 / (4 C). It needs no w.
  long double dual() const {
    std::vector<long double> sums(data_.rows.features, 0);
    long double constant = 0, value = 0;
    for (std::size_t i = 0; i < data_.samples(); ++i) {
      const long double own = alpha_[i];
      if (own == 0) continue;
      for (std::uint64_t at = data_.rows.begins[i]; at < data_.rows.begins[i + 1]; ++at) {
        sums[data_.rows.index[at]] += y(i) * own * data_.rows.values[at];
      }
      constant += y(i) * own * options_.bias;
      value += own;
      if (options_.loss == Loss::squared_hinge) value -= own * own / (4 * cost(i));
    }
    for (const long double sum : sums) value -= 0.5L * sum * sum;
    return value - 0.5L * constant * constant;
  }

  void count(SvmCheck& found) const {
    for (std::size_t i = 0; i < data_.samples(); ++i) {
      found.support += alpha_[i] > 0 ? 1U : 0U;
      if (options_.loss == Loss::hinge) found.at_bound += alpha_[i] >= data_cost(i) ? 1U : 0U;
    }
  }

 private:
  [[nodiscard]] bool is_positive(std::size_t i) const {
    return data_.labels[i] == (data_.classes == 2 ? 1U : static_cast<std::uint32_t>(problem_));
  }
  [[nodiscard]] long double y(std::size_t i) const { return is_positive(i) ? 1 : -1; }
  [[nodiscard]] double data_cost(std::size_t i) const {
    double factor = data_.sample_weights.empty() ? 1.0 : data_.sample_weights[i];
    if (!data_.class_weights.empty() && (data_.classes == 2 || is_positive(i))) {
      factor *= data_.class_weights[data_.labels[i]];
    }
    return options_.cost * factor;
  }
  [[nodiscard]] long double cost(std::size_t i) const { return data_cost(i); }

  const SvmData& data_;
  const SvmOptions& options_;
  const double* weights_;
  double bias_;
  const double* alpha_;
  std::size_t problem_;
};

/// The class whose f is largest, of those alike the first; of two classes the second where f is above 0.
std::uint32_t predicted(const std::vector<std::vector<double>>& values, std::size_t i) {
  if (values.size() == 1) return values[0][i] > 0 ? 1 : 0;
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < values.size(); ++k) {
    if (values[k][i] > values[best][i]) best = k;
  }
  return best;
}

std::string objectives_text(const char* what, double found, double said) {
  char text[128];
  std::snprintf(text, sizeof text, "%s%.17g, where the solver says %.17g", what, found, said);
  return text;
}

Status wrong(std::size_t problem, const std::string& what) {
  return Status::internal("the check of problem " + std::to_string(problem) + " found " + what + ": this is a bug");
}

}  // namespace

SvmCheck check_solution(const SvmData& data, const SvmOptions& options, const SvmSolution& solution, Chunks& chunks) {
  const std::size_t problems = data.problems();
  SvmCheck found;
  found.primal.resize(problems);
  found.rounding.resize(problems);
  found.dual.resize(problems);
  found.errors.resize(problems);
  std::vector<std::vector<double>> values(problems, std::vector<double>(data.samples()));
  // Both halves of each problem are pieces of their own.
  chunks.for_each(2 * problems, [&](std::size_t piece) {
    const std::size_t problem = piece / 2;
    const ProblemCheck check(data, options, solution, problem);
    if (piece % 2 == 0) {
      found.primal[problem] =
          static_cast<double>(check.primal(values[problem], found.errors[problem], found.rounding[problem]));
    } else {
      found.dual[problem] = static_cast<double>(check.dual());
    }
  });
  for (std::size_t problem = 0; problem < problems; ++problem) {
    ProblemCheck(data, options, solution, problem).count(found);
    found.gap.push_back(found.primal[problem] - found.dual[problem]);
    found.objective += found.primal[problem];
    found.dual_objective += found.dual[problem];
    if (found.primal[problem] > 0) {
      found.worst_gap = std::max(found.worst_gap, found.gap[problem] / found.primal[problem]);
    }
  }
  for (std::size_t i = 0; i < data.samples(); ++i) found.wrong += predicted(values, i) != data.labels[i] ? 1U : 0U;
  return found;
}

Status confirm(const SvmSolution& solution, const SvmCheck& found, const SvmData& data, const SvmOptions& options) {
  constexpr double kAgreement = 1e-9;
  for (std::size_t problem = 0; problem < data.problems(); ++problem) {
    const double primal = found.primal[problem], dual = found.dual[problem];
    if (!std::isfinite(primal) || !std::isfinite(dual)) return wrong(problem, "an objective that is not finite");
    const double rounding = kAgreement * std::max(primal, std::abs(dual)) + found.rounding[problem];
    if (!(std::abs(solution.primal[problem] - primal) <= rounding)) {
      return wrong(problem, objectives_text("objective ", primal, solution.primal[problem]));
    }
    if (!(std::abs(solution.dual[problem] - dual) <= rounding)) {
      return wrong(problem, objectives_text("dual objective ", dual, solution.dual[problem]));
    }
    if (!(found.gap[problem] >= -rounding)) return wrong(problem, "a dual objective above the primal one");
    for (std::size_t i = 0; i < data.samples(); ++i) {
      const double alpha = solution.alpha[problem * data.samples() + i];
      const double upper = options.loss == Loss::hinge ? options.cost * data.weight(problem, i) : HUGE_VAL;
      if (!(alpha >= 0 && alpha <= upper)) return wrong(problem, "a dual variable outside its bounds");
    }
  }
  return {};
}

}  // namespace strads::svm
