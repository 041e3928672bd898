// The auditor finds nothing wrong with runs that are right, whatever happens on the way, and looks at all of them.
#include "sim/audit/auditor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "determinism/lasso_runs.hpp"
#include "sim/audited_cluster.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::sim {
namespace {

using lasso::kPolicies;
using lasso::kShapes;
using lasso::Policy;
using lasso::Problem;
using lasso::Shape;
using testing::HasSubstr;

AuditedRun run_of(const Problem& problem, AuditedOptions options) {
  options.engine = problem.engine;
  return run_audited([&] { return problem.model(); }, options);
}

std::string violation_of(const AuditedRun& run) {
  return run.violation.value_or("");
}

class EveryPolicyAudited : public testing::TestWithParam<Policy> {};

TEST_P(EveryPolicyAudited, IsCleanWhateverTheShape) {
  for (const Shape& shape : kShapes) {
    const Problem problem(lasso::small_dense(), GetParam(), shape, 60);
    for (const std::uint32_t nodes : {1U, 3U}) {
      const AuditedRun run = run_of(problem, {.nodes = nodes, .seed = nodes});
      EXPECT_EQ(violation_of(run), "") << problem.name() << " N=" << nodes;
      EXPECT_TRUE(run.ended) << problem.name() << " N=" << nodes;
      EXPECT_EQ(run.final_hash, run.content_hash);
      EXPECT_EQ(run.counts.commits, run.end.totals.rounds);
      EXPECT_GE(run.counts.contents, nodes * run.counts.commits);
    }
  }
}

TEST_P(EveryPolicyAudited, IsCleanWhenMessagesComeTwiceOrAreRepeated) {
  for (const Shape& shape : {Shape{2, 2, 2}, Shape{4, 3, 2}}) {
    const Problem problem(lasso::small_genotypes(), GetParam(), shape, 60);
    const AuditedRun run = run_of(problem, {.nodes = 3, .seed = 5, .duplicates = 0.2, .quiets = 0.05});
    EXPECT_EQ(violation_of(run), "") << problem.name();
    EXPECT_TRUE(run.ended);
    EXPECT_GT(run.counts.copies, 2 * run.counts.commits);
  }
}

TEST_P(EveryPolicyAudited, IsCleanInASimulatedCluster) {
  for (const std::uint32_t nodes : {1U, 3U}) {
    const Problem problem(lasso::small_genotypes(), GetParam(), {2, 4, 2}, 60);
    SimulationOptions options;
    options.engine = problem.engine;
    options.audit = true;
    options.network.jitter = 0.5;
    for (std::uint32_t n = 0; n < nodes; ++n) {
      options.hosts.push_back({"host" + std::to_string(n), 2, 1});
      options.nodes.push_back({n, true, true, 0});
    }
    const SimulatedRun run = simulate([&] { return problem.model(); }, options, {});
    EXPECT_EQ(run.violation.value_or(""), "");
    EXPECT_TRUE(run.ended);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicyAudited, testing::ValuesIn(kPolicies), [](const auto& which) {
  std::string name = policy_name(which.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

Problem small_problem(Policy policy = Policy::paper) {
  return {lasso::small_dense(), policy, {2, 4, 2}, 60};
}

TEST(Auditor, EndsWithTheSameHashWhateverHappensOnTheWay) {
  const Problem problem = small_problem();
  const std::uint64_t calm = run_of(problem, {.nodes = 1, .coordinator_apart = false, .seed = 1}).final_hash;
  EXPECT_NE(calm, 0u);
  EXPECT_EQ(run_of(problem, {.nodes = 3, .seed = 2, .duplicates = 0.3, .quiets = 0.1}).final_hash, calm);
  Problem other = problem;
  other.engine.seed = 2;
  EXPECT_NE(run_of(other, {.nodes = 1}).final_hash, calm);
}

TEST(Auditor, AsksAboutPairsOfDifferentBlocks) {
  const auto data = support::dense_dataset({.rows = 200, .columns = 40, .seed = 3, .correlation = 0.1});
  const auto pairs = [&](Policy policy) { return run_of({data, policy, {1, 4, 1}, 60}, {}).counts.pairs; };
  EXPECT_GT(pairs(Policy::paper), 100u);
  EXPECT_GT(pairs(Policy::automatic), 100u);
  EXPECT_EQ(pairs(Policy::uniform), 0u) << "Shotgun does not keep them apart";
}

TEST(Auditor, TakesTheCostOfItsQuestionsAway) {
  // Planning flops travel in commits: with and without an auditor they are the same.
  const Problem problem = small_problem();
  support::ClusterOptions options;
  options.nodes = 2;
  options.coordinator_apart = true;
  const AuditedRun run = run_of(problem, {.nodes = 2});
  EXPECT_EQ(run.end.totals.flops, lasso::cluster(problem, options).end.totals.flops);
}

TEST(Auditor, ComparesEveryPushAndEveryContent) {
  const Problem problem = small_problem();
  const AuditedRun run = run_of(problem, {.nodes = 2});
  EXPECT_GE(run.counts.pushes, run.end.totals.blocks);
  EXPECT_EQ(run.counts.recomputed, run.counts.commits);
  AuditedOptions seldom{.nodes = 2};
  seldom.audit.residual_every = 10;
  EXPECT_EQ(run_of(problem, seldom).counts.recomputed, (run.counts.commits + 9) / 10);
}

TEST(Auditor, LetsTheObjectiveRiseWhereThereIsNoGuard) {
  const auto data = support::dense_dataset({.rows = 40, .columns = 60, .seed = 4, .correlation = 0.6});
  Problem problem(data, Policy::uniform, {1, 8, 1}, 60);
  problem.lasso.guard = false;
  const AuditedRun caught = run_of(problem, {.nodes = 2});
  ASSERT_TRUE(caught.violation.has_value());
  EXPECT_EQ(caught.rule, Rule::objective) << *caught.violation;
  AuditedOptions told{.nodes = 2};
  told.audit.guarded = false;
  EXPECT_EQ(violation_of(run_of(problem, told)), "");
}

TEST(Auditor, NamesRuleCommitNodeFoundAndExpected) {
  AuditedOptions options{.nodes = 2};
  options.on_the_way = [](std::uint32_t, std::uint32_t to, wire::Message& message) {
    auto* commit = std::get_if<wire::Commit>(&message);
    if (commit != nullptr && to == 1 && commit->version == 4) commit->step *= 0.5;
  };
  const AuditedRun run = run_of(small_problem(), options);
  EXPECT_THAT(violation_of(run),
              HasSubstr("rule \"replica\" is broken: node 1 at version 4: found content with hash "));
  EXPECT_THAT(violation_of(run), HasSubstr(", expected "));
}

TEST(Auditor, KeepsTheFirstViolationOnly) {
  AuditedOptions options{.nodes = 2};
  options.as_sent = [](std::uint32_t, std::uint32_t, wire::Message& message) {
    if (auto* commit = std::get_if<wire::Commit>(&message)) commit->objective += 1;
  };
  EXPECT_THAT(violation_of(run_of(small_problem(), options)), HasSubstr("commit 0: found objective = "));
}

TEST(Auditor, LooksAtTheReplicasOnceMoreAtTheEnd) {
  // A node whose replica is changed after everybody has heard the end: nothing else would show it.
  const Problem problem(lasso::small_dense(), Policy::uniform, {1, 1, 1}, 5);
  Auditor auditor(problem.model(), problem.engine);
  engine::Node node(0, engine::Roster::round_robin(1, problem.engine), problem.engine, problem.model());
  engine::Effects effects;
  SerialChunks chunks;
  node.start(effects);
  while (!effects.messages.empty() || !effects.tasks.empty()) {
    auto messages = std::exchange(effects.messages, {});
    auto tasks = std::exchange(effects.tasks, {});
    for (const auto& envelope : messages) auditor.on_sent(envelope, &node);
    for (const auto& envelope : messages) node.on_message(envelope.message, effects);
    auditor.on_handled(0, node);
    for (auto& task : tasks) {
      (void)task.run(chunks);
      task.done(effects);
    }
  }
  ASSERT_TRUE(node.stopped());
  auditor.at_end(true, {{0, &node}});
  EXPECT_EQ(auditor.violation().value_or(""), "");
  Cost cost;
  problem.model()->apply(*node.replica().current(), {{0}, {0.25}}, 1, nullptr, chunks, cost);
  auditor.at_end(true, {{0, &node}});
  ASSERT_TRUE(auditor.violation().has_value());
  EXPECT_EQ(auditor.broken_rule(), Rule::end) << *auditor.violation();
}

TEST(Auditor, ExpectsAnEndToBeTheCoordinators) {
  const Problem problem = small_problem();
  Auditor auditor(problem.model(), problem.engine);
  auditor.at_end(false);
  EXPECT_EQ(auditor.violation().value_or(""), "");
  auditor.at_end(true);
  EXPECT_EQ(auditor.broken_rule(), Rule::end);
}

TEST(Auditor, HasNoHashBeforeTheStart) {
  const Problem problem = small_problem();
  EXPECT_EQ(Auditor(problem.model(), problem.engine).final_hash(), 0u);
}

/// Commits that are made up: nobody is at hand who would send wrong ones.
class MadeUpCommits : public testing::Test {
 protected:
  MadeUpCommits() : auditor_(problem_.model(), problem_.engine) {
    // From a clean run: every message up to the third commit.
    AuditedOptions options{.nodes = 1, .coordinator_apart = false};
    options.engine = problem_.engine;
    options.as_sent = [this](std::uint32_t, std::uint32_t, wire::Message& message) { said_.push_back(message); };
    EXPECT_EQ(violation_of(run_audited([&] { return problem_.model(); }, options)), "");
  }

  /// Tells the auditor everything before the first message that `stop` names.
  template <class M>
  M tell_until(const std::function<bool(const M&)>& stop) {
    for (const auto& message : said_) {
      if (const M* m = std::get_if<M>(&message); m != nullptr && stop(*m)) return *m;
      tell(message);
    }
    ADD_FAILURE() << "no such message";
    return {};
  }
  void tell(const wire::Message& message) { auditor_.on_sent({{wire::Role::node, 0}, message}, nullptr); }
  [[nodiscard]] std::string violation() const { return auditor_.violation().value_or(""); }

  Problem problem_{lasso::small_dense(), Policy::paper, {2, 4, 1}, 10};
  std::vector<wire::Message> said_;
  Auditor auditor_;
};

TEST_F(MadeUpCommits, AreTakenAsTheyWereSent) {
  for (const auto& message : said_) tell(message);
  EXPECT_EQ(violation(), "");
  EXPECT_EQ(auditor_.version(), 9);
}

TEST_F(MadeUpCommits, MustNotLeaveAVersionOut) {
  wire::Commit commit = tell_until<wire::Commit>([](const auto& m) { return m.version == 2; });
  commit.version = 3;
  commit.scheduler = 1;
  tell(commit);
  EXPECT_THAT(violation(), HasSubstr("rule \"fairness\" is broken: commit 3: found a commit after version 1"));
}

TEST_F(MadeUpCommits, NeedAnAnswerOfEveryBlock) {
  tell_until<wire::Deltas>([](const auto& m) { return m.round == 2; });
  for (const auto& message : said_) {
    if (const auto* commit = std::get_if<wire::Commit>(&message); commit != nullptr && commit->version == 2)
      tell(message);
  }
  EXPECT_THAT(violation(), HasSubstr("rule \"commit\" is broken: commit 2: found block "));
}

TEST_F(MadeUpCommits, NeedTheRightScheduler) {
  wire::Commit commit = tell_until<wire::Commit>([](const auto& m) { return m.version == 1; });
  commit.scheduler = 0;
  tell(commit);
  EXPECT_THAT(violation(), HasSubstr("rule \"fairness\" is broken: commit 1: found scheduler 0"));
}

TEST_F(MadeUpCommits, MustNotChangeWhenTheyComeAgain) {
  wire::Commit commit = tell_until<wire::Commit>([](const auto& m) { return m.version == 1; });
  tell(commit);
  tell(commit);
  EXPECT_EQ(violation(), "");
  commit.changes.values.front() *= 2;
  auditor_.on_sent({{wire::Role::coordinator, 0}, commit}, nullptr);
  EXPECT_EQ(violation(), "") << "the driver gets no changes";
  tell(commit);
  EXPECT_THAT(violation(), HasSubstr("commit 1: found a copy that differs from the first"));
}

TEST_F(MadeUpCommits, MayEndTheRunWhenTheyComeAgainElsewhereAndTheEndWasAskedFor) {
  wire::Commit commit = tell_until<wire::Commit>([](const auto& m) { return m.version == 2; });
  tell(commit);
  wire::Commit early;  // of the round before
  for (const auto& message : said_) {
    if (const auto* m = std::get_if<wire::Commit>(&message); m != nullptr && m->version == 1) early = *m;
  }
  early.last = 1;
  auditor_.on_move();
  tell(wire::Finish{});
  wire::Phase stop;
  for (const auto& message : said_) {
    if (const auto* m = std::get_if<wire::Phase>(&message); m != nullptr && m->version < early.version) stop = *m;
  }
  tell(early);
  EXPECT_EQ(violation(), "") << "a round done again is the last one now";
  ++stop.phase;
  stop.version = early.version + 1;
  stop.verdict = static_cast<std::uint8_t>(PhasePlan::Verdict::verify);
  tell(stop);
  EXPECT_THAT(violation(), HasSubstr("expected an end at version 1, as was asked for"));
}

TEST_F(MadeUpCommits, MustNotEndARunThatNobodyAskedToEndWhenTheyComeAgain) {
  wire::Commit commit = tell_until<wire::Commit>([](const auto& m) { return m.version == 1; });
  tell(commit);
  auditor_.on_move();
  commit.last = 1;
  tell(commit);
  EXPECT_THAT(violation(), HasSubstr("commit 1: found a copy that differs from the first"));
}

TEST_F(MadeUpCommits, BlocksMustReadTheVersionThatTheirRoundHas) {
  wire::Assign assign = tell_until<wire::Assign>([](const auto& m) { return m.round == 3; });
  assign.base = 1;
  tell(assign);
  EXPECT_THAT(violation(), HasSubstr("round 3, block 0: found base version 1, expected 2"));
}

TEST_F(MadeUpCommits, BlocksMustNotChangeWhenTheyComeAgain) {
  wire::Assign assign = tell_until<wire::Assign>([](const auto& m) { return m.round == 3; });
  tell(assign);
  assign.worker = 2;
  tell(assign);
  EXPECT_EQ(violation(), "") << "another worker may get it";
  assign.block.values.front() += 1;
  tell(assign);
  EXPECT_THAT(violation(), HasSubstr("another block than in its first ASSIGN"));
}

TEST_F(MadeUpCommits, BlocksMustBeOfTheRoundsAhead) {
  wire::Assign assign = tell_until<wire::Assign>([](const auto& m) { return m.round == 3; });
  assign.round = 4;
  assign.base = 3;
  tell(assign);
  EXPECT_THAT(violation(), HasSubstr("rule \"fairness\" is broken: round 4, block 0"));
}

TEST_F(MadeUpCommits, AnswersNeedABlock) {
  wire::Deltas deltas = tell_until<wire::Deltas>([](const auto& m) { return m.round == 3; });
  deltas.index = 77;
  tell(deltas);
  EXPECT_THAT(violation(), HasSubstr("round 3, block 77: found DELTAS of a block that nobody assigned"));
}

TEST_F(MadeUpCommits, VerdictsComeAtTheLastCommit) {
  wire::Phase phase = tell_until<wire::Phase>([](const auto& m) { return m.version > 0; });
  phase.version -= 1;
  tell(phase);
  EXPECT_THAT(violation(), HasSubstr("rule \"verdict\" is broken: PHASE "));
}

}  // namespace
}  // namespace strads::sim
