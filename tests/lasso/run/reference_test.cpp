// The real data of tests/datasets against scikit-learn and glmnet (reference.json), and against the optimality
// conditions.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "plain_lasso.hpp"

namespace strads::lasso {
namespace {

const std::string kFolder = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/";
constexpr double kReferenceTolerance = 1e-6;
constexpr double kReferenceLastDigits = 1e-9;  ///< the reference programs sum in another order

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The number after the occurrence `which` (from 0) of "key": in the text.
double number_of(const std::string& text, const std::string& key, int which) {
  std::size_t at = 0;
  for (int k = 0; k <= which; ++k) {
    at = text.find('"' + key + "\":", at);
    if (at == std::string::npos) {
      ADD_FAILURE() << "reference.json has no " << key << " number " << which;
      return 0;
    }
    at += key.size() + 3;
  }
  return std::stod(text.substr(at, 40));
}

InputOptions input_of(const std::string& name) {
  InputOptions input;
  if (name == "1000g-chr2-eur") {
    input.source.bfile = kFolder + name + "/chr2-eur";
    input.response.pheno = kFolder + name + "/pheno.tsv";
  } else {
    input.source.x = kFolder + name + "/X.csv.gz";
    input.response.y = kFolder + name + "/y.csv";
  }
  return input;
}

std::shared_ptr<const Dataset> load(const std::string& name) {
  auto loaded = load_dataset(input_of(name));
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.value();
}

/// Optimality by plain arithmetic on the decoded columns. Any coordinate update, and so any violation of the
/// optimality conditions, is worth at most the gap: |g_j| - lambda <= sqrt(2 gap) for unit columns.
void check_conditions(const Fit& fit) {
  const auto& columns = *fit.data->columns;
  PlainProblem plain;
  plain.y = fit.data->response.standardized;
  for (VarId j = 0; j < columns.size(); ++j) {
    plain.x.emplace_back(columns.rows());
    columns.decode(j, plain.x.back());
  }
  const Vector beta = fit.beta();
  const double lambda = fit.solution.lambda;
  const double gap = plain.gap(beta, lambda);
  const double objective = plain.objective(beta, lambda);
  EXPECT_LE(gap, 1.0001 * kReferenceTolerance * objective);
  EXPECT_NEAR(gap, fit.certificate().gap, 1e-12);
  EXPECT_NEAR(objective, fit.certificate().objective, 1e-11 * objective);
  const Vector r = plain.residual(beta);
  double worst = 0;
  for (VarId j = 0; j < columns.size(); ++j) {
    const double g = plain_dot(plain.x[j], r);
    worst = std::max(worst, std::abs(g) - lambda);
    const double target = beta[j] + g;  // the update by hand: its worth is at most the gap
    const double updated = std::copysign(std::max(std::abs(target) - lambda, 0.0), target);
    const double d = updated - beta[j];
    const double worth = g * d - 0.5 * d * d - lambda * (std::abs(updated) - std::abs(beta[j]));
    EXPECT_LE(worth, gap + 1e-14) << "variable " << j;
  }
  EXPECT_LE(worst, std::sqrt(2 * gap) + 1e-12);
}

struct ReferenceCase {
  const char* data;
  int lambda;  ///< 0: lambda_max / 10, 1: lambda_max / 100
};

class Reference : public ::testing::TestWithParam<ReferenceCase> {};

TEST_P(Reference, ObjectiveGapAndConditions) {
  const auto& [name, which] = GetParam();
  const std::string reference = slurp(kFolder + name + "/reference.json");
  LassoOptions options;
  options.lambda = which == 0 ? 0.1 : 0.01;
  const Fit result = fit(load(name), options);
  const double expected = number_of(reference, "objective", which);
  EXPECT_NEAR(result.solution.problem.lambda_max, number_of(reference, "lambda_max", 0), kReferenceLastDigits);
  EXPECT_NEAR(result.solution.lambda, number_of(reference, "lambda", which), kReferenceLastDigits);
  EXPECT_NEAR(result.certificate().objective, expected, kReferenceTolerance * expected);
  EXPECT_GE(result.certificate().objective, expected * (1 - kReferenceLastDigits)) << "below the optimum";
  EXPECT_LE(result.certificate().relative_gap, kReferenceTolerance);
  EXPECT_EQ(static_cast<double>(result.solution.problem.missing), number_of(reference, "missing", 0));
  EXPECT_EQ(result.run.end.stop_reason, "converged");
  check_conditions(result);
}

INSTANTIATE_TEST_SUITE_P(RealData, Reference,
                         ::testing::Values(ReferenceCase{"diabetes", 0}, ReferenceCase{"diabetes", 1},
                                           ReferenceCase{"leukemia", 0}, ReferenceCase{"leukemia", 1},
                                           ReferenceCase{"1000g-chr2-eur", 0}, ReferenceCase{"1000g-chr2-eur", 1}),
                         [](const auto& one) {
                           std::string name = std::string(one.param.data) + (one.param.lambda == 0 ? "_10" : "_100");
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(ReferenceTop, LargestCoefficientsOfLeukemia) {
  const std::string reference = slurp(kFolder + "leukemia/reference.json");
  LassoOptions options;
  options.tolerance = 1e-12;
  const Fit result = fit(load("leukemia"), options);
  const Vector beta = result.beta();
  for (int k = 0; k < 20; ++k) {
    const auto column = static_cast<std::size_t>(number_of(reference, "column", k));
    EXPECT_NEAR(beta[column - 1], number_of(reference, "coef", k), 1e-5) << "column " << column;
  }
  EXPECT_EQ(static_cast<double>(result.solution.variables.size()), number_of(reference, "nnz", 0));
}

TEST(ReferencePolicies, AllSixReachTheSameObjectiveOnDiabetes) {
  const std::string reference = slurp(kFolder + "diabetes/reference.json");
  const auto dataset = load("diabetes");
  for (int which = 0; which < 2; ++which) {
    const double expected = number_of(reference, "objective", which);
    for (const Policy policy : {Policy::uniform, Policy::fixed_structure, Policy::paper, Policy::theorem1,
                                Policy::block_greedy, Policy::automatic}) {
      LassoOptions options;
      options.policy = policy;
      options.lambda = which == 0 ? 0.1 : 0.01;
      const Fit result = fit(dataset, options, {.workers = 4});
      EXPECT_NEAR(result.certificate().objective, expected, kReferenceTolerance * expected) << policy_name(policy);
      EXPECT_LE(result.certificate().relative_gap, kReferenceTolerance) << policy_name(policy);
    }
  }
}

TEST(ReferenceSchedulers, NumberAndDepthDoNotChangeTheAnswerOfLeukemia) {
  const auto dataset = load("leukemia");
  const double expected = number_of(slurp(kFolder + "leukemia/reference.json"), "objective", 0);
  for (const auto& [schedulers, depth] : {std::pair{2U, 1U}, {7U, 2U}, {4U, 4U}}) {
    const Fit result = fit(dataset, {}, {.schedulers = schedulers, .workers = 4, .depth = depth});
    EXPECT_NEAR(result.certificate().objective, expected, kReferenceTolerance * expected) << schedulers;
  }
}

}  // namespace
}  // namespace strads::lasso
