// What `strads_sim plan` says in words, and what it counts for a factorization.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mf/mf_node.hpp"
#include "strads_sim/cluster_shape.hpp"
#include "strads_sim/mf_prediction.hpp"
#include "strads_sim/verdict.hpp"

namespace strads::simulator {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kGiB = 1024.0 * 1024 * 1024;

TEST(Verdict, LooksAtDoublingsOfTheHosts) {
  EXPECT_THAT(numbers_of_hosts(1), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(numbers_of_hosts(6), ElementsAre(1, 2, 4, 6, 8));
  EXPECT_THAT(numbers_of_hosts(20), ElementsAre(1, 2, 4, 8, 16, 20));
}

TEST(Verdict, SaysThatOneHostIsEnoughWhereMoreSaveLittle) {
  const std::vector<HostsPlan> plans = {{1, 100, 1, kGiB}, {2, 80, 1.6, kGiB}, {4, 75, 3, kGiB}};
  EXPECT_EQ(verdict_text(plans, 2 * kGiB, 3),
            "fits      yes: 1 GiB of 2 GiB a host (--host-memory)\n"
            "hosts     1 host is enough: more are not worth it (4 hosts: 75 s instead of 100 s, for 3 times the "
            "core-hours)\n");
}

TEST(Verdict, SaysHowManyAreWorthItAndWhereItEnds) {
  const std::vector<HostsPlan> plans = {
      {1, 1000, 10, kGiB}, {2, 510, 10.2, kGiB}, {4, 270, 10.8, kGiB}, {8, 260, 20.8, kGiB}};
  EXPECT_THAT(
      verdict_text(plans, 2 * kGiB, 3),
      HasSubstr("hosts     4 hosts are worth it: 4.5 min instead of 16.7 min, for 1.1 times the core-hours; more "
                "are not (8 hosts: 4.33 min)\n"));
  EXPECT_THAT(verdict_text(plans, 2 * kGiB, 5), HasSubstr("4 hosts may be worth it, within the range of error: "))
      << "what is saved may be an error of the plan";
}

TEST(Verdict, NeedsHostsThatHoldIt) {
  const std::vector<HostsPlan> plans = {{1, 100, 1, 8 * kGiB}, {2, 90, 2, 4 * kGiB}, {4, 85, 4, 3 * kGiB}};
  EXPECT_THAT(
      verdict_text(plans, 5 * kGiB, 3),
      AllOf(StartsWith("fits      on 2 hosts and more: 4 GiB of 5 GiB a host (--host-memory); one host would need "
                       "8 GiB\n"),
            HasSubstr("hosts     2 hosts are enough")));
  EXPECT_EQ(verdict_text(plans, kGiB, 3),
            "fits      no: 3 GiB on 4 hosts, of 1 GiB a host (--host-memory); use larger hosts\n"
            "hosts     not judged: it does not fit\n");
}

TEST(Verdict, HasUnitsThatPeopleRead) {
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(time_text(90), "90 s");
  EXPECT_EQ(time_text(7000), "117 min");
  EXPECT_EQ(time_text(36000), "10 h");
  EXPECT_EQ(time_text(864000), "10 days");
}

sim::SimulationOptions cluster(std::uint32_t hosts, std::uint32_t cores) {
  ClusterShape shape;
  shape.preset = "modern";
  shape.hosts = hosts;
  shape.cores = cores;
  return cluster_of(shape, "ratings").value();
}

mf::PlannedFactorization factorization(const char* solver) {
  mf::PlannedFactorization fit;
  fit.users = 1000;
  fit.items = 500;
  fit.ratings = 100'000;
  fit.solver = solver;
  fit.rank = 12;
  fit.held_out = 0;
  return fit;
}

/// Whole rows: products of all pairs of coordinates for each rating, an equation of so many unknowns a row.
TEST(PlannedSweep, OfAlsCountsRatingsOfBothSidesAndEquationsOfTheirRows) {
  const double width = 13;  // 12 and the bias
  const auto sweep = mf::plan_sweep(factorization("als"));
  const double of_ratings = 2 * 100'000 * (width * (width + 5) + 2 * 14),
               of_rows = 1500 * width * width * (width + 6) / 3;
  EXPECT_NEAR(static_cast<double>(sweep.cost.tiled), of_ratings + of_rows, 2);
  EXPECT_EQ(sweep.cost.gathered, 2 * 100'000 * 16 * 4U) << "a record of 16 floats for each rating of each side";
  EXPECT_EQ(sweep.phases, 2U);
  EXPECT_EQ(sweep.factor_bytes, 1500 * 16 * 4);
}

TEST(PlannedSweep, OfSgdHasAPhaseForEachStratum) {
  auto fit = factorization("sgd");
  fit.workers = 24;
  const auto sweep = mf::plan_sweep(fit);
  EXPECT_EQ(sweep.phases, 24U);
  EXPECT_EQ(sweep.cost.tiled, 100'000 * 8 * 12U);
  fit.held_out = 0.1;
  EXPECT_EQ(mf::plan_sweep(fit).phases, 25U) << "and one that looks at ratings that are held out";
}

TEST(PlannedSweep, OfImplicitFeedbackGrowsWithThePairsAndTheOtherSide) {
  auto fit = factorization("als");
  fit.implicit = true;
  const auto sweep = mf::plan_sweep(fit);
  auto more = fit;
  more.ratings *= 4;
  EXPECT_GT(mf::plan_sweep(more).cost.tiled, 3 * sweep.cost.tiled);
  // Rows that all have less than the rank: each pair with each other one of its row.
  fit.ratings = 1000;
  EXPECT_GT(mf::plan_sweep(fit).cost.tiled, 3 * 1500 * 12 * 12U);
}

TEST(PlannedFactorization, IsSharedByCoresUntilTheNetworkIsWhatTakesLong) {
  auto fit = factorization("als");
  fit.users = 1'000'000;
  fit.items = 100'000;
  fit.ratings = 500'000'000;
  fit.rank = 64;
  fit.workers = 0;
  const auto one = predict_factorization(fit, 20, cluster(1, 32));
  const auto four = predict_factorization(fit, 20, cluster(4, 32));
  EXPECT_NEAR(one.seconds_sweeps / four.seconds_sweeps, 4, 0.2);
  EXPECT_EQ(one.seconds_network, 0);
  EXPECT_GT(four.seconds_network, 0);
  EXPECT_GE(four.memory, one.memory) << "every host reads all ratings, and one has the driver besides";
  EXPECT_EQ(one.bytes, 0);
  // Every stratum of sgd replaces all factors: on as many cores the same fit sends 128 times as much.
  fit.solver = "sgd";
  const auto strata = predict_factorization(fit, 20, cluster(4, 32));
  EXPECT_GT(strata.bytes, 50 * four.bytes);
  EXPECT_GT(strata.seconds_network, strata.seconds_sweeps);
}

TEST(PlannedFactorization, HasNoMoreCoresThanWorkers) {
  auto fit = factorization("als");
  fit.workers = 8;
  EXPECT_EQ(predict_factorization(fit, 5, cluster(1, 32)).cores, 8);
  fit.workers = 0;
  EXPECT_EQ(predict_factorization(fit, 5, cluster(2, 32)).cores, 64);
}

}  // namespace
}  // namespace strads::simulator
