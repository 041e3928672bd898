// From a data set to the standardised problem, and from its solution back to the units of the data.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "lasso/problem/lasso.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/problem/predictor_scale.hpp"
#include "lasso/problem/warm_start.hpp"
#include "strads/base/hash.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/progress.hpp"

namespace strads::lasso {

namespace {
/// Subtracts `mean` from the samples; dropped rows stay 0.
void shift(std::vector<double>& values, const ColumnsView& view, double mean) {
  for (double& value : values) value -= mean;
  for (const std::uint32_t row : view.dropped_rows) values[row] = 0.0;
}

/// v_i <- sqrt(w_i) v_i; nothing without weights.
void weigh(std::vector<double>& v, std::span<const double> roots) {
  for (std::size_t i = 0; i < roots.size(); ++i) v[i] *= roots[i];
}

/// Whether these options can have variables without a penalty.
Status check_unpenalised(const LassoOptions& options) {
  if (options.nonnegative) {
    return Status::usage(
        "--nonnegative needs penalty factors above 0: variables without a penalty are projected out, where nothing "
        "bounds them");
  }
  if (!(options.center && options.center_y)) {
    return Status::usage(
        "penalty factors of 0 need --center on and --center-y on: such variables are projected out together with the "
        "mean");
  }
  return {};
}

/// Whether anything besides the mean is projected out (it may turn out to have no direction of its own).
bool projects(const LassoData& data, const Dataset& dataset) {
  return !dataset.covariates().empty() || data.unpenalised.any();
}

/// Sums of squares outside of these lose digits, or overflow.
constexpr double kSquaresMin = 1e-200, kSquaresMax = 1e200;
/// Numbers outside of these cannot be represented together with their reciprocals.
constexpr double kScaleMin = 1e-290, kScaleMax = 1e290;
/// Share of its mean below which a deviation is computed from differences: a plain mean would not be exact enough.
constexpr double kSmallDeviation = 1e-8;
/// Share of a response below which what has no penalty has left nothing but rounding.
constexpr double kExplained = 1e-9;
/// A response that varies by fewer units in the last place is rounding.
constexpr double kUnitsMin = 4;

/// Divides the response by a power of two where its squares would overflow or vanish; returns the exponent.
int take_out_scale(std::vector<double>& y) {
  const double squares = dot(y, y);
  if (squares > kSquaresMin && squares < kSquaresMax) return 0;
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  const int exponent = largest > 0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
  for (double& value : y) value = std::ldexp(value, -exponent);
  return exponent;
}

double mean_of(const std::vector<double>& y, const ColumnsView& view) {
  return view.weights.empty() ? sum(y) / static_cast<double>(view.samples()) : dot(view.weights, y) / sum(view.weights);
}

/// Subtracts the mean and returns it. Where the deviation is tiny, as of 1e15 + {0, 1}, the mean of the differences
/// from one of the samples is taken: they are exact.
double centre(std::vector<double>& y, const ColumnsView& view) {
  const std::vector<double> raw = y;
  const double mean = mean_of(y, view);
  shift(y, view, mean);
  const double samples = static_cast<double>(view.samples());
  if (dot(y, y) > kSmallDeviation * kSmallDeviation * mean * mean * samples) return mean;
  std::size_t first = 0;
  while (first < view.dropped_rows.size() && view.dropped_rows[first] == first) ++first;
  if (first == raw.size()) return mean;
  y = raw;
  shift(y, view, raw[first]);
  const double rest = mean_of(y, view);
  shift(y, view, rest);
  return raw[first] + rest;
}

Status not_usable(const Dataset& dataset, const std::string& why) {
  return Status::input("response '" + std::string(dataset.response_name()) + "' " + why);
}

/// How much the samples' values differ.
enum class ResponseVariation : std::uint8_t { none, rounding, plain };
struct ResponseSpread {
  ResponseVariation variation = ResponseVariation::none;
  double least = std::numeric_limits<double>::infinity(), most = -least;
};
ResponseSpread spread_of_response(const Dataset& dataset) {
  const ColumnsView& view = dataset.columns();
  const auto y = dataset.response();
  ResponseSpread spread;
  auto& [variation, least, most] = spread;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::binary_search(view.dropped_rows.begin(), view.dropped_rows.end(), i)) continue;
    least = std::min(least, y[i]);
    most = std::max(most, y[i]);
  }
  const double size = std::max(std::abs(least), std::abs(most));
  const double unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  variation = !(least < most)                   ? ResponseVariation::none
              : most - least < kUnitsMin * unit ? ResponseVariation::rounding
                                                : ResponseVariation::plain;
  return spread;
}

Status only_rounding(const Dataset& dataset, const ResponseSpread& spread) {
  char text[160];
  std::snprintf(text, sizeof text, "lies between %.17g and %.17g: double precision cannot tell that from rounding; ",
                spread.least, spread.most);
  return not_usable(dataset, text + std::string("subtract a constant from it"));
}

/// Nothing is left of the response: zeros are the solution.
void leave_nothing(ScaledResponse& response, const char* why) {
  std::fill(response.standardized.begin(), response.standardized.end(), 0.0);
  response.nothing_left = why;
}

