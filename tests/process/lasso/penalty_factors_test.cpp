#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

class LassoPenaltyFactors : public testing::Test {
 protected:
  LassoPenaltyFactors() : prefix_(Genotypes(120, 60).write(folder_, "g")) {
    factors_ = folder_.write("f.tsv", "rs1 0\nrs6 2\nrs18 0.5\nrs20 0\nrs41 Inf\n");
  }
  std::string summary_of(std::vector<std::string> more, const std::string& run) {
    std::vector<std::string> arguments = {"fit",   "--bfile", prefix_, "--penalty-factors", factors_,
                                          "--eta", "1e-3",    "--out", folder_.path(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = lasso(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  Folder folder_;
  std::string prefix_;
  std::string factors_;
};

TEST_F(LassoPenaltyFactors, OfGenotypesHaveTheSameOptimumWithEveryPolicy) {
  const auto automatic = summary_of({}, "auto");
  EXPECT_EQ(json_field(automatic, "unpenalised"), "2");
  EXPECT_EQ(json_field(automatic, "excluded"), "1");
  for (const char* policy : {"uniform", "static", "paper", "theorem1", "block-greedy"}) {
    const auto summary = summary_of({"--policy", policy}, policy);
    const double objective = json_number(automatic, "objective");
    EXPECT_NEAR(json_number(summary, "objective"), objective, 2e-6 * objective) << policy;
  }
}

TEST_F(LassoPenaltyFactors, GiveTheSameBitsEmbeddedAndOnProcesses) {
  for (const char* policy : {"auto", "paper"}) {
    const auto here = summary_of({"--policy", policy}, std::string("here-") + policy);
    const auto there = summary_of({"--policy", policy, "--processes=2"}, std::string("there-") + policy);
    EXPECT_EQ(json_field(here, "beta_hash"), json_field(there, "beta_hash")) << policy;
    EXPECT_EQ(folder_.read(std::string("here-") + policy + "/coefficients.tsv"),
              folder_.read(std::string("there-") + policy + "/coefficients.tsv"));
  }
}

TEST_F(LassoPenaltyFactors, UnpenalisedVariablesPredictLikeTheOthers) {
  const auto summary = summary_of({"--lambda-ratio", "0.05"}, "run");
  const auto rows = rows_of(folder_.read("run/coefficients.tsv"));
  std::string ids;
  for (const auto& row : rows) ids += row[0] + " ";
  EXPECT_THAT(ids, HasSubstr("id rs1 "));
  EXPECT_THAT(ids, HasSubstr(" rs20 "));
  const auto ended = lasso({"predict", "--model", folder_.path("run"), "--bfile", prefix_});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const Genotypes genotypes(120, 60);
  const auto predictions = rows_of(ended.out);
  // r = y - prediction: orthogonal to the constant and to the unpenalised rs1, whose missing calls are at its mean.
  double sum = 0;
  double product = 0;
  double mean = 0;
  double observed = 0;
  for (std::uint64_t i = 0; i < 120; ++i) {
    if (genotypes.call(i, 0) == Genotypes::kMissing) continue;
    mean += genotypes.call(i, 0);
    observed += 1;
  }
  mean /= observed;
  for (std::uint64_t i = 0; i < 120; ++i) {
    const double r = genotypes.phenotype[i] - std::stod(predictions[i + 1].back());
    sum += r;
    product += r * (genotypes.call(i, 0) == Genotypes::kMissing ? mean : genotypes.call(i, 0));
  }
  EXPECT_NEAR(sum, 0, 1e-2) << "phenotypes are written with six digits";
  EXPECT_NEAR(product, 0, 1e-2);
}

TEST_F(LassoPenaltyFactors, RefuseUnknownVariables) {
  factors_ = folder_.write("f.tsv", "rs999 2\n");
  const auto ended = lasso({"fit", "--bfile", prefix_, "--penalty-factors", factors_});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("f.tsv:1:1: variable 'rs999' is not in the data"));
}

}  // namespace
}  // namespace strads::test
