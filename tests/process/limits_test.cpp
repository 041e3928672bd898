// What the machine lacks is no bug of ours: memory, threads, room for what is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_mf.hpp"
#include "small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Limits : public testing::Test {
 protected:
  Limits() {
    const Table table(60, 30);
    folder_.write("x.csv", table.csv());
    folder_.write("ratings.csv", "user,item,rating\nu1,i1,4\nu1,i2,3\nu2,i1,2\nu2,i2,5\n");
  }
  /// `before`: what a shell does first; `behind`: where the output goes.
  static Ended shell(const std::string& before, const std::vector<std::string>& command, const std::string& behind) {
    std::string line = before + "exec";
    for (const auto& word : command) line += " '" + word + "'";
    return Process({"sh", "-c", line + behind}).wait();
  }
  [[nodiscard]] std::vector<std::string> fit(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"fit", "--x", folder_.path("x.csv"), "--y-name", "y"};
    words.insert(words.end(), more.begin(), more.end());
    return lasso_command(words);
  }
  [[nodiscard]] std::vector<std::string> mf_fit(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"fit", "--ratings", folder_.path("ratings.csv"), "--early-stopping", "off"};
    words.insert(words.end(), more.begin(), more.end());
    return mf_command(words);
  }
  Folder folder_;
};

TEST_F(Limits, OfAFullDiskBehindStdoutAreAnErrorOfEveryCommand) {
  for (const auto& command : {fit(), mf_fit(), lasso_command({"fit", "--help"}), mf_command({"--version"})}) {
    const auto ended = shell("", command, " > /dev/full");
    EXPECT_EQ(ended.code, 4) << command.at(1);
    EXPECT_THAT(ended.err, HasSubstr("stdout: what the program printed could not be written"));
  }
}

TEST_F(Limits, OfThreadsAreNoInternalError) {
  for (const auto& command : {fit({"--threads", "4096"}), mf_fit({"--threads", "4096"})}) {
    const auto ended = shell("ulimit -v 4000000; ", command, "");
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("starts no more threads"), HasSubstr("--threads"), Not(HasSubstr("internal error"))));
  }
}

TEST_F(Limits, OfMemoryAreNoInternalError) {
  // Millions of columns without an entry: what a fit holds of each is more than the shell allows.
  folder_.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n" + std::string(4'000'000, '%') +
                                "\n3 4000000 3\n1 1 1\n2 2 1\n3 4000000 1\n");
  folder_.write("y.csv", "y\n1\n2\n4\n");
  const auto ended = shell(
      "ulimit -v 150000; ",
      lasso_command({"fit", "--x", folder_.path("wide.mtx"), "--y", folder_.path("y.csv"), "--threads", "1"}), "");
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("memory"), Not(HasSubstr("internal error"))));
}

TEST_F(Limits, OfMemoryHoldThousandsOfSchedulers) {
  // A table of 100,000 positions for each of 4096 slices would take 1.6 GB.
  folder_.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n3 100000 3\n1 1 1\n2 2 1\n3 100000 1\n");
  folder_.write("y.csv", "y\n1\n2\n4\n");
  const auto ended = shell("ulimit -v 700000; ",
                           lasso_command({"fit", "--x", folder_.path("wide.mtx"), "--y", folder_.path("y.csv"),
                                          "--threads", "1", "--schedulers", "4096"}),
                           "");
  EXPECT_EQ(ended.code, 0) << ended.err;
}

}  // namespace
}  // namespace strads::test