/// Centres, scales and projects the response. REQUIRES: data.columns and data.unpenalised.
Status standardise_response(const Dataset& dataset, const LassoOptions& options, LassoData& data) {
  const ColumnsView& view = dataset.columns();
  ScaledResponse& response = data.response;
  response.standardized.assign(dataset.response().begin(), dataset.response().end());
  const auto roots = data.columns->roots();
  const int exponent = take_out_scale(response.standardized);
  if (options.center_y) response.mean = std::ldexp(centre(response.standardized, view), exponent);
  weigh(response.standardized, roots);
  const double norm = std::sqrt(dot(response.standardized, response.standardized));
  if (options.center_y) {
    const ResponseSpread spread = spread_of_response(dataset);
    if (spread.variation == ResponseVariation::rounding) return only_rounding(dataset, spread);
    if (spread.variation == ResponseVariation::none) leave_nothing(response, "is constant");
  } else if (!(norm > 0)) {
    leave_nothing(response, "is 0 at all samples");
  }
  if (*response.nothing_left != '\0') return {};
  if (options.scale_y) {
    response.norm = std::ldexp(norm, exponent);
    for (double& value : response.standardized) value /= norm;
  }
  const bool fits = options.scale_y ? response.norm > kScaleMin && response.norm < kScaleMax : exponent == 0;
  if (!fits) {
    return not_usable(dataset,
                      "is too large or too small for its squares to be represented; multiply it by a constant" +
                          std::string(options.scale_y ? "" : ", or leave out --scale-y off"));
  }
  if (projects(data, dataset)) {
    const double before = std::sqrt(dot(response.standardized, response.standardized));
    data.columns->project(response.standardized);
    if (!(std::sqrt(dot(response.standardized, response.standardized)) > kExplained * before)) {
      leave_nothing(response, "is explained by what has no penalty alone");
    }
  }
  return {};
}
}  // namespace

Result<std::shared_ptr<LassoData>> prepare_lasso(std::shared_ptr<const Dataset> dataset, const LassoOptions& options) {
  auto data = std::make_shared<LassoData>();
  const ColumnsView& view = dataset->columns();
  const bool projected_out = options.family->is_squares();  // what has no penalty
  data->family = options.family;
  if (projected_out && !dataset->covariates().empty() && !(options.center && options.center_y)) {
    return Status::usage(
        "--covar needs --center on and --center-y on: covariates are projected out together with the mean");
  }
  const Standardization how{options.center, options.scale};
  data->factors = solver_factors(*dataset);
  data->unpenalised = find_unpenalised(*dataset, how);
  std::vector<std::vector<double>> projected = dataset->covariates();
  ColumnsView solved = view;
  if (data->unpenalised.any()) {
    if (Status possible = projected_out ? check_unpenalised(options) : Status(); !possible.ok()) return possible;
    std::vector<std::vector<double>> more = data->unpenalised.vectors();
    std::move(more.begin(), more.end(), std::back_inserter(projected));
    solved.excluded = data->unpenalised.excluded;
  }
  if (projected_out) {
    data->columns = std::make_shared<StandardizedColumns>(solved, how, projected);
    if (Status ready = standardise_response(*dataset, options, *data); !ready.ok()) return ready;
    data->null_loss = 0.5 * dot(data->response.standardized, data->response.standardized);
  } else {
    data->columns = std::make_shared<StandardizedColumns>(solved, how);
    if (Status ready = standardise_predictor(*dataset, options, projected, *data); !ready.ok()) return ready;
  }
  data->units = LambdaUnits(options.l1_ratio, projected_out, options.scale, std::sqrt(data->columns->weight()));
  if (options.warm_start != nullptr) {
    auto start = warm_start(*options.warm_start, *dataset, *data->columns, data->response.norm);
    if (!start.ok()) return start.status();
    data->start = options.nonnegative ? positive_part(start.value()) : std::move(start).value();
  }
  data->dataset = std::move(dataset);
  return data;
}

const char* storage_name(Storage storage) {
  switch (storage) {
    case Storage::genotype_2bit:
      return "genotypes";
    case Storage::dense_f32:
      return "dense f32";
    case Storage::dense_f64:
      return "dense f64";
    case Storage::dense_i8:
      return "dense i8";
    case Storage::dense_u8:
      return "dense u8";
    case Storage::dosage_u16:
      return "dosages";
    case Storage::sparse_f32:
    case Storage::sparse_f64:
      break;
  }
  return "sparse";
}

Solution solution_of(const RunEnd& end) {
  Solution solution;
  solution.problem = read_fields<Start>(end.problem.values);
  solution.lambda = solution.problem.lambda;
  solution.certificate = end.certificate;
  solution.phases = end.totals.phases;
  // Only a run that stopped for this reason ("malformed status") has others.
  const bool readable = std::ranges::all_of(end.statuses, [](const Payload& status) {
    return well_formed(PayloadKind::status, status, std::numeric_limits<VarId>::max());
  });
  if (!readable) return solution;
  Nonzeros nonzeros = nonzeros_of(end.statuses);
  solution.variables = std::move(nonzeros.variables);
  solution.standardized = std::move(nonzeros.values);
  return solution;
}

