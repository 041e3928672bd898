// Section 2 of the paper: the four steps of SAP with blocks of many variables, which its Lasso experiments left for
// future work (section 2.1, step 3) and policy `auto` uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/planning/schedule.hpp"
#include "recorder.hpp"

namespace strads::lasso {
namespace {

/// Variables on a line: neighbours closer than `reach` are coupled; workloads differ by a factor of ten.
class LineSlice final : public Slice {
 public:
  explicit LineSlice(VarId count, ScheduleRules rules) : rules_(rules), variables_(count) {
    std::iota(variables_.begin(), variables_.end(), VarId{0});
  }
  [[nodiscard]] std::span<const VarId> variables() const { return variables_; }
  [[nodiscard]] Payload scan(Chunks&, Cost&) override { return {}; }
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State&, Chunks&, Cost&) override { return {}; }
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId) const override { return 1.0; }
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override {
    return 1.0 / (1.0 + std::abs(static_cast<double>(j) - static_cast<double>(k)));
  }
  [[nodiscard]] double workload(VarId j) const override { return 1.0 + (j * 7) % 10; }
  [[nodiscard]] ScheduleRules rules() const override { return rules_; }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override {
    Block block;
    block.content.ids = std::move(variables);
    return block;
  }
  void committed(const RoundOutcome&, std::vector<VarId>&) override {}

 private:
  ScheduleRules rules_;
  std::vector<VarId> variables_;
};

engine::Plan plan(LineSlice slice, std::uint32_t blocks, std::uint64_t seed) {
  engine::Sampler sampler(slice.variables().size(), slice.rules().sampling_scale);
  sampler.assign(std::vector<double>(slice.variables().size(), 1.0));
  SerialChunks chunks;
  return engine::plan_round(slice, slice.variables(), sampler, CounterRng(seed, Purpose::sampling), blocks, chunks);
}

ScheduleRules merging(std::uint32_t draws) {
  ScheduleRules rules;
  rules.draws = draws;
  rules.block_variables_max = 1000;
  rules.conflicts = ScheduleRules::Conflicts::merge;
  rules.dependency_max = 0.4;  // neighbours (1/2) conflict, next but one (1/3) do not
  return rules;
}

TEST(Section2Step1, DrawsPPrimeDifferentVariables) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto all = plan(LineSlice(200, merging(60)), 8, seed).variables();
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all.size(), 60u);
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

TEST(Section2Step2, CouplingBetweenBlocksStaysBelowRho) {
  // D(B_a, B_b) = max |d(l,m)| over l in B_a, m in B_b.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LineSlice slice(200, merging(60));
    const auto blocks = plan(slice, 8, seed).blocks;
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (const VarId j : blocks[a].content.ids) {
          for (const VarId k : blocks[b].content.ids)
            EXPECT_LE(slice.define_dependency(j, k), 0.4) << j << " and " << k;
        }
      }
    }
  }
}

TEST(Section2Step2, StronglyCoupledVariablesShareABlock) {
  const LineSlice slice(200, merging(200));  // everything is drawn: one chain, which cannot be cut
  const auto blocks = plan(slice, 8, 1).blocks;
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].content.ids.size(), 200u);
}

TEST(Section2Step3, MergingBalancesTheWorkload) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LineSlice slice(1000, merging(150));
    const auto blocks = plan(slice, 6, seed).blocks;
    ASSERT_EQ(blocks.size(), 6u);
    std::vector<double> load;
    for (const Block& block : blocks) {
      double sum = 0;
      for (const VarId j : block.content.ids) sum += slice.workload(j);
      load.push_back(sum);
    }
    EXPECT_LT(*std::max_element(load.begin(), load.end()), 1.1 * *std::min_element(load.begin(), load.end()))
        << "seed " << seed;
  }
}

TEST(Section2Step3, NeverMoreBlocksThanWorkers) {
  for (const std::uint32_t workers : {1U, 2U, 7U, 100U}) {
    EXPECT_LE(plan(LineSlice(300, merging(50)), workers, 3).blocks.size(), workers);
  }
}

TEST(Section2Step4, TheNextDrawKnowsWhatTheLastRoundsChanged) {
  // Policy `paper` with P = 1 and a tiny eta: after the first visits, whoever moved last has nearly all of the weight.
  LassoOptions options = published(Policy::paper);
  options.eta = 1e-9;
  const auto run = observe(random_content({.columns = 12, .shared = 2.0}), options, {.workers = 1, .rounds_max = 60});
  int moved_last = 0, rounds = 0;
  std::vector<double> change(12, 0);
  for (const auto& round : run.record.rounds) {
    const VarId j = round.assigns.at(0).block.ids.at(0);
    const bool decided = std::accumulate(change.begin(), change.end(), 0.0) > 1000 * 12 * options.eta;
    if (round.commit.version >= 12 && decided) {
      moved_last += change[j] > options.eta ? 1 : 0;
      ++rounds;
    }
    change[j] = round.deltas.at(0).deltas.values.empty() ? 0.0 : std::abs(round.deltas[0].deltas.values[0]);
  }
  EXPECT_GT(rounds, 10);
  EXPECT_GT(moved_last, 0.95 * rounds) << "variables that stood still have weight eta";
}

TEST(Section2Step4, DependenciesBetweenVariablesThatReachedZeroAreRemoved) {
  // Section 2: d is updated e.g. by removing dependencies between variables that have reached zero. `auto` draws the
  // working set only: no round holds a zero variable that would stay zero.
  Content content = random_content({.rows = 3000, .columns = 200, .shared = 0.1, .causes = 40});
  LassoOptions options;
  options.lambda = 0.02;
  const auto run = observe(content, options, {.workers = 8, .rounds_max = 3});
  for (const auto& assign : run.record.rounds.at(0).assigns) {
    for (const VarId j : assign.block.ids) EXPECT_GT(std::abs(plain_dot(run.plain.x[j], run.plain.y)), run.lambda);
  }
}

}  // namespace
}  // namespace strads::lasso
