// The Lasso as a model of the engine: min over beta of 1/2 ||y - X beta||^2 + lambda ||beta||_1, and the elastic net.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lasso/family/family.hpp"
#include "lasso/problem/lasso_path.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/problem/unpenalised.hpp"
#include "strads/data/dataset.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/policies/options.hpp"

namespace strads {
class Model;    // strads/engine/model.hpp
struct RunEnd;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::lasso {

/// How lambda is given.
enum class LambdaScale : std::uint8_t {
  unit,   ///< lambda of the standardised problem
  y,      ///< lambda x sy / sqrt(N): with scaled columns the lambda of glmnet and scikit-learn
  ratio,  ///< lambda / lambda_max
  sample  ///< lambda x sy / N: without scaling that of scikit-learn's Lasso (alpha); folds have the same one
};

using strads::CostModel;
using strads::Policy;
using strads::PolicyOptions;

/// One flop of a pass over columns on the machine of bench/RESULTS.md; genotypes of two bits and bytes are the fastest.
[[nodiscard]] constexpr double streaming_seconds(Storage storage) noexcept {
  return storage == Storage::genotype_2bit || is_bytes(storage) ? 4.2e-11 : kStreamedFlopSeconds;
}

/// "genotypes", "dense f32", "dense f64", "sparse" ...: what prices of a machine call it.
[[nodiscard]] const char* storage_name(Storage storage);

struct FittedModel;  // lasso/model_file.hpp

struct LassoOptions : PolicyOptions {
  Family family = Family::gaussian;
  bool intercept = true;  ///< of losses of the predictor: b is fitted, without penalty; else 0
  bool guard = true;      ///< line search of every round; off only for experiments
  double lambda = 0.1;    ///< in the units of lambda_scale
  LambdaScale lambda_scale = LambdaScale::ratio;
  double l1_ratio = 1;       ///< of lambda, the part that is the l1 norm's; the rest is the squares'
  bool nonnegative = false;  ///< all b_j >= 0; covariates are free
  double tolerance = 1e-6;   ///< stop when gap <= tolerance x F(beta)
  bool center = true, scale = true, center_y = true, scale_y = true;
  std::shared_ptr<const FittedModel> warm_start;  ///< null: begin with zeros
  PathOptions path;                               ///< many lambdas instead of `lambda`
};

struct PredictorData;  // lasso/problem/predictor_data.hpp

/// The response on the scale of the solver: y~ = (y - ybar) / sy, covariates projected out. Of losses of the predictor
/// the residual without variables, mean 0 and norm 1.
struct ScaledResponse {
  std::vector<double> standardized;  ///< length rows, 0 at dropped rows
  double mean = 0;                   ///< ybar; 0 with center_y off
  double norm = 1;                   ///< sy; 1 with scale_y off, and where the response does not vary
  const char* nothing_left = "";     ///< why `standardized` is 0, for people: "is constant"; else ""
};

/// Coefficients to begin with, on the solver's scale; nothing where the run begins with zeros.
struct WarmStart {
  std::vector<VarId> variables;      ///< ascending, all of them kept
  std::vector<double> standardized;  ///< their values, none of them 0
  // What became of the earlier run's variables, for people.
  std::uint64_t of = 0;              ///< all of them
  std::uint64_t found = 0;           ///< that are here, and told apart
  std::uint64_t taking_part = 0;     ///< of these that are not constant, excluded or collinear here
  std::uint64_t samples_there = 0;   ///< of the earlier run; 0: it does not say
  std::uint64_t samples_common = 0;  ///< that are in both, by their ids
};

/// What one process knows about the data: mapped columns, their statistics (computed when first asked for), the
/// response.
struct LassoData {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<StandardizedColumns> columns;
  ScaledResponse response;
  Family family = Family::gaussian;
  double null_loss = 0;                            ///< F(0): the loss without variables
  LambdaUnits units{1, true, true, 1};             ///< of lambda
  std::shared_ptr<const PredictorData> predictor;  ///< of losses of the predictor; else null
  std::vector<double> factors;                     ///< of the penalty, J of them, > 0; empty: all 1
  Unpenalised unpenalised;
  WarmStart start;
};

/// Errors: input, when y is empty or varies by nothing but rounding, or no variable of the warm start is in the data;
/// usage, when covariates come without centring.
[[nodiscard]] Result<std::shared_ptr<LassoData>> prepare_lasso(std::shared_ptr<const Dataset> dataset,
                                                               const LassoOptions& options);

/// The solution with which a run has ended, gathered from the slices' last reports. REQUIRES: end.status.ok().
[[nodiscard]] Solution solution_of(const RunEnd& end);

/// XXH3-64 over all J standardised coefficients (f64 little-endian, file order, 0 for dropped and for unpenalised, -0
/// as 0), as 16 hex digits.
[[nodiscard]] std::string beta_hash(const Solution& solution, VarId variables);

/// lambda -> lambda in the units of y, that of glmnet where columns are scaled; of losses of the predictor, whose
/// response has no unit, lambda / sqrt(sum of weights), glmnet's too.
[[nodiscard]] double lambda_in_y(const LassoData& data, double lambda);

/// The same solution with what it is in units of the data: beta_j = sy b_j / s_j and b0 = ybar - sum_j mu_j beta_j
/// (formulas: docs/DESIGN.md), what it explains, and the unpenalised variables among the others. Not before the hash
/// was taken.
[[nodiscard]] Solution original_scale(const LassoData& data, Solution solution);

/// How many nonzeros are 0 or not finite in units of the data, since these are beyond double precision. Those between
/// 4.9e-324 and 2.2e-308 keep fewer digits, and are not counted.
[[nodiscard]] std::uint64_t unrepresented(const Solution& solution);

}  // namespace strads::lasso
