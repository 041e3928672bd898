// The Lasso problems of the swarm.
#include "strads_sim/swarm/swarm_kinds.hpp"

#include <array>
#include <utility>

#include "lasso/lasso_node.hpp"
#include "strads/base/status.hpp"
#include "strads/program/calibrate.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/lasso_audit.hpp"
#include "strads_sim/made_up_data.hpp"

namespace strads::simulator {
namespace {

template <class Number, std::size_t N>
Number one_of(const std::array<Number, N>& numbers, CounterRng& random) {
  return numbers[random.below(N)];
}

MadeUpData draw_data(std::uint64_t seed, CounterRng& random) {
  constexpr std::array kCorrelations = {0.2, 0.5};
  MadeUpData data;
  data.seed = seed;
  data.rows = 20 + static_cast<std::uint32_t>(random.below(21));
  data.columns = 40 + static_cast<VarId>(random.below(41));
  const std::uint64_t storage = random.below(4);
  data.genotypes = storage < 2;
  data.sparse = storage == 2;
  data.correlation = one_of(kCorrelations, random);
  data.weights = random.below(5) == 0;
  data.factors = random.below(4) == 0;
  return data;
}

AuditedLasso draw_lasso_options(const EngineOptions& engine, CounterRng& random) {
  constexpr std::array kPolicies = {"auto", "auto", "paper", "static", "uniform", "theorem1", "block-greedy"};
  AuditedLasso asked;
  asked.engine = engine;
  asked.policy = one_of(kPolicies, random);
  asked.lambda_ratio = one_of(std::array{0.1, 0.2, 0.4}, random);
  if (random.below(4) == 0) asked.lambdas = 3 + static_cast<std::uint32_t>(random.below(8));
  asked.lambda_min_ratio = one_of(std::array{0.001, 0.05, 0.3}, random);
  asked.early_end = random.below(2) == 0;
  if (random.below(4) == 0) asked.l1_ratio = one_of(std::array{0.2, 0.7}, random);
  asked.nonnegative = random.below(5) == 0;
  asked.tolerance = one_of(std::array{1e-2, 1e-3, 1e-6}, random);
  if (asked.lambdas > 0) asked.tolerance = one_of(std::array{1e-2, 1e-3}, random);  // so that it gets somewhere
  asked.rho = one_of(std::array{0.1, 0.3}, random);
  asked.eta = one_of(std::array{1e-6, 1e-2}, random);
  asked.candidates = one_of(std::array{1.5, 4.0}, random);
  if (random.below(2) == 0) asked.check_interval = 5 + random.below(20);
  return asked;
}

void draw_intercept(AuditedLasso& asked, CounterRng& random) {
  asked.intercept = random.below(4) != 0;
  asked.center = asked.intercept && random.below(4) != 0;
}

/// After everything else, so that no other problem changes with it.
void draw_classes(MadeUpData& data, AuditedLasso& asked, CounterRng& random) {
  data.classes = random.below(3) == 0;
  if (!data.classes) return;
  asked.family = "binomial";
  draw_intercept(asked, random);
}

/// Then, for the same reason. lambda_max of ridge is that of an l1 ratio of 0.001: lambdas go down to where they
/// matter.
void draw_ridge(AuditedLasso& asked, CounterRng& random) {
  if (random.below(8) != 7) return;
  asked.l1_ratio = 0;
  asked.nonnegative = false;
  asked.lambda_ratio *= 0.01;
  asked.lambda_min_ratio *= 0.1;
}

/// Last of all, for the same reason. Only `auto` has counts: the others step by a bound of the curvature.
void draw_counts(MadeUpData& data, AuditedLasso& asked, CounterRng& random) {
  if (!asked.is_squares() || asked.policy != "auto") return;
  data.counts = random.below(2) == 0;
  if (!data.counts) return;
  asked.family = "poisson";
  draw_intercept(asked, random);
}

std::string config_of(const AuditedLasso& asked) {
  const auto number = [](double value) { return short_text(value, 17); };
  std::string text = "[problem]\nl1-ratio = " + number(asked.l1_ratio) +
                     "\nnonnegative = " + (asked.nonnegative ? "on" : "off") +
                     "\ntolerance = " + number(asked.tolerance);
  if (!asked.is_squares()) {
    text += "\nfamily = " + asked.family + "\nintercept = " + std::string(asked.intercept ? "on" : "off") +
            "\ncenter = " + (asked.center ? "on" : "off");
  }
  if (asked.lambdas == 0) {
    text += "\nlambda-ratio = " + number(asked.lambda_ratio);
  } else {
    text += "\nlambdas = " + std::to_string(asked.lambdas) + "\nlambda-min-ratio = " + number(asked.lambda_min_ratio) +
            "\nearly-end = " + (asked.early_end ? "on" : "off");
  }
  text += "\n[policy]\npolicy = " + asked.policy + "\nrho = " + number(asked.rho) + "\neta = " + number(asked.eta) +
          "\ncandidates = " + number(asked.candidates) + "\ncheck-interval = " + std::to_string(asked.check_interval);
  return text + swarm_engine_config(asked.engine);
}

std::string text_of(const MadeUpData& data, const AuditedLasso& asked) {
  std::string text = std::to_string(data.rows) + " x " + std::to_string(data.columns) +
                     (data.genotypes ? " genotypes"
                      : data.sparse  ? " sparse doubles"
                                     : " doubles");
  if (data.weights) text += ", weights";
  text += ", policy " + asked.policy;
  text += asked.lambdas > 0 ? ", a path of " + std::to_string(asked.lambdas) + " lambdas down to " +
                                  short_text(asked.lambda_min_ratio) + " lambda_max"
                            : ", lambda " + short_text(asked.lambda_ratio) + " lambda_max";
  if (asked.l1_ratio != 1) text += ", l1 ratio " + short_text(asked.l1_ratio);
  if (asked.nonnegative) text += ", nonnegative";
  if (!asked.is_squares()) text += ", " + asked.family;
  if (!asked.intercept) text += ", no intercept";
  if (!asked.center) text += ", not centred";
  if (data.factors) text += ", penalty factors";
  return text;
}

}  // namespace

SwarmProblem swarm_lasso(std::uint64_t seed, const EngineOptions& engine, CounterRng& random) {
  MadeUpData data = draw_data(seed, random);
  AuditedLasso asked = draw_lasso_options(engine, random);
  draw_classes(data, asked, random);
  draw_ridge(asked, random);
  draw_counts(data, asked, random);
  const auto dataset = made_up(data);
  Calibration costs;
  costs.flop_seconds = 0;                         // that of the storage
  costs.round_seconds = costs.block_seconds = 0;  // `auto` goes parallel however small the data are
  auto loaded = asked.lambdas > 0 ? lasso::path_on(dataset, config_of(asked), &costs, lasso::Shared::data)
                                  : lasso::lasso_on(dataset, config_of(asked), &costs, lasso::Shared::data);
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  return {text_of(data, asked), asked.lambdas > 0 ? "path_hash" : "beta_hash", std::move(loaded).value(),
          [dataset, asked] { return std::make_unique<LassoAudit>(dataset, asked); }};
}

}  // namespace strads::simulator
