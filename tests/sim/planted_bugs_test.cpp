// Every checker can fail: each planted bug is caught, by the rule that it belongs to.
#include "sim/planted_bugs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "determinism/lasso_runs.hpp"
#include "sim/swarm_bugs.hpp"
#include "strads/sim/simulate.hpp"
#include "strads_sim/audit/lasso_audit.hpp"
#include "strads_sim/swarm/swarm_problem.hpp"
#include "tidy/run_script.hpp"

namespace strads::sim {
namespace {

using lasso::Policy;
using lasso::Problem;
using testing::HasSubstr;

/// 40 variables that are coupled enough for conflicts among those drawn.
Problem coupled_problem(Policy policy = Policy::paper) {
  static const auto data = support::dense_dataset({.rows = 50, .columns = 40, .seed = 3, .correlation = 0.3});
  return {data, policy, {2, 4, 2}, 80};
}

/// What knows the rules of the problem.
std::function<std::unique_ptr<ModelAudit>()> audit_of(const Problem& problem) {
  simulator::AuditedLasso asked;
  asked.policy = policy_name(problem.lasso.policy);
  asked.lambda_ratio = problem.lasso.lambda;
  asked.tolerance = problem.lasso.tolerance;
  asked.engine = problem.engine;
  return [data = problem.dataset, asked] { return std::make_unique<simulator::LassoAudit>(data, asked); };
}

AuditedOptions audited(const Problem& problem) {
  AuditedOptions options;
  options.engine = problem.engine;
  options.nodes = 3;
  return options;
}

/// The model's audit sees much of what breaks the protocol as well, and earlier: each rule is shown to see by itself.
bool of_model(const PlantedBug& bug) {
  return bug.rule == Rule::certificate || bug.rule == Rule::policy;
}

AuditedRun run_with(const PlantedBug& bug, const Problem& problem, std::uint64_t seed) {
  AuditedOptions options = audited(problem);
  if (of_model(bug)) options.make_audit = audit_of(problem);
  options.seed = seed;
  options.as_sent = bug.as_sent;
  options.on_the_way = bug.on_the_way;
  return run_audited(plant(bug, [&] { return problem.model(); }), options);
}

class EveryPlantedBug : public testing::TestWithParam<PlantedBug> {};

TEST_P(EveryPlantedBug, IsCaughtByTheRuleThatItBelongsTo) {
  const PlantedBug& bug = GetParam();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const AuditedRun run = run_with(bug, coupled_problem(), seed);
    ASSERT_TRUE(run.violation.has_value()) << "nobody noticed after " << run.version + 1 << " commits";
    EXPECT_STREQ(rule_name(*run.rule), rule_name(bug.rule)) << *run.violation;
    EXPECT_THAT(*run.violation, HasSubstr(std::string("rule \"") + rule_name(bug.rule) + "\" is broken: "));
  }
}

INSTANTIATE_TEST_SUITE_P(Bugs, EveryPlantedBug, testing::ValuesIn(planted_bugs()), [](const auto& which) {
  std::string name = which.param.name;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(PlantedBugs, LeaveNoRuleWithoutOne) {
  std::set<Rule> rules;
  for (const PlantedBug& bug : planted_bugs()) rules.insert(bug.rule);
  EXPECT_EQ(rules.size(), static_cast<std::size_t>(Rule::end) + 1);
}

TEST(PlantedBugs, AreWhatIsCaught) {
  // The same problem without a bug.
  AuditedOptions options = audited(coupled_problem());
  options.make_audit = audit_of(coupled_problem());
  const AuditedRun run = run_audited([] { return coupled_problem().model(); }, options);
  EXPECT_EQ(run.violation.value_or(""), "");
  EXPECT_TRUE(run.ended);
  EXPECT_GT(run.counts.certified, 1U);
}

/// As in the swarm: through the whole simulator, where only models can be given.
class EveryBugOfAModel : public testing::TestWithParam<PlantedBug> {};

TEST_P(EveryBugOfAModel, IsCaughtInASimulatedCluster) {
  const PlantedBug& bug = GetParam();
  const Problem problem = coupled_problem();
  SimulationOptions options;
  options.engine = problem.engine;
  options.audit = true;
  for (std::uint32_t n = 0; n < 3; ++n) {
    options.hosts.push_back({"host" + std::to_string(n), 2, 1});
    options.nodes.push_back({n, true, true, 0});
  }
  SimulationHooks hooks;
  if (of_model(bug)) hooks.make_audit = audit_of(problem);
  const SimulatedRun run = simulate(plant(bug, [&] { return problem.model(); }), options, hooks);
  ASSERT_TRUE(run.violation.has_value()) << "nobody noticed after " << run.end.totals.rounds << " commits";
  EXPECT_THAT(*run.violation, HasSubstr(std::string("rule \"") + rule_name(bug.rule) + "\" is broken: "));
}

std::vector<PlantedBug> bugs_of_models() {
  auto bugs = planted_bugs();
  std::erase_if(bugs, [](const PlantedBug& bug) { return !bug.wrap; });
  return bugs;
}

INSTANTIATE_TEST_SUITE_P(Bugs, EveryBugOfAModel, testing::ValuesIn(bugs_of_models()), [](const auto& which) {
  std::string name = which.param.name;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

// --- seeds of the swarm ---

/// Bugs of models in the swarm itself, with its faults; bugs in messages in the small cluster, which lets them be
/// changed, with the problem of the same seed.
std::string violation_of(const PlantedBug& bug, std::uint64_t seed) {
  if (bug.wrap) {
    const SwarmModels models = [&bug](std::uint64_t of_seed, const EngineOptions& engine) {
      SwarmSubject subject = simulator::swarm_models(of_seed, engine);
      subject.make_model = plant(bug, subject.make_model);
      if (!of_model(bug)) subject.make_audit = {};
      return subject;
    };
    return run_swarm_seed(seed, models).violation.value_or("");
  }
  const SimulationOptions cluster = draw_small_cluster(seed);
  AuditedOptions options;
  options.engine = cluster.engine;
  options.nodes = static_cast<std::uint32_t>(cluster.nodes.size());
  options.seed = seed;
  options.duplicates = 0.1;
  options.as_sent = bug.as_sent;
  options.on_the_way = bug.on_the_way;
  const SwarmSubject subject = simulator::swarm_models(seed, options.engine);
  if (of_model(bug)) options.make_audit = subject.make_audit;
  return run_audited(subject.make_model, options).violation.value_or("");
}

TEST_P(EveryPlantedBug, IsCaughtWithin500SeedsOfTheSwarm) {
  const PlantedBug& bug = GetParam();
  const std::string wanted = std::string("rule \"") + rule_name(bug.rule) + "\" is broken: ";
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    if (violation_of(bug, seed).starts_with(wanted)) {
      RecordProperty("seeds", static_cast<int>(seed));
      return;
    }
  }
  FAIL() << bug.name << " got through";
}

class EverySwarmBug : public testing::TestWithParam<SwarmBug> {};

TEST_P(EverySwarmBug, IsCalledByItsNameWithin500Seeds) {
  const SwarmBug& bug = GetParam();
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const auto violation = bug.run(seed).violation;
    if (violation.has_value() && violation->find(bug.called) != std::string::npos) {
      RecordProperty("seeds", static_cast<int>(seed));
      return;
    }
  }
  FAIL() << bug.name << " got through";
}

INSTANTIATE_TEST_SUITE_P(Bugs, EverySwarmBug, testing::ValuesIn(swarm_bugs()), [](const auto& which) {
  std::string name = which.param.name;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

/// tests/sim/MUTATIONS.md.
std::string mutations_document() {
  std::string text =
      "# Mutations\n\nEach checker of the simulator is proven able to fail by a bug that is planted and must be caught "
      "within 500 seeds of the\nswarm (tests/sim/planted_bugs_test.cpp). This file is written by that test "
      "(`STRADS_REWRITE=1 test_sim\n--gtest_filter=PlantedBugs.*`) from tests/sim/planted_bugs.hpp and "
      "swarm_bugs.hpp.\n\n"
      "## Rules of the auditor, checked at every commit\n\n| rule that must break first | planted bug | planted in "
      "|\n|-|-|-|\n";
  for (const PlantedBug& bug : planted_bugs()) {
    const char* where = !bug.wrap                          ? "messages"
                        : bug.where == Planted::first_node ? "the model of one node"
                        : bug.where == Planted::all_nodes  ? "the models of all nodes"
                                                           : "all models, the auditor's as well";
    text += std::string("| ") + rule_name(bug.rule) + " | " + bug.name + " | " + where + " |\n";
  }
  text += "\n## Whole runs\n\n| violation that must be reported | planted bug |\n|-|-|\n";
  for (const SwarmBug& bug : swarm_bugs()) text += "| " + bug.called + " | " + bug.name + " |\n";
  text +=
      "\n## Bugs in the sources\n\nEach is a diff in [tests/mutations](../mutations); `scripts/check_mutations.py` "
      "plants it and shows that it dies.\n\n| plant | planted bug | dies of |\n|-|-|-|\n";
  const auto plants = test::run_script("check_mutations.py", {"--list"});
  EXPECT_EQ(plants.code, 0) << plants.output;
  return text + plants.output;
}

TEST(PlantedBugs, AreListedInMutations) {
  const std::string path = std::string(STRADS_SOURCE_DIR) + "/tests/sim/MUTATIONS.md";
  if (std::getenv("STRADS_REWRITE") != nullptr) std::ofstream(path) << mutations_document();
  std::ostringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), mutations_document()) << "rewrite tests/sim/MUTATIONS.md with STRADS_REWRITE=1";
}

TEST(Starvation, IsCaughtWhereAllVariablesAreDrawnAlike) {
  const auto data = support::dense_dataset({.rows = 30, .columns = 12, .seed = 3, .correlation = 0.1});
  const Problem problem(data, Policy::uniform, {2, 3, 1}, 400);
  const auto bugs = planted_bugs();
  const auto starving = std::ranges::find(bugs, "a variable is never drawn", &PlantedBug::name);
  ASSERT_NE(starving, bugs.end());
  Problem endless = problem;
  endless.lasso.tolerance = 0;
  const AuditedRun run = run_with(*starving, endless, 1);
  ASSERT_TRUE(run.violation.has_value()) << run.version;
  EXPECT_THAT(*run.violation, HasSubstr("never drawn"));
  EXPECT_EQ(run_with({}, endless, 1).violation.value_or(""), "");
}

TEST(BlindPlanning, IsCaughtWhereConflictingVariablesShareBlocks) {
  const auto data = support::genotype_dataset({.rows = 300, .columns = 60, .seed = 1, .correlation = 0.7});
  const Problem problem(data, Policy::automatic, {1, 4, 1}, 60);
  const auto bugs = planted_bugs();
  const auto blind = std::ranges::find(bugs, "the planner sees no coupling", &PlantedBug::name);
  ASSERT_NE(blind, bugs.end());
  const AuditedRun run = run_with(*blind, problem, 1);
  ASSERT_TRUE(run.violation.has_value()) << run.counts.pairs << " pairs in " << run.version + 1 << " rounds";
  EXPECT_EQ(run.rule, Rule::exclusive_blocks) << *run.violation;
  const AuditedRun right = run_with({}, problem, 1);
  EXPECT_EQ(right.violation.value_or(""), "");
  EXPECT_GT(right.counts.pairs, 100u);
}

}  // namespace

/// For GoogleTest's lists.
void PrintTo(const PlantedBug& bug, std::ostream* out) {
  *out << bug.name;
}
void PrintTo(const SwarmBug& bug, std::ostream* out) {
  *out << bug.name;
}

}  // namespace strads::sim
