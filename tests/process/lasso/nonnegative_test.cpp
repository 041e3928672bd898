#include <gtest/gtest.h>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

class LassoNonnegative : public testing::Test {
 protected:
  LassoNonnegative() : prefix_(Genotypes(120, 60).write(folder_, "g")) {}
  std::string summary_of(std::vector<std::string> more, const std::string& run) {
    std::vector<std::string> arguments = {"fit",   "--bfile", prefix_, "--nonnegative",
                                          "--eta", "1e-3",    "--out", folder_.path(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = lasso(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoNonnegative, OfGenotypesHasTheSameOptimumWithEveryPolicy) {
  const auto automatic = summary_of({}, "auto");
  for (const char* policy : {"uniform", "static", "paper", "theorem1", "block-greedy"}) {
    const auto summary = summary_of({"--policy", policy}, policy);
    const double objective = json_number(automatic, "objective");
    EXPECT_NEAR(json_number(summary, "objective"), objective, 2e-6 * objective) << policy;
  }
  const auto rows = rows_of(folder_.read("auto/coefficients.tsv"));
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_GT(std::stod(rows[k][5]), 0);
}

TEST_F(LassoNonnegative, GivesTheSameBitsEmbeddedAndOnProcesses) {
  for (const char* policy : {"auto", "paper"}) {
    const auto here = summary_of({"--policy", policy}, std::string("here-") + policy);
    const auto there = summary_of({"--policy", policy, "--processes=2"}, std::string("there-") + policy);
    EXPECT_EQ(json_field(here, "beta_hash"), json_field(there, "beta_hash")) << policy;
  }
}

TEST_F(LassoNonnegative, BeginsWithThePositivePartOfAnEarlierRun) {
  EXPECT_EQ(lasso({"fit", "--bfile", prefix_, "--out", folder_.path("free")}).code, 0);
  const auto cold = summary_of({}, "cold");
  const auto warm = summary_of({"--warm-start", folder_.path("free")}, "warm");
  const double objective = json_number(cold, "objective");
  EXPECT_NEAR(json_number(warm, "objective"), objective, 1e-6 * objective);
}

}  // namespace
}  // namespace strads::test
