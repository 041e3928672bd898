// What a run is told to take before it begins: memory, who takes part, time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lasso/options/path_options.hpp"
#include "lasso/run/fit_memory.hpp"
#include "support/temporary_folder.hpp"

namespace strads::lasso {
namespace {

using testing::HasSubstr;
using testing::Not;

class PlannedRun : public testing::Test {
 protected:
  PlannedRun() {
    std::string samples;
    for (int i = 0; i < kSamples; ++i) samples += "F I" + std::to_string(i) + " 0 0 1 " + std::to_string(i) + "\n";
    folder_.write("g.fam", samples);
    folder_.write("g.bed", std::string("\x6c\x1b\x01", 3) + std::string(kSamples / 4 * 100, '\0'));
    options_.fit.input.source.bfile = folder_.path("g");
    options_.fit.lasso.path.count = options_.lambdas;
    options_.fit.machine.threads = 2;
    // Measuring this machine takes most of a second, and 18 s under the address sanitizer: one test does it.
    options_.fit.cost_model = folder_.write("prices.ini", "[cost]\nstreamed-flop = 1e-9\n");
  }
  /// A table of all samples whose last column is value(i).
  template <class Value>
  std::string table(const std::string& name, const std::string& column, const Value& value) {
    std::string text = "FID IID " + column + "\n";
    for (int i = 0; i < kSamples; ++i) text += "F I" + std::to_string(i) + " " + value(i) + "\n";
    return folder_.write(name, text);
  }
  [[nodiscard]] MemoryPlan plan(Look look = Look::thorough) const {
    auto planned = plan_fit(options_.fit, problem_count_of(options_), look);
    EXPECT_TRUE(planned.ok()) << planned.status().message();
    return planned.ok() ? std::move(planned).value() : MemoryPlan{};
  }
  static std::uint64_t bytes_of(const MemoryPlan& plan, const std::string& what) {
    for (const MemoryPart& part : plan.processes.at(0).parts) {
      if (part.what.starts_with(what)) return part.anonymous;
    }
    return 0;
  }

