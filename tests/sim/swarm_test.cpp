// Hundreds of small clusters with faults: no rule is broken, and the results are those without faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "lasso/lasso.hpp"
#include "strads/simulate.hpp"
#include "support/made_up_data.hpp"

namespace strads::sim {
namespace {

using testing::IsEmpty;

constexpr std::array kPolicies{lasso::Policy::uniform,  lasso::Policy::fixed_structure, lasso::Policy::paper,
                               lasso::Policy::theorem1, lasso::Policy::block_greedy,    lasso::Policy::automatic};

/// 30 rows, 40 to 80 columns, a policy by seed.
std::function<std::shared_ptr<Model>()> tiny_lasso(std::uint64_t seed, const EngineOptions& engine) {
  lasso::LassoOptions options;
  options.policy = kPolicies[seed % kPolicies.size()];
  options.schedulers = engine.schedulers;
  options.workers = engine.workers;
  options.cost.round_seconds = options.cost.block_seconds = 0;  // small data would not pay for parallel rounds
  support::MadeUp made_up;
  made_up.rows = 30;
  made_up.columns = 40 + static_cast<VarId>(seed % 41);
  made_up.seed = seed;
  made_up.correlation = 0.2;
  const auto dataset = seed % 2 == 0 ? support::dense_dataset(made_up) : support::genotype_dataset(made_up);
  return
      [dataset, options] { return lasso::make_lasso_model(lasso::prepare_lasso(dataset, options).value(), options); };
}

std::string text_of(const SwarmReport& report) {
  std::string text;
  for (const std::string& line : report.lines()) text += line + "\n";
  return text;
}

TEST(Swarm, BreaksNoRuleAndChangesNoBit) {
  const SwarmReport report = run_swarm(1, 301, 1, tiny_lasso);
  EXPECT_EQ(report.runs, 300U);
  EXPECT_THAT(report.violations, IsEmpty()) << text_of(report);
  EXPECT_THAT(report.too_rare(100 * 300 / 2000), IsEmpty()) << text_of(report);
}

}  // namespace
}  // namespace strads::sim
