// `strads_sim run lda`: the bits are those of `lda fit`, whatever the cluster; a curve with a row a sweep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/lda/run_lda.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

using Words = std::vector<std::string>;

class SimulatedLda : public LdaFixture {
 protected:
  SimulatedLda() { sweeps_ = "4"; }
  [[nodiscard]] Ended run(const Words& more) const {
    Words words = {"run", "lda", "--corpus", corpus_, "--topics", "3", "--alpha", "0.1", "--sweeps", sweeps_};
    words.insert(words.end(), more.begin(), more.end());
    return simulator(words);
  }
  [[nodiscard]] std::string simulated(Words more) const {
    more.insert(more.end(), {"--out", folder_.path("simulated"), "--force"});
    const auto ended = run(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read("simulated/summary.json");
  }
};

TEST_F(SimulatedLda, HasTheBitsOfAnEmbeddedFitOnThreeNodes) {
  for (const char* sampler : {"delayed", "rotation", "stale"}) {
    const Words options = {"--sampler", sampler, "--workers", "5", "--schedulers", "2", "--measure-every", "2"};
    Words on_hosts = options;
    on_hosts.insert(on_hosts.end(), {"--hosts", "3", "--cores", "2"});
    EXPECT_EQ(json_field(simulated(on_hosts), "model_hash"), hash_of(options, sampler));
  }
  const auto curve = folder_.read("simulated/curve.csv");
  EXPECT_THAT(curve, StartsWith("seconds,sweep,log_joint_per_token,held_out_perplexity,drift,"));
  EXPECT_THAT(rows_of(curve), SizeIs(1 + 4));
}

TEST_F(SimulatedLda, EndsAtATargetForMinusTheLogJoint) {
  const auto whole = json_number(simulated({"--measure-every", "1"}), "objective");
  const auto summary = simulated({"--measure-every", "1", "--target-objective", std::to_string(whole * 1.05)});
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"target objective\"");
  EXPECT_LE(json_number(summary, "objective"), whole * 1.05);
}

TEST_F(SimulatedLda, RefusesWhatItCannotDo) {
  for (const auto& [option, what] : std::vector<std::pair<Words, std::string>>{
           {{"--target-gap", "0.1"}, "which lda fit does not"}, {{"--state", "on"}, "go with lda fit"}}) {
    const auto ended = run(option);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, AllOf(StartsWith("strads_sim: error: "), HasSubstr(what)));
  }
}

TEST(SimulatedLdaUsage, HasAHelpOfItsOwn) {
  const auto ended = simulator({"run", "lda", "--help"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("usage: strads_sim run lda"), HasSubstr("--sampler"), HasSubstr("--cores")));
}

}  // namespace
}  // namespace strads::test