  static constexpr int kSamples = 40;
  test::TemporaryFolder folder_;
  PathCommandOptions options_;
};

TEST_F(PlannedRun, OfGenotypesIsKnownWithoutTheirVariants) {
  options_.fit.cost_model.clear();
  const MemoryPlan found = plan();
  EXPECT_EQ(found.shape, "40 samples x 100 variables, genotypes") << "there is no .bim";
  EXPECT_THAT(found.work, HasSubstr("100 solutions for 40 samples"));
  EXPECT_THAT(found.work, HasSubstr("time     about "));
  EXPECT_THAT(found.work, HasSubstr("on 2 threads"));
  EXPECT_THAT(found.work, HasSubstr("prices of this machine, measured in "));
}

TEST_F(PlannedRun, IsNotTimedWhereItOnlyHasToFit) {
  EXPECT_EQ(plan(Look::quick).work, "");
}

TEST_F(PlannedRun, OfASplitCountsThoseWhoTrain) {
  options_.fit.input.samples.split = table("split", "part", [](int i) { return i < 30 ? "train" : "val"; });
  options_.stop = stop_rule(options_.stop_after, options_.stop_from, options_.lambdas);
  const MemoryPlan found = plan();
  EXPECT_THAT(found.work, HasSubstr("people   30 train, 10 validate, 0 test\n"));
  EXPECT_THAT(found.work, HasSubstr("solutions for 30 samples"));
  EXPECT_THAT(found.work, HasSubstr("the path stops at lambda_max / 16"));
}

TEST_F(PlannedRun, HoldsTwoVectorsForEachLevelOfAFactor) {
  const std::uint64_t without = bytes_of(plan(), "residuals and responses");
  options_.fit.input.response.covar =
      table("covar", "place", [](int i) { return std::string(1, static_cast<char>('a' + i % 5)); });
  options_.fit.input.response.covar_names = {"place"};
  EXPECT_EQ(bytes_of(plan(), "residuals and responses"), without + 2 * 5 * kSamples * sizeof(double));
}

TEST_F(PlannedRun, HoldsMoreForMoreNonzeros) {
  options_.fit.expected_nonzeros = 10;
  const MemoryPlan few = plan();
  options_.fit.expected_nonzeros = 40;
  const MemoryPlan many = plan();
  EXPECT_LT(bytes_of(few, "products of pairs, for 10 nonzeros"), bytes_of(many, "products of pairs, for 40 nonzeros"));
  EXPECT_THAT(many.work, HasSubstr("assumed  40 nonzeros at the last lambda, as given"));
}

TEST_F(PlannedRun, OfRidgeKeepsAllVariablesOfEveryLambdaAndNoProducts) {
  options_.fit.lasso.l1_ratio = 0;
  const MemoryPlan found = plan();
  EXPECT_EQ(bytes_of(found, "products of pairs"), 0u);
  EXPECT_GT(bytes_of(found, "coefficients of all variables, for 100 lambdas of ridge"), 100u * 100 * 100);
  EXPECT_GT(bytes_of(found, "vectors over all variables"), 100u * 100);
  EXPECT_THAT(found.work, HasSubstr("ridge: all 100 variables"));
}

TEST_F(PlannedRun, OfRidgeOnAClusterHasTheCoefficientsWithTheDriver) {
  options_.fit.lasso.l1_ratio = 0;
  options_.fit.cluster.processes = 2;
  const MemoryPlan found = plan();
  EXPECT_EQ(bytes_of(found, "coefficients of all variables"), 0u) << "of a node";
  const auto& driver = found.processes.back().parts;
  EXPECT_TRUE(std::any_of(driver.begin(), driver.end(), [](const MemoryPart& part) {
    return part.what.starts_with("coefficients of all variables") && part.anonymous > 0;
  }));
}

TEST_F(PlannedRun, OfASplitAtSeveralRatiosKeepsTheRidgeOfOnePath) {
  options_.fit.input.samples.split = table("split", "part", [](int i) { return i < 30 ? "train" : "val"; });
  options_.l1_ratios = {1, 0};
  const std::uint64_t beside_others = bytes_of(plan(), "coefficients of all variables, for 100 lambdas of ridge");
  EXPECT_GT(beside_others, 0u);
  options_.l1_ratios = {0};
  options_.fit.lasso.l1_ratio = 0;
  EXPECT_EQ(bytes_of(plan(), "coefficients of all variables, for 100 lambdas of ridge"), beside_others);
}

TEST_F(PlannedRun, OfSeveralTraitsHasAsManySolutions) {
  options_.traits = {"a", "b", "c"};
  EXPECT_THAT(plan().work, HasSubstr("300 solutions for 40 samples"));
}

TEST_F(PlannedRun, OnAClusterHasNoTime) {
  options_.fit.cluster.processes = 2;
  EXPECT_THAT(plan().work, Not(HasSubstr("about")));
  EXPECT_THAT(plan().work, HasSubstr("strads_sim plan"));
}

TEST_F(PlannedRun, WithATableThatDoesNotFitIsRefused) {
  options_.fit.input.samples.split = table("split", "part", [](int) { return "trains"; });
  const auto planned = plan_fit(options_.fit, problem_count_of(options_), Look::thorough);
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(planned.status().code(), StatusCode::input);
}

TEST_F(PlannedRun, TakesThePricesOfACostModel) {
  options_.fit.cost_model = folder_.write("prices.ini", "[cost]\nstreamed-flop = 1\nquantised-flop = 1\n");
  const std::string work = plan().work;
  EXPECT_THAT(work, HasSubstr("prices of " + options_.fit.cost_model));
  EXPECT_THAT(work, HasSubstr(" min of processor time")) << "a second a flop";
}

}  // namespace
}  // namespace strads::lasso
