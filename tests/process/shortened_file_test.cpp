// A data file that somebody shortens while a program reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_cluster.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ShortenedFile : public ClusterFixture {
 protected:
  /// Starts `command`, waits for its first rounds and cuts the data off.
  Ended cut_off(std::vector<std::string> command) {
    Process process(std::move(command));
    EXPECT_TRUE(process.stderr_shows(" round "));
    std::filesystem::resize_file(folder_.path("long.npy"), 5'000);
    return process.wait();
  }
  void expect_the_reason(const Ended& ended) {
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("lasso: error: "), HasSubstr("long.npy: has 5000 bytes, expected the "),
                                 HasSubstr("put the whole file back")));
    EXPECT_FALSE(folder_.has("run/summary.json"));
    for (const auto& name : folder_.list("run")) EXPECT_THAT(name, Not(HasSubstr("tmp"))) << name;
    expect_nothing_left();
  }
};

TEST_F(ShortenedFile, EndsARunWithItsName) {
  expect_the_reason(cut_off(long_fit({})));
}

TEST_F(ShortenedFile, EndsARunOfProcessesWithItsName) {
  expect_the_reason(cut_off(long_fit({"--processes=2"})));
}

}  // namespace
}  // namespace strads::test
