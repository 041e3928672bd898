// Whole runs on the engine: the same bits however they are executed; what is visited; what the check refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "strads/base/all_finite.hpp"
#include "strads/base/random.hpp"
#include "sumstats/check/check_blocks.hpp"
#include "sumstats/choose/choose.hpp"
#include "sumstats/made_up_study.hpp"
#include "sumstats/model/summary_model.hpp"
#include "sumstats/problem/block_record.hpp"
#include "sumstats/problem/packed_doubles.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::sumstats {
namespace {

const Grid kGrid{.shrinks = {0.2, 1}, .lambdas = {0.2, 0.1, 0.03}, .tolerance = 1e-8};

std::shared_ptr<SummaryProblem> nine_blocks() {
  auto problem =
      made_up::random_problem({.rows = 30, .columns = 90, .seed = 2, .correlation = 0.4, .missing = 0.01}, 10, 0.3);
  // One that no lambda of the grid lets in.
  for (std::size_t v = problem->begins[4]; v < problem->begins[5]; ++v) problem->r[v] /= 100;
  return problem;
}

TEST(SummaryRuns, HaveTheSameBitsForAnySchedulersWorkersAndThreads) {
  const auto problem = nine_blocks();
  const RunEnd one = made_up::run(problem, kGrid, {.schedulers = 1, .workers = 1});
  ASSERT_EQ(one.stop_reason, kStopCertified);
  const std::string hash = solution_hash(*problem, kGrid, summary_solution_of(*problem, kGrid, one));
  for (const auto& engine : {EngineOptions{.schedulers = 1, .workers = 8}, EngineOptions{.schedulers = 3, .workers = 2},
                             EngineOptions{.schedulers = 3, .workers = 4, .depth = 3}}) {
    for (const unsigned threads : {1U, 3U}) {
      const RunEnd end = made_up::run(problem, kGrid, engine, threads);
      EXPECT_EQ(end.stop_reason, kStopCertified);
      EXPECT_EQ(solution_hash(*problem, kGrid, summary_solution_of(*problem, kGrid, end)), hash);
    }
  }
}

TEST(SummaryRuns, HaveTheSameBitsOnSeveralNodes) {
  const auto problem = nine_blocks();
  const EngineOptions engine{.schedulers = 2, .workers = 4, .depth = 2};
  const RunEnd alone = made_up::run(problem, kGrid, engine);
  const auto many = support::run_threaded(
      {.make_model = [&] { return make_summary_model(problem, kGrid, engine); }, .engine = engine});
  ASSERT_TRUE(many.run.end.status.ok()) << many.run.end.status.message();
  EXPECT_EQ(many.run.end.statuses, alone.statuses);
}

TEST(SummaryRuns, OfManyTurnsHaveTheSameBitsAndTakeTheLargestGapsFirst) {
  const auto problem = nine_blocks();
  const RunEnd one = made_up::run(problem, kGrid);
  const EngineOptions engine{.schedulers = 1, .workers = 2};
  std::vector<double> gaps;
  const auto see = [&gaps](const ProgressEvent& event) {
    if (event.kind == ProgressEvent::Kind::barrier) gaps.push_back(event.certificate.gap);
    return false;
  };
  const auto run = run_embedded(make_summary_model(problem, kGrid, engine, {.work_of_place = 1, .blocks_of_place = 0}),
                                engine, {.threads = 2}, see, {});
  EXPECT_EQ(run.end.stop_reason, kStopCertified);
  EXPECT_EQ(run.end.totals.rounds, 4);  // eight blocks, two at a time
  EXPECT_EQ(solution_hash(*problem, kGrid, summary_solution_of(*problem, kGrid, run.end)),
            solution_hash(*problem, kGrid, summary_solution_of(*problem, kGrid, one)));
  ASSERT_GE(gaps.size(), 5U);
  for (std::size_t k = 2; k < 5; ++k) EXPECT_LE(gaps[k - 1] - gaps[k], gaps[k - 2] - gaps[k - 1]);
}

TEST(SummaryRuns, ThatEndBeforeABlockIsBegunSayTheGapOfNothing) {
  const auto problem = nine_blocks();
  SummarySolution solution = summary_solution_of(*problem, kGrid, RunEnd{});
  SerialChunks serial;
  ASSERT_TRUE(check_blocks(*problem, kGrid, solution, serial).ok());
  for (std::size_t k = 0; k < kGrid.size(); ++k) {
    double gap = 0;
    std::uint64_t right = 0;
    for (std::uint32_t block = 0; block < problem->blocks(); ++block) {
      const double own = gaps_at_zero(*problem, kGrid, block)[k];
      gap += own;
      right += own == 0 ? 1 : 0;
    }
    ASSERT_GT(gap, 0) << k;
    EXPECT_NEAR(solution.points[k].gap, gap, 1e-12 * gap) << k;
    EXPECT_EQ(solution.points[k].worst, 1) << k;
    EXPECT_EQ(solution.points[k].certified, right) << k;
    EXPECT_EQ(solution.points[k].objective, 0) << k;
  }
}

/// Turns so short that each ends inside of a block.
constexpr TurnSize kShortTurn{.work_of_place = 1, .blocks_of_place = 0, .work_of_push = 1};

TEST(SummaryRuns, WhoseTurnsEndInsideOfBlocksHaveTheSameBits) {
  const auto problem = nine_blocks();
  const std::string hash =
      solution_hash(*problem, kGrid, summary_solution_of(*problem, kGrid, made_up::run(problem, kGrid)));
  for (const auto& engine :
       {EngineOptions{.schedulers = 1, .workers = 1}, EngineOptions{.schedulers = 2, .workers = 3}}) {
    const auto make = [&] { return make_summary_model(problem, kGrid, engine, kShortTurn); };
    const RunEnd alone = run_embedded(make(), engine, {.threads = 2}, {}, {}).end;
    EXPECT_EQ(alone.stop_reason, kStopCertified);
    EXPECT_GT(alone.totals.rounds, 9 * kGrid.size() / engine.workers);
    EXPECT_EQ(solution_hash(*problem, kGrid, summary_solution_of(*problem, kGrid, alone)), hash);
    const auto many = support::run_threaded({.make_model = make, .engine = engine});
    ASSERT_TRUE(many.run.end.status.ok()) << many.run.end.status.message();
    EXPECT_EQ(many.run.end.statuses, alone.statuses);
  }
}

TEST(SummaryRuns, ThatAreStoppedInsideOfABlockKeepThePointsThatAreDone) {
  const auto problem = made_up::random_problem({.rows = 30, .columns = 60, .seed = 2, .correlation = 0.4}, 60, 0.3);
  ASSERT_EQ(problem->blocks(), 1U);
  const RunEnd whole = made_up::run(problem, kGrid);
  const EngineOptions engine{.schedulers = 1, .workers = 1};
  std::uint64_t most = 0;
  const auto see = [&most](const ProgressEvent& event) {
    if (event.kind != ProgressEvent::Kind::barrier) return false;
    most = std::max(most, event.certificate.nonzeros);
    return most > 0;
  };
  const RunEnd end = run_embedded(make_summary_model(problem, kGrid, engine, kShortTurn), engine, {}, see, {}).end;
  EXPECT_NE(end.stop_reason, kStopCertified);
  SummarySolution solution = summary_solution_of(*problem, kGrid, end);
  const SummarySolution expected = summary_solution_of(*problem, kGrid, whole);
  EXPECT_EQ(solution.solved_count(), 0U);
  SerialChunks serial;
  const Status checked = check_blocks(*problem, kGrid, solution, serial);
  ASSERT_TRUE(checked.ok()) << checked.message();
  std::size_t done = 0;
  for (std::size_t k = 0; k < kGrid.size(); ++k) {
    if (solution.points[k].certified == 0) continue;
    ++done;
    EXPECT_EQ(solution.blocks[0][k].values, expected.blocks[0][k].values) << k;
  }
  EXPECT_GT(done, 0U);
  EXPECT_LT(done, kGrid.size());
  EXPECT_GT(solution.points.back().gap, 0);
}

TEST(SummaryRuns, AReplicaInsideOfABlockGoesOnFromItsContent) {
  const auto problem = made_up::random_problem({.rows = 30, .columns = 60, .seed = 2, .correlation = 0.4}, 60, 0.3);
  const SummaryModel model(problem, kGrid, {}, kShortTurn);
  const Block block{.content = {.ids = {0}, .values = {}}};
  SerialChunks serial;
  Cost cost;
  const auto state = model.make_state();
  for (int turn = 0; turn < 7; ++turn) {
    model.apply(*state, model.push(*state, block, serial).deltas, 1, nullptr, serial, cost);
  }
  const Payload content = state->content();
  const auto head = read_fields<RecordHead>(std::span(content.values).subspan(kContentHead));
  EXPECT_EQ(head.turns, 7U);
  ASSERT_GT(head.going, 0U);
  // Another model, which remembers nothing.
  const SummaryModel other(problem, kGrid, {}, kShortTurn);
  const auto again = other.restore_state(content);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(other.push(*again, block, serial).deltas, model.push(*state, block, serial).deltas);
  // A record that goes on from where nobody can stand is none.
  Payload forged = content;
  std::vector<double> doubles = unpacked(content.bulk[0].view(), head.length);
  doubles[doubles.size() - head.going] = 9;
  forged.bulk[0] = packed(doubles);
  EXPECT_EQ(other.restore_state(forged), nullptr);
}

TEST(SummaryRuns, VisitABlockOnceAndOneThatStaysEmptyNever) {
  const auto problem = nine_blocks();
  ASSERT_EQ(gap_at_zero(*problem, kGrid, 4), 0);
  const RunEnd end = made_up::run(problem, kGrid, {.schedulers = 2, .workers = 2});
  const SummarySolution solution = summary_solution_of(*problem, kGrid, end);
  EXPECT_EQ(solution.solved_count(), problem->blocks());
  std::uint64_t visited = 0;
  for (std::uint32_t block = 0; block < problem->blocks(); ++block) {
    if (!solution.blocks[block].empty()) ++visited;
    EXPECT_EQ(solution.blocks[block].empty(), gap_at_zero(*problem, kGrid, block) == 0) << block;
  }
  EXPECT_EQ(visited + 1, problem->blocks());
}

TEST(SummaryRuns, TheirSumsOverBlocksAreThoseOfPlainLoops) {
  const auto problem = nine_blocks();
  SummarySolution solution = summary_solution_of(*problem, kGrid, made_up::run(problem, kGrid));
  SerialChunks serial;
  const Status checked = check_blocks(*problem, kGrid, solution, serial);
  ASSERT_TRUE(checked.ok()) << checked.message();
  for (std::size_t k = 0; k < kGrid.size(); ++k) {
    double objective = 0;
    std::uint64_t nonzeros = 0;
    for (std::uint32_t block = 0; block < problem->blocks(); ++block) {
      if (solution.blocks[block].empty()) continue;
      objective += made_up::figures_of(*problem, kGrid, block, k, solution.blocks[block][k]).objective;
      nonzeros += solution.blocks[block][k].places.size();
    }
    EXPECT_NEAR(solution.points[k].objective, objective, 1e-13);
    EXPECT_EQ(solution.points[k].nonzeros, nonzeros);
    EXPECT_EQ(solution.points[k].certified, problem->blocks());
    EXPECT_LE(solution.points[k].gap, kGrid.tolerance * std::abs(objective));
  }
}

TEST(SummaryRuns, ACoefficientThatIsNotTheOneSolvedForIsRefused) {
  const auto problem = nine_blocks();
  const SummarySolution right = summary_solution_of(*problem, kGrid, made_up::run(problem, kGrid));
  SerialChunks serial;
  const std::size_t last = kGrid.size() - 1;
  SummarySolution wrong = right;
  ASSERT_FALSE(wrong.blocks[0][last].values.empty());
  wrong.blocks[0][last].values.front() *= 1.001;
  Status refused = check_blocks(*problem, kGrid, wrong, serial);
  EXPECT_NE(refused.message().find("recomputed from the columns"), std::string::npos) << refused.message();
  wrong = right;
  wrong.blocks[0][last].gap += 1e-4;
  EXPECT_FALSE(check_blocks(*problem, kGrid, wrong, serial).ok());
  wrong = right;
  wrong.blocks[0][last].places.front() = 1000;
  refused = check_blocks(*problem, kGrid, wrong, serial);
  EXPECT_NE(refused.message().find("cannot be one"), std::string::npos) << refused.message();
}

TEST(SummaryRuns, AReplicaComesBackFromItsContentAndAForgedOneDoesNot) {
  const auto problem = nine_blocks();
  const SummaryModel model(problem, kGrid, {});
  const auto state = model.make_state();
  SerialChunks serial;
  Cost cost;
  Push push = model.push(*state, {.content = {.ids = {1, 3}, .values = {}}}, serial);
  model.apply(*state, push.deltas, 1, nullptr, serial, cost);
  const Payload content = state->content();
  const auto again = model.restore_state(content);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->content(), content);
  EXPECT_EQ(model.objective(*again), model.objective(*state));
  EXPECT_NEAR(push.predicted, -model.objective(*state), 1e-15);
  for (std::size_t at = 0; at < content.values.size(); ++at) {
    for (const double forged : {-1.0, 0.5, 1e300, std::nan("")}) {
      Payload wrong = push.deltas;
      if (at >= wrong.values.size()) continue;
      wrong.values[at] = forged;
      if (!model.acceptable(PayloadKind::deltas, wrong)) continue;
      // A number that is no place, count or length: it may be anything finite.
      model.apply(*model.make_state(), wrong, 1, nullptr, serial, cost);
    }
  }
  Payload shorter = push.deltas;
  shorter.values.pop_back();
  EXPECT_FALSE(model.acceptable(PayloadKind::deltas, shorter));
  Payload fewer = push.deltas;
  fewer.bulk.pop_back();
  EXPECT_FALSE(model.acceptable(PayloadKind::deltas, fewer));
}

