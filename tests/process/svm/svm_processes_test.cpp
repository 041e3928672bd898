// svm fit on processes, and after it was killed: the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "process/run_svm.hpp"

namespace strads::test {
namespace {

class SvmProcesses : public SvmFixture {
 protected:
  SvmProcesses() { folder_.write("large.csv", classes_csv(3000, 60, 2)); }
  [[nodiscard]] std::vector<std::string> long_fit(const std::string& run, const std::vector<std::string>& more) const {
    return fit_command("large.csv", with({"--cost", "30", "--schedulers", "2", "--workers", "2", "--policy", "paper",
                                          "--check-interval", "500", "--tolerance", "1e-4", "--out", folder_.path(run)},
                                         more));
  }
  /// When the newest checkpoint was written, and its name.
  [[nodiscard]] std::pair<std::filesystem::file_time_type, std::string> newest(const std::string& run) const {
    std::pair<std::filesystem::file_time_type, std::string> found{std::filesystem::file_time_type::min(), ""};
    for (const char* name : {"/.checkpoint/checkpoint-0.bin", "/.checkpoint/checkpoint-1.bin"}) {
      std::error_code none;
      const auto when = std::filesystem::last_write_time(folder_.path(run) + name, none);
      if (!none) found = std::max(found, {when, name});
    }
    return found;
  }
};

TEST_F(SvmProcesses, GiveTheBitsOfTheEmbeddedRun) {
  int run = 0;
  for (const char* file : {"two.csv", "three.csv"}) {
    for (const char* loss : {"hinge", "squared_hinge"}) {
      const std::vector<std::string> options{"--loss", loss, "--schedulers", "2", "--workers", "3", "--threads", "1"};
      const auto embedded = hash_of(file, options, "embedded" + std::to_string(++run));
      EXPECT_EQ(hash_of(file, with(options, {"--processes", "2"}), "processes" + std::to_string(run)), embedded)
          << file << " " << loss;
    }
  }
}

TEST_F(SvmProcesses, EndWithTheExitCodeOfAMissingFile) {
  const auto ended = Process(svm_command({"fit", "--x", folder_.path("absent.svm"), "--processes", "2"})).wait();
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, testing::HasSubstr("absent.svm"));
}

TEST_F(SvmProcesses, GoOnAfterAKillWithTheBitsOfARunThatWasNot) {
  const auto before = newest("run");
  Process process(long_fit("run", {"--checkpoint-rounds", "1"}));
  for (int tries = 0; tries < 20000 && newest("run") == before; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.signal(SIGKILL);
  ASSERT_EQ(process.wait().code, 128 + SIGKILL) << "the run was over before it was killed";
  const auto ended = Process(svm_command({"fit", "--resume", folder_.path("run")})).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, testing::HasSubstr("resumed after "));
  ASSERT_EQ(Process(long_fit("whole", {})).wait().code, 0);
  EXPECT_EQ(folder_.read("run/coefficients.tsv"), folder_.read("whole/coefficients.tsv"));
  const auto resumed = folder_.read("run/summary.json"), whole = folder_.read("whole/summary.json");
  for (const char* field : {"model_hash", "rounds", "updates", "phases"}) {
    EXPECT_EQ(json_field(resumed, field), json_field(whole, field)) << field;
  }
}

}  // namespace
}  // namespace strads::test