std::string beta_hash(const Solution& solution, VarId variables) {
  // Nearly all coefficients are 0: bytes at once, not number by number. A path hashes them at every lambda.
  static constexpr std::array<std::byte, 32768> kZeros{};
  Hash64 hash;
  const auto hash_zeros = [&hash](std::size_t count) {
    for (std::size_t bytes = count * sizeof(double); bytes > 0;) {
      const std::size_t piece = std::min(bytes, kZeros.size());
      hash.update(std::span(kZeros).first(piece));
      bytes -= piece;
    }
  };
  VarId hashed = 0;
  for (std::size_t k = 0; k < solution.variables.size(); ++k) {
    hash_zeros(solution.variables[k] - hashed);
    hash.update_f64(solution.standardized[k]);
    hashed = solution.variables[k] + 1;
  }
  hash_zeros(variables - hashed);
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash.digest()));
  return text.data();
}

namespace {

void squares_scale(const LassoData& data, Solution& solution) {
  solution.intercept = data.response.mean;
  std::vector<double> fitted(data.columns->rows());
  for (std::size_t k = 0; k < solution.variables.size(); ++k) {
    const VarId j = solution.variables[k];
    const double coefficient = data.response.norm * solution.standardized[k] / data.columns->norm(j);
    solution.coefficients.push_back(coefficient);
    solution.means.push_back(data.columns->observed_mean(j));
    solution.intercept -= data.columns->mean(j) * coefficient;
  }
  SerialChunks chunks;
  data.columns->combine(solution.variables, solution.standardized, fitted, chunks);
  std::vector<double> residual = data.response.standardized;
  axpy(-1.0, fitted, residual);
  const double before = dot(data.response.standardized, data.response.standardized);
  solution.explained = before > 0 ? 1.0 - dot(residual, residual) / before : 0.0;
  if (projects(data, *data.dataset)) {
    // y - X beta in original units, means of the columns put aside into the intercept as above.
    const ColumnsView& view = data.dataset->columns();
    std::vector<double> rest(data.dataset->response().begin(), data.dataset->response().end());
    weigh(rest, data.columns->roots());
    for (std::size_t k = 0; k < solution.variables.size(); ++k) {
      std::vector<double> column(rest.size());
      const VarId j = solution.variables[k];
      data.columns->add(j, 1.0, column);
      axpy(-solution.coefficients[k] * data.columns->norm(j), column, rest);
    }
    shift(rest, view, 0.0);
    const auto with_constant = data.columns->covariate_coefficients(rest);
    solution.intercept += with_constant[0] - data.response.mean;
    const auto first = with_constant.begin() + 1;
    const auto middle = first + static_cast<std::ptrdiff_t>(data.dataset->covariates().size());
    solution.covariates.assign(first, middle);
    for (auto share = middle; share != with_constant.end(); ++share) {
      const VarId j = data.unpenalised.variables[static_cast<std::size_t>(share - middle)];
      solution.unpenalised.push_back(*share / data.response.norm);
      solution.intercept -= data.unpenalised.columns->mean(j) * *share / data.unpenalised.columns->norm(j);
    }
  }
}

/// Puts the unpenalised variables among the others.
void add_unpenalised(const LassoData& data, Solution& solution) {
  const StandardizedColumns& columns = *data.unpenalised.columns;
  for (std::size_t u = 0; u < solution.unpenalised.size(); ++u) {
    const VarId j = data.unpenalised.variables[u];
    const auto at = std::lower_bound(solution.variables.begin(), solution.variables.end(), j);
    const auto place = at - solution.variables.begin();
    solution.variables.insert(at, j);
    solution.standardized.insert(solution.standardized.begin() + place, solution.unpenalised[u]);
    solution.coefficients.insert(solution.coefficients.begin() + place,
                                 solution.unpenalised[u] * data.response.norm / columns.norm(j));
    solution.means.insert(solution.means.begin() + place, columns.observed_mean(j));
    solution.problem.missing += columns.missing(j);
  }
  std::uint64_t& excluded = solution.problem.excluded;
  excluded -= std::min<std::uint64_t>(excluded, data.unpenalised.variables.size());
}

}  // namespace

Solution original_scale(const LassoData& data, Solution solution) {
  if (data.predictor != nullptr) {
    predictor_scale(data, solution);
  } else {
    squares_scale(data, solution);
  }
  if (data.unpenalised.any()) add_unpenalised(data, solution);
  return solution;
}

double lambda_in_y(const LassoData& data, double lambda) {
  // As the slices say it (Ready::lambda_per_y), so that a lambda that is copied from here comes back as it was.
  return lambda / (data.units.per_glmnet / data.response.norm);
}

std::uint64_t unrepresented(const Solution& solution) {
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < solution.coefficients.size(); ++k) {
    const double there = solution.coefficients[k];
    if (solution.standardized[k] != 0 && (there == 0 || !std::isfinite(there))) ++count;
  }
  return count;
}

}  // namespace strads::lasso
