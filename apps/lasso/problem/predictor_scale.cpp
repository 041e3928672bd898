#include "lasso/problem/predictor_scale.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lasso/problem/settle.hpp"

namespace strads::lasso {

namespace {
/// x max(1, |eta|): so much of its terms may a residual be where they cancel.
constexpr double kCancelled = 1e-13;

/// Whether the residuals of the null fit are what rounding leaves of differences, as of counts that are all the same.
bool is_rounding(const PredictorData& data, std::span<const double> residual, std::span<const double> roots) {
  if (data.family->slope_terms == nullptr) return false;
  const std::vector<double> terms = data.family->slope_terms(data.samples(), data.null.curvature);
  double squares = 0, largest = 1;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double root = roots.empty() ? 1.0 : roots[i];
    if (!(data.weights[i] > 0)) continue;
    squares += terms[i] / root * (terms[i] / root);
    largest = std::max(largest, std::abs(data.null.predictor[i]));
  }
  return std::sqrt(dot(residual, residual)) <= kCancelled * largest * std::sqrt(squares);
}
}  // namespace

Status standardise_predictor(const Dataset& dataset, const LassoOptions& options,
                             const std::vector<std::vector<double>>& unpenalised, LassoData& data) {
  const ColumnsView& view = dataset.columns();
  std::vector<std::string> names = dataset.covariate_names();
  for (const VarId j : data.unpenalised.variables) {
    const auto name = dataset.variable(j).id;
    names.push_back(name.empty() ? "column " + std::to_string(std::uint64_t{j} + 1) : std::string(name));
  }
  const auto name_of = [&dataset](std::size_t row) {
    const auto sample = dataset.sample(row).individual;
    return sample.empty() ? "row " + std::to_string(row + 1) : "sample '" + std::string(sample) + "'";
  };
  auto made = prepare_predictor(options.family, dataset.response(), view.weights, view.dropped_rows, dataset.offset(),
                                options.intercept, unpenalised, names, name_of);
  if (!made.ok()) return made.status();
  data.predictor = std::move(made).value();
  data.null_loss = data.predictor->null_loss;
  data.response.standardized = data.predictor->null.slope;
  const auto roots = data.columns->roots();
  auto& residual = data.response.standardized;
  for (std::size_t i = 0; i < roots.size(); ++i) residual[i] = roots[i] > 0 ? residual[i] / roots[i] : 0.0;
  if (is_rounding(*data.predictor, residual, roots)) {
    std::fill(residual.begin(), residual.end(), 0.0);
    data.response.nothing_left = "is explained by what has no penalty alone";
  }
  return {};
}

void predictor_scale(const LassoData& data, Solution& solution) {
  const PredictorData& own = *data.predictor;
  std::vector<double> fitted(data.columns->rows());
  for (std::size_t k = 0; k < solution.variables.size(); ++k) {
    const VarId j = solution.variables[k];
    const double coefficient = solution.standardized[k] / data.columns->norm(j);
    solution.coefficients.push_back(coefficient);
    solution.means.push_back(data.columns->observed_mean(j));
    solution.intercept -= data.columns->mean(j) * coefficient;
  }
  SerialChunks chunks;
  data.columns->combine(solution.variables, solution.standardized, fitted, chunks);
  const auto roots = data.columns->roots();
  for (std::size_t i = 0; i < roots.size(); ++i) fitted[i] = roots[i] > 0 ? fitted[i] / roots[i] : 0.0;
  LassoState::Linear linear = own.null;
  axpy(1.0, fitted, linear.predictor);
  const double before = refresh(own, linear, chunks);
  const double loss = settle(own, linear, before, chunks).loss;
  solution.explained = own.null_loss > 0 ? 1.0 - loss / own.null_loss : 0.0;
  const std::vector<double> shares = own.space.coefficients(linear.unpenalised);
  std::size_t at = 0;
  if (own.intercept) solution.intercept += shares[at++];
  for (std::size_t c = 0; c < data.dataset->covariates().size(); ++c) solution.covariates.push_back(shares[at++]);
  for (const VarId j : data.unpenalised.variables) {
    const double share = shares[at++];
    solution.unpenalised.push_back(share);
    if (own.intercept)
      solution.intercept -= data.unpenalised.columns->mean(j) * share / data.unpenalised.columns->norm(j);
  }
}

}  // namespace strads::lasso
