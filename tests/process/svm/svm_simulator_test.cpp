// `strads_sim run svm`: the bits are those of `svm fit`, whatever the cluster; a curve of what barriers certify.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/run_lasso.hpp"
#include "process/run_svm.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

class SimulatedSvm : public SvmFixture {
 protected:
  [[nodiscard]] Ended run(const std::string& file, const Words& more) const {
    Words words = {"run", "svm", "--x", folder_.path(file), "--y-name", "y"};
    words.insert(words.end(), more.begin(), more.end());
    return simulator(words);
  }
  [[nodiscard]] std::string simulated(const std::string& file, Words more) const {
    more.insert(more.end(), {"--out", folder_.path("simulated")});
    const auto ended = run(file, more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read("simulated/summary.json");
  }
};

TEST_F(SimulatedSvm, HasTheBitsOfAnEmbeddedFitOnThreeNodes) {
  const Words options = {"--loss", "squared_hinge", "--workers", "3", "--schedulers", "2"};
  Words on_hosts = options;
  on_hosts.insert(on_hosts.end(), {"--hosts", "3", "--cores", "2"});
  const auto summary = simulated("three.csv", on_hosts);
  EXPECT_EQ(json_field(summary, "model_hash"), hash_of("three.csv", options, "real"));
  EXPECT_LE(json_number(summary, "relative_gap"), 1e-6);
  EXPECT_THAT(folder_.read("simulated/curve.csv"),
              StartsWith("seconds,updates,rounds,objective,dual_objective,relative_gap,support_vectors\n"));
}

TEST_F(SimulatedSvm, EndsAtATargetForThePrimalObjective) {
  const auto summary = simulated("two.csv", {"--policy", "uniform", "--tolerance", "1e-9", "--check-interval", "100",
                                             "--target-objective", "150"});
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"target objective\"");
  EXPECT_LE(json_number(summary, "objective"), 150);
  EXPECT_GT(json_number(summary, "objective"), 0);
}

TEST(SimulatedSvmUsage, HasAHelpOfItsOwnAndWantsSamples) {
  const auto help = simulator({"run", "svm", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("usage: strads_sim run svm"), HasSubstr("--cost"), HasSubstr("--cores")));
  EXPECT_EQ(simulator({"run", "svm"}).code, 2);
}

}  // namespace
}  // namespace strads::test
