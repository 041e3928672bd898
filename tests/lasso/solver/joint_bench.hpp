// A joint block of a small dense problem with every kind of penalty, and the same by the book.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "lasso/run/plain_lasso.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "lasso/solver/nested_block.hpp"

namespace strads::lasso {

struct JointCase {
  const char* name;
  double l1_ratio = 1;
  bool nonnegative = false;
  bool factors = false;
  bool covariates = false;
  bool weights = false;
};

inline Content joint_content(const JointCase& wanted) {
  Content content = random_content({.rows = 150, .columns = 400, .shared = 0.4});
  if (wanted.covariates) {
    content.covariates = {content.columns[0], content.columns[1]};
    content.covariates[0][3] += 1;
    content.covariates[1][5] -= 2;
  }
  if (wanted.factors) {
    for (std::size_t j = 0; j < content.columns.size(); ++j) content.factors.push_back(j % 3 == 0 ? 2.0 : 0.5);
  }
  if (wanted.weights) {
    for (std::size_t i = 0; i < content.rows(); ++i) content.weights.push_back(i % 2 == 0 ? 1.5 : 0.5);
  }
  return content;
}

struct JointBench {
  LassoOptions options;
  std::shared_ptr<LassoData> data;
  PlainProblem plain;
  Penalty penalty;
  double lambda = 0;
  std::vector<VarId> variables;
  GramCache cache;
  SerialChunks chunks;

  explicit JointBench(const JointCase& wanted, double ratio = 0.02) {
    options.l1_ratio = wanted.l1_ratio;
    options.nonnegative = wanted.nonnegative;
    const Content content = joint_content(wanted);
    data = scanned(content, options);
    plain = plain_data(content, options).problem;
    lambda = ratio * plain.lambda_max();
    penalty = Penalty(lambda, options.l1_ratio, data->units.squares, plain.factors, options.nonnegative);
    variables.resize(content.columns.size());
    std::iota(variables.begin(), variables.end(), VarId{0});
  }

  struct Outcome {
    Vector beta;
    double decrease = 0;
    NestedBlock::Counts counts;
    Cost cost;
  };
  [[nodiscard]] Vector residual_of(const Vector& start) {
    Vector residual = data->response.standardized, fitted(residual.size());
    data->columns->combine(variables, start, fitted, chunks);
    axpy(-1.0, fitted, residual);
    return residual;
  }
  Outcome solve(const Vector& start, double gap_max, Chunks& threads) {
    const Vector residual = residual_of(start);
    Local local{variables, start, Vector(variables.size())};
    data->columns->dots(variables, residual, local.gradient, chunks);
    Outcome outcome;
    NestedBlock block(*data->columns, penalty, residual, std::move(local), cache, threads, outcome.cost);
    outcome.decrease = block.solve(gap_max, 10000);
    outcome.beta = block.local().value;
    outcome.counts = block.counts();
    return outcome;
  }
  Outcome solve(const Vector& start, double gap_max) { return solve(start, gap_max, chunks); }
};

inline auto joint_cases() {
  return ::testing::Values(JointCase{.name = "Lasso"}, JointCase{.name = "ElasticNet", .l1_ratio = 0.7},
                           JointCase{.name = "Nonnegative", .nonnegative = true},
                           JointCase{.name = "Factors", .l1_ratio = 0.9, .factors = true},
                           JointCase{.name = "Covariates", .covariates = true},
                           JointCase{.name = "Weights", .weights = true},
                           JointCase{.name = "CovariatesAndWeights", .covariates = true, .weights = true});
}

}  // namespace strads::lasso