TEST(SummaryRecords, HaveEveryCoefficientAgainAndSayTheirPlacesOnce) {
  const auto problem = made_up::random_problem({.rows = 20, .columns = 120, .seed = 4}, 120, 0.3);
  const Grid grid{.shrinks = {0.5, 1}, .lambdas = {0.3, 0.1}};
  // Places on both sides of the edges of masks; points that are empty, share places, and have other ones.
  const std::vector<std::vector<std::uint32_t>> supports{{}, {0, 47, 48, 119}, {47, 95, 96, 97}, {1, 119}};
  std::vector<BlockSolution> solutions;
  std::size_t nonzeros = 0;
  for (const auto& places : supports) {
    BlockSolution& own = solutions.emplace_back(BlockSolution{-0.5, 1e-9, places, {}});
    for (const std::uint32_t place : places) own.values.push_back(place + 0.25);
    nonzeros += places.size();
  }
  // As many others as fill masks, so that places are numbered beyond one of them.
  for (std::uint32_t place = 2; place < 47; ++place) {
    solutions[0].places.push_back(place);
    solutions[0].values.push_back(-1.0 / place);
    ++nonzeros;
  }
  Payload deltas;
  append_record(record_of(0, solutions, grid), deltas);
  EXPECT_TRUE(well_formed(PayloadKind::deltas, deltas, *problem, grid));
  std::size_t seen = 0;
  each_record(deltas, 0, [&](const StoredRecord& record) {
    ++seen;
    EXPECT_EQ(record.head.nonzeros, nonzeros);
    EXPECT_EQ(record.head.places, 53U);
    EXPECT_EQ(record.head.length, 53 + 4 * (kFields<PointHead> + 2) + nonzeros);
    const auto again = solutions_of(record, grid.size());
    ASSERT_EQ(again.size(), solutions.size());
    for (std::size_t k = 0; k < again.size(); ++k) {
      EXPECT_EQ(again[k].places, solutions[k].places) << k;
      EXPECT_EQ(again[k].values, solutions[k].values) << k;
      EXPECT_EQ(again[k].objective, solutions[k].objective) << k;
      EXPECT_EQ(again[k].gap, solutions[k].gap) << k;
    }
  });
  EXPECT_EQ(seen, 1U);
  // A mask with a bit of a place that is none, or with another number of them, is refused.
  const std::size_t mask = 53 + kFields<PointHead> + 1;
  const std::size_t length = 53 + 4 * (kFields<PointHead> + 2) + nonzeros;
  for (const double forged : {64.0, 1.0, -1.0, 0.5, std::nan("")}) {
    Payload wrong = deltas;
    std::vector<double> record = unpacked(deltas.bulk[0].view(), length);
    record[mask] += forged;
    wrong.bulk[0] = packed(record);
    EXPECT_FALSE(well_formed(PayloadKind::deltas, wrong, *problem, grid)) << forged;
  }
}

