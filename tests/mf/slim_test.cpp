// Sparse item weights: each item against a plain solver, whole fits embedded, the check, payloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "made_up_ratings.hpp"
#include "mf/check/check_weights.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/slim/item_solver.hpp"
#include "mf/slim/slim.hpp"
#include "mf/slim/slim_judge.hpp"
#include "mf/slim/slim_model.hpp"
#include "mf/slim/slim_payloads.hpp"
#include "strads/transport/embedded.hpp"

namespace strads::mf {
namespace {

constexpr double kAllPairs = -std::numeric_limits<double>::infinity();

std::shared_ptr<const SlimData> slim_pairs(double lowest = kAllPairs) {
  return slim_data(*test::made_up_ratings({.users = 120, .items = 50, .ratings = 1500}), lowest);
}

SlimOptions tight_options() {
  SlimOptions options;
  options.l1 = 1.5;
  options.l2 = 4;
  options.tolerance = 1e-11;
  return options;
}

/// Column by column of A, entries x_u y_i.
std::vector<std::vector<double>> dense_columns(const SlimData& data, const SlimOptions& options) {
  std::vector<std::vector<double>> columns(data.items(), std::vector<double>(data.users(), 0.0));
  for (std::uint32_t item = 0; item < data.items(); ++item) {
    const double scale = std::pow(static_cast<double>(data.users_of(item).size()), -options.item_power);
    for (const std::uint32_t user : data.users_of(item)) {
      const auto count = static_cast<double>(data.items_of(user).size());
      columns[item][user] = scale * std::pow(count, -0.5 * options.user_power);
    }
  }
  return columns;
}

/// Coordinate descent on residuals, far longer than needed: weights of the scaled problem.
std::vector<double> plain_weights(const std::vector<std::vector<double>>& columns, std::uint32_t item,
                                  const SlimOptions& options) {
  std::vector<double> weights(columns.size(), 0.0), rest = columns[item];
  for (int sweep = 0; sweep < 3000; ++sweep) {
    for (std::uint32_t i = 0; i < columns.size(); ++i) {
      if (i == item) continue;
      const auto& column = columns[i];
      const double product = std::inner_product(column.begin(), column.end(), rest.begin(), 0.0);
      const double square = std::inner_product(column.begin(), column.end(), column.begin(), 0.0);
      const double weight = std::max(0.0, (product + square * weights[i] - options.l1) / (square + options.l2));
      for (std::size_t u = 0; u < rest.size(); ++u) rest[u] -= (weight - weights[i]) * column[u];
      weights[i] = weight;
    }
  }
  return weights;
}

void expect_plain_weights(const SlimOptions& options) {
  const auto data = slim_pairs();
  const SlimScales scales(*data, options);
  ItemSolver solver(*data, scales, options);
  const auto columns = dense_columns(*data, options);
  std::size_t nonzeros = 0;
  for (const std::uint32_t item : {0U, 7U, 49U}) {
    const ItemWeights solved = solver.solve(item);
    std::vector<double> found(data->items(), 0.0);
    for (std::size_t k = 0; k < solved.rows.size(); ++k) {
      found[solved.rows[k]] = double{solved.weights[k]} * scales.items[item] / scales.items[solved.rows[k]];
    }
    const auto expected = plain_weights(columns, item, options);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << item << " " << i;
    EXPECT_LE(solved.figures.gap, options.tolerance * solved.figures.objective);
    nonzeros += solved.rows.size();
  }
  EXPECT_GT(nonzeros, 10U);
}

TEST(SlimItem, IsTheElasticNetOfAPlainSolver) {
  expect_plain_weights(tight_options());
}

TEST(SlimItem, IsThatOfScaledEntriesWithPowers) {
  SlimOptions options = tight_options();
  options.user_power = 0.5;
  options.item_power = 0.3;
  options.l1 = 0.02;
  options.l2 = 0.2;
  expect_plain_weights(options);
}

TEST(SlimItem, DependsOnNothingThatWasSolvedBefore) {
  const auto data = slim_pairs();
  const SlimOptions options;
  const SlimScales scales(*data, options);
  ItemSolver one(*data, scales, options), other(*data, scales, options);
  static_cast<void>(one.solve(3));
  static_cast<void>(one.solve(0));
  EXPECT_EQ(one.solve(9), other.solve(9));
}

TEST(SlimItem, IsSolvedWithoutPenaltyOfTheSumToo) {
  SlimOptions options = tight_options();
  options.l1 = 0;
  options.l2 = 0.01;
  options.tolerance = 1e-8;
  expect_plain_weights(options);
}

struct SlimRun {
  SlimSolution solution;
  std::string hash, stop_reason;
  std::vector<double> objectives;
  Certificate certificate;
};

SlimRun slim_fit(const std::shared_ptr<const SlimData>& data, const SlimOptions& options,
                 const test::Machine& machine = {}) {
  SlimRun fit;
  const auto observe = [&](const ProgressEvent& event) {
    if (event.kind == ProgressEvent::Kind::commit) fit.objectives.push_back(event.objective);
    return false;
  };
  const auto run = run_embedded(make_slim_model(data, options, machine.engine), machine.engine,
                                {.threads = machine.threads, .encode_messages = machine.encode}, observe, {});
  STRADS_CHECK(run.end.status.ok(), run.end.status.message());
  fit.solution = slim_solution_of(*data, run.end);
  fit.hash = slim_hash(fit.solution);
  fit.stop_reason = run.end.stop_reason;
  fit.certificate = run.end.certificate;
  return fit;
}

TEST(SlimFit, GivesTheSameBitsForAnyNumberOfSchedulersWorkersAndThreads) {
  const auto data = slim_pairs();
  const auto one = slim_fit(data, {}, {.engine = {.schedulers = 1, .workers = 1, .depth = 1}});
  EXPECT_EQ(one.stop_reason, kStopCertified);
  for (const std::uint32_t schedulers : {1U, 3U, 7U}) {
    for (const std::uint32_t workers : {2U, 64U}) {
      const test::Machine machine{.engine = {.schedulers = schedulers, .workers = workers, .depth = schedulers},
                                  .threads = 2,
                                  .encode = schedulers == 3};
      EXPECT_EQ(slim_fit(data, {}, machine).hash, one.hash) << schedulers << " x " << workers;
    }
  }
}

TEST(SlimFit, NeverRaisesTheObjectiveAndCertifiesEveryItem) {
  const auto data = slim_pairs();
  SlimOptions options;
  options.l2 = 5;
  auto fit = slim_fit(data, options);
  for (std::size_t k = 1; k < fit.objectives.size(); ++k) EXPECT_LE(fit.objectives[k], fit.objectives[k - 1]);
  EXPECT_TRUE(fit.certificate.converged);
  EXPECT_EQ(fit.certificate.figures[kSlimCertified], data->items());
  SerialChunks serial;
  const double claimed = fit.objectives.back();
  ASSERT_TRUE(check_weights(*data, options, fit.solution, serial).ok());
  EXPECT_EQ(fit.solution.certified, data->items());
  EXPECT_LE(fit.solution.worst_gap, options.tolerance);
  EXPECT_NEAR(fit.solution.objective / claimed, 1, 1e-12);
}

TEST(SlimFit, TakesPositivesFromTheLowestRatingOn) {
  const auto some = slim_pairs(4), all = slim_pairs();
  EXPECT_LT(some->pairs(), all->pairs());
  EXPECT_GT(some->pairs(), 0U);
  EXPECT_NE(some->fingerprint, all->fingerprint);
  EXPECT_EQ(slim_fit(some, {}).stop_reason, kStopCertified) << "users and items without a positive as well";
}

class SlimCheck : public testing::Test {
 protected:
  SlimCheck() : data_(slim_pairs()), fit_(slim_fit(data_, options())) {}
  static SlimOptions options() {
    SlimOptions options;
    options.l2 = 5;
    options.user_power = 0.25;
    options.item_power = 0.1;
    options.l1 = 0.1;
    return options;
  }
  [[nodiscard]] std::string refusal() {
    SerialChunks serial;
    return check_weights(*data_, options(), fit_.solution, serial).message();
  }
  std::shared_ptr<const SlimData> data_;
  SlimRun fit_;
};

TEST_F(SlimCheck, AgreesWithTheSolver) {
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(fit_.solution.certified, data_->items());
}

TEST_F(SlimCheck, RefusesAWeightThatIsNotTheSolvers) {
  fit_.solution.columns[1].weights[0] *= 1.01F;
  EXPECT_THAT(refusal(), testing::HasSubstr("item 1 has an objective of"));
}

TEST_F(SlimCheck, RefusesAGapThatIsSaidTooSmall) {
  ItemWeights& column = fit_.solution.columns[2];
  column.rows.clear();
  column.weights.clear();
  double norm = 0;
  const SlimScales scales(*data_, options());
  for (const std::uint32_t user : data_->users_of(2)) norm += scales.user_squares[user];
  column.figures = {0.5 * norm * scales.items[2] * scales.items[2], 0, 0};
  EXPECT_THAT(refusal(), testing::HasSubstr("item 2 has a gap of 0"));
}

TEST_F(SlimCheck, RefusesAWeightOfTheItemItself) {
  fit_.solution.columns[3].rows.back() = 3;
  EXPECT_THAT(refusal(), testing::HasSubstr("item 3 has a weight that cannot be one"));
}

TEST(SlimReplica, IsTheSameAfterACheckpoint) {
  const auto data = slim_pairs();
  const EngineOptions engine{.schedulers = 2, .workers = 2, .depth = 1};
  SlimModel model(data, {}, engine);
  auto state = model.make_state();
  const Push push = model.push(*state, {.content = {{0, 4, 5}, {}}}, *std::make_unique<SerialChunks>());
  const auto pull = model.pull(*state, std::vector<Payload>{push.deltas}, nullptr);
  EXPECT_DOUBLE_EQ(pull.realised, push.predicted);
  SerialChunks serial;
  Cost cost;
  model.apply(*state, pull.changes, pull.step, nullptr, serial, cost);
  EXPECT_EQ(model.objective(*state), pull.objective);
  const auto again = model.restore_state(state->content());
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->content(), state->content());
  Payload damaged = state->content();
  damaged.values.pop_back();
  EXPECT_EQ(model.restore_state(damaged), nullptr);
}

TEST(SlimJudge, EndsWhereAPhaseBringsNothingAndGoesOnWhereALimitCutOneOff) {
  const Payload status = payload_of(SliceReport{.turn = 1, .solved = 4});
  const std::vector<Payload> statuses = {status};
  const auto verdict = [&](SlimJudge& judge, Version version, bool limit) {
    Barrier barrier;
    barrier.version = version;
    barrier.limit_reached = limit;
    return judge.judge(barrier, statuses).plan.verdict;
  };
  SlimJudge judge(10, 3, 2, 2);
  EXPECT_EQ(verdict(judge, 1, false), PhasePlan::Verdict::go_on);
  EXPECT_EQ(verdict(judge, 1, false), PhasePlan::Verdict::go_on) << "the same barrier again, after a resume";
  EXPECT_EQ(verdict(judge, 2, true), PhasePlan::Verdict::verify) << "a limit";
  EXPECT_EQ(verdict(judge, 2, false), PhasePlan::Verdict::go_on) << "from its checkpoint";
  EXPECT_EQ(verdict(judge, 4, false), PhasePlan::Verdict::verify) << "nothing new in two rounds";
}

TEST(SlimPayloads, AreRefusedWhereTheyAreNone) {
  const auto data = slim_pairs();
  SlimModel model(data, {}, {});
  const auto state = model.make_state();
  SerialChunks serial;
  const Payload good = model.push(*state, {.content = {{0, 1}, {}}}, serial).deltas;
  ASSERT_TRUE(model.acceptable(PayloadKind::deltas, good));
  const auto refused = [&](auto change) {
    Payload bad = good;
    change(bad);
    return !model.acceptable(PayloadKind::deltas, bad);
  };
  EXPECT_TRUE(refused([](Payload& p) { p.values[0] = 50; })) << "an item that is not there";
  EXPECT_TRUE(refused([](Payload& p) { p.values[1] = 1e15; })) << "more rows than there are floats";
  // Arrays are shared: a change is made to one of its own.
  const auto refused_floats = [&](auto change) {
    return refused([&](Payload& p) {
      SharedFloats own(p.bulk[0].size());
      std::ranges::copy(p.bulk[0].view(), own.writable().begin());
      change(own.writable());
      p.bulk[0] = own;
    });
  };
  EXPECT_FALSE(refused_floats([](std::span<float>) {}));
  EXPECT_TRUE(refused_floats([](std::span<float> f) { f[0] = std::bit_cast<float>(0U); }))
      << "an item speaks for itself";
  EXPECT_TRUE(refused_floats([](std::span<float> f) { std::swap(f[0], f[1]); })) << "rows that do not ascend";
  EXPECT_TRUE(refused_floats([](std::span<float> f) { f[0] = std::bit_cast<float>(50U); }))
      << "a row that is not there";
  EXPECT_TRUE(refused_floats([](std::span<float> f) { f.back() = -1; })) << "a weight below 0";
  EXPECT_TRUE(refused([](Payload& p) { p.values[2] = std::nan(""); }));
  EXPECT_TRUE(refused([](Payload& p) { p.bulk.clear(); })) << "rows without weights";
  EXPECT_TRUE(refused([](Payload& p) { p.ids = {0}; }));
  EXPECT_FALSE(model.acceptable(PayloadKind::block, {{50}, {}}));
  EXPECT_FALSE(model.acceptable(PayloadKind::status, {{}, {0, 1}}));
}

TEST(SlimBlocks, HaveEveryItemOnceAndAboutTheSameWork) {
  std::vector<VarId> items(1000);
  std::iota(items.begin(), items.end(), 0U);
  std::vector<std::uint64_t> work;
  for (const VarId item : items) work.push_back(100000 / (item + 10));
  const auto blocks = deal_items(items, work, 3, 4);
  ASSERT_EQ(blocks.size(), 12U);
  std::vector<VarId> all;
  std::vector<std::uint64_t> loads;
  for (const auto& block : blocks) {
    all.insert(all.end(), block.begin(), block.end());
    loads.push_back(0);
    for (const VarId item : block) loads.back() += work[item];
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, items);
  const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
  EXPECT_LT(static_cast<double>(*most), 1.05 * static_cast<double>(*least));
}

TEST(SlimMatrix, HasWhatAnItemSaysForOthersInItsRow) {
  SlimSolution solution;
  solution.columns.resize(3);
  solution.columns[0] = {{}, {1, 2}, {0.5F, 0.25F}};
  solution.columns[2] = {{}, {1}, {2.0F}};
  const SparseRows matrix = weights_by_row(solution);
  EXPECT_EQ(matrix.begins, (std::vector<std::uint64_t>{0, 0, 2, 3}));
  EXPECT_EQ(matrix.columns, (std::vector<std::uint32_t>{0, 2, 0}));
  EXPECT_EQ(matrix.values, (std::vector<float>{0.5F, 2.0F, 0.25F}));
}

}  // namespace
}  // namespace strads::mf
