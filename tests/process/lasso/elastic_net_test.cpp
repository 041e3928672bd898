#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

class LassoElasticNet : public testing::Test {
 protected:
  LassoElasticNet() : prefix_(Genotypes(120, 60).write(folder_, "g")) {}
  std::string summary_of(std::vector<std::string> more, const std::string& run) {
    std::vector<std::string> arguments = {"fit",   "--bfile", prefix_, "--l1-ratio",     "0.5",
                                          "--eta", "1e-3",    "--out", folder_.path(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = lasso(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoElasticNet, OfGenotypesHasTheSameOptimumWithEveryPolicy) {
  const auto automatic = summary_of({}, "auto");
  EXPECT_EQ(json_number(automatic, "l1_ratio"), 0.5);
  for (const char* policy : {"uniform", "static", "paper", "theorem1", "block-greedy"}) {
    const auto summary = summary_of({"--policy", policy}, policy);
    const double objective = json_number(automatic, "objective");
    EXPECT_NEAR(json_number(summary, "objective"), objective, 2e-6 * objective) << policy;
    EXPECT_LE(json_number(summary, "relative_gap"), 1e-6) << policy;
  }
}

TEST_F(LassoElasticNet, GivesTheSameBitsEmbeddedAndOnProcesses) {
  for (const char* policy : {"auto", "paper"}) {
    const auto here = summary_of({"--policy", policy}, std::string("here-") + policy);
    const auto there = summary_of({"--policy", policy, "--processes=2"}, std::string("there-") + policy);
    EXPECT_EQ(json_field(here, "beta_hash"), json_field(there, "beta_hash")) << policy;
  }
}

TEST_F(LassoElasticNet, RefusesARatioOutsideItsRange) {
  for (const char* wrong : {"1.5", "-0.5", "nan"}) {
    const auto ended = lasso({"fit", "--bfile", prefix_, "--l1-ratio", wrong});
    EXPECT_EQ(ended.code, 2) << wrong;
    EXPECT_THAT(ended.err, HasSubstr("l1-ratio")) << wrong;
  }
}

}  // namespace
}  // namespace strads::test