TEST(SummaryRecords, ArePackedIntoFiniteFloatsAndComeBackToTheLastBit) {
  std::vector<double> values{0.0, -0.0, 1.0, -1.5, 1e-308, -1.7e308, 4.9e-324, std::nan(""), -INFINITY};
  CounterRng random(3, Purpose::tests);
  for (int k = 0; k < 200; ++k) values.push_back(std::bit_cast<double>(random.next()));
  for (std::size_t count = 0; count <= values.size(); ++count) {
    const std::span<const double> some = std::span<const double>(values).first(count);
    const SharedFloats floats = packed(some);
    ASSERT_EQ(floats.size(), packed_size(count));
    EXPECT_LE(floats.size(), (count * 64 + 30) / 31);
    EXPECT_TRUE(all_finite(floats.view()));
    const std::vector<double> again = unpacked(floats.view(), count);
    EXPECT_EQ(std::memcmp(again.data(), some.data(), count * sizeof(double)), 0) << count;
  }
}

TEST(SummaryChoice, RatesOfFalseDiscoveryAreOneOfNoiseAndSmallOfSignals) {
  std::vector<double> p;
  for (int k = 0; k < 1000; ++k) p.push_back((k + 0.5) / 1000);
  const auto of_noise = local_false_discovery_rates(p);
  EXPECT_GT(*std::min_element(of_noise.begin() + 1, of_noise.end()), 0.9);
  for (int k = 0; k < 50; ++k) p.push_back(1e-12 * (k + 1));
  const auto rates = local_false_discovery_rates(p);
  for (std::size_t k = 0; k < 50; ++k) EXPECT_LT(rates[1000 + k], 1e-6);
  EXPECT_GT(rates[999], 0.9);
  EXPECT_TRUE(local_false_discovery_rates({}).empty());
  EXPECT_EQ(local_false_discovery_rates(std::vector<double>(5, 1.0)), std::vector<double>(5, 1.0));
}

}  // namespace
}  // namespace strads::sumstats
