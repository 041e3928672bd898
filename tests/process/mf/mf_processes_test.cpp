// mf fit --processes: the same bits, and an account of who held and sent what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/run_cluster.hpp"
#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

class MfProcesses : public MfFixture {};

TEST_F(MfProcesses, GiveTheBitsOfTheEmbeddedRun) {
  int run = 0;
  for (const auto& size : std::vector<std::vector<std::string>>{{"--schedulers=1", "--workers=2", "--depth=1"},
                                                                {"--schedulers=3", "--workers=4", "--depth=3"}}) {
    for (const char* solver : {"cd", "als"}) {
      auto options = size;
      options.insert(options.end(), {"--solver", solver, "--holdout", "0.1", "--threads", "1"});
      const auto embedded = hash_of(options, "embedded" + std::to_string(++run));
      options.emplace_back("--processes=2");
      EXPECT_EQ(hash_of(options, "run" + std::to_string(++run)), embedded) << size[0] << " " << solver;
    }
  }
}

TEST_F(MfProcesses, AccountForRatingsAndBytes) {
  const auto summary = summary_of({"--processes=2", "--holdout", "0.1"}, "run");
  EXPECT_EQ(json_field(summary, "transport"), "\"ipc\"");
  EXPECT_THAT(json_numbers(summary, "bytes_per_sweep"), testing::AllOf(SizeIs(3), Each(Gt(0))));
  const auto shares = json_numbers(summary, "ratings_share");
  ASSERT_THAT(shares, SizeIs(2));
  EXPECT_NEAR(shares[0] + shares[1], 1, 0.01) << "each rating once by user and once by item";
  EXPECT_NEAR(shares[0], 0.5, 0.1);
  const auto embedded = summary_of({"--holdout", "0.1"}, "embedded");
  for (const char* name : {"test_rmse", "test_mae", "objective", "train_rmse", "model_hash", "sweeps"}) {
    EXPECT_EQ(json_field(summary, name), json_field(embedded, name)) << name;
  }
}

TEST_F(MfProcesses, EndWithTheExitCodeOfAMissingFile) {
  ratings_ = folder_.path("absent.csv");
  const auto ended = fit({"--processes"});
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("absent.csv"));
}

}  // namespace
}  // namespace strads::test
