// What --dry-run says of memory is what real fits then take, and a run that cannot fit is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kMebibyte = 1 << 20;

/// The header of a row-major .npy.
std::string row_major(const std::string& type, std::uint64_t rows, std::uint64_t columns) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  header.resize(118 - 1, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
}

class MemoryOfARun : public testing::Test {
 protected:
  /// MiB of anonymous memory that --dry-run promises in the first row that begins like this; 0: there is none.
  static double promised(const std::vector<std::string>& command, const std::string& row = "at the most  ") {
    const Ended ended = Process(with(command, {"--dry-run"})).wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto line = ended.out.find("    " + row);
    const auto end = line == std::string::npos ? line : ended.out.find(" MiB\n", line);
    return end == std::string::npos ? 0 : std::strtod(ended.out.c_str() + ended.out.rfind(' ', end - 1), nullptr);
  }
  /// MiB of anonymous memory that the run holds at the most, as the system says while it goes on.
  static double taken(const std::vector<std::string>& command) {
    Process process(with(command, {"--quiet"}));
    double most = 0;
    for (;;) {
      std::ifstream status("/proc/" + std::to_string(process.id()) + "/status");
      double now = -1;
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssAnon:")) now = std::strtod(line.c_str() + 8, nullptr);
      }
      if (now < 0) break;  // it has ended
      most = std::max(most, now * 1024 / kMebibyte);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const Ended ended = process.wait();
    EXPECT_TRUE(ended.code == 0 || ended.code == 3) << ended.err;
    return most;
  }
  /// 1000 x 6000 floats, row by row: they are copied.
  [[nodiscard]] std::vector<std::string> dense_fit() const {
    constexpr std::uint64_t kRows = 1000, kColumns = 6000;
    std::string bytes = row_major("<f4", kRows, kColumns), y = "y\n";
    Numbers numbers(1);
    std::vector<float> row(kColumns);
    for (std::uint64_t i = 0; i < kRows; ++i) {
      for (float& value : row) value = static_cast<float>(numbers.next());
      bytes.append(reinterpret_cast<const char*>(row.data()), kColumns * sizeof(float));
      y += std::to_string(3 * row[0] + row[1] + numbers.next()) + "\n";
    }
    return lasso_command({"fit", "--x", folder_.write("x.npy", bytes), "--y", folder_.write("y.csv", y), "--threads",
                          "1", "--lambda-ratio", "0.9"});
  }
  Folder folder_;
};

/// Within 10 %, and a MiB for what processes differ by.
void expect_near(double promised, double taken) {
  EXPECT_NEAR(promised, taken, 0.1 * taken + 1) << "MiB";
}

TEST_F(MemoryOfARun, OfCopiedColumnsIsThatOfTheTable) {
  const auto command = dense_fit();
  const double most = taken(command);
  EXPECT_GT(most, 22) << "the columns alone are so large";
  expect_near(promised(command), most);
}

/// Within 15 % either way, and a MiB and a half for what processes differ by.
void expect_as_planned(double promised, double taken, const std::string& what) {
  constexpr double kFactor = 1.15, kProcess = 1.5;
  EXPECT_LE(promised, kFactor * taken + kProcess) << what << ": held less";
  EXPECT_GE(promised, taken / kFactor - kProcess) << what << ": held more";
}

/// 60,000 users and 6,000 items, 400,000 ratings: factors take more than ratings, as with few ratings a user.
std::string many_users() {
  std::string text;
  Numbers numbers(1);
  for (int k = 0; k < 400'000; ++k) {
    text += std::to_string(static_cast<int>(60'000 * std::abs(numbers.next()))) + " " +
            std::to_string(static_cast<int>(6'000 * std::abs(numbers.next()))) + " " + std::to_string(1 + k % 5) + "\n";
  }
  return text;
}

/// Each solver, with early stopping and without, and the rank at which it is fast.
TEST_F(MemoryOfARun, OfEverySolverIsThatOfTheTable) {
  const std::string ratings = folder_.write("ratings.txt", many_users());
  for (const char* solver : {"sgd", "cd", "ccd", "als"}) {
    for (const char* validation : {"0.05", "0"}) {
      const std::string rank = solver == std::string("ccd") ? "8" : solver == std::string("als") ? "16" : "32";
      const auto command =
          mf_command({"fit", "--ratings", ratings, "--threads", "1", "--rank", rank, "--sweeps", "4", "--solver",
                      solver, "--validation", validation, "--early-stopping", validation[1] == 0 ? "off" : "on"});
      expect_as_planned(promised(command), taken(command), std::string(solver) + ", validation " + validation);
    }
  }
}

TEST_F(MemoryOfARun, OfTheShippedGenotypesIsCloseToTheTable) {
  const std::string data = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/1000g-chr2-eur/";
  const auto command = lasso_command(
      {"fit", "--bfile", data + "chr2-eur", "--pheno", data + "pheno.tsv", "--pheno-name", "sim20", "--threads", "1"});
  EXPECT_NEAR(promised(command), taken(command), 10) << "MiB; products of pairs are guessed";
}

/// An array that no machine can copy, in a file of holes.
std::string too_large(const Folder& folder) {
  constexpr std::uint64_t kSide = std::uint64_t{1} << 20;
  const std::string head = row_major("<f4", kSide, kSide);
  const std::string path = folder.write("large.npy", head);
  std::error_code error;
  std::filesystem::resize_file(path, head.size() + 4 * kSide * kSide, error);
  return error ? "" : path;
}

TEST_F(MemoryOfARun, ThatCannotBeHadIsRefusedBeforeAnythingIsRead) {
  const std::string x = too_large(folder_);
  ASSERT_FALSE(x.empty())
      << "the folder for temporary files needs a file system that holds files of 4 TiB (with holes)";
  const std::string y = folder_.write("y.csv", "y\n1\n2\n");
  const std::vector<std::string> command = {"fit", "--x", x, "--y", y, "--out", folder_.path("out")};
  const Ended refused = lasso(command);
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("lasso: error: not enough memory: at least 419"));
  EXPECT_FALSE(folder_.has("out/summary.json"));
  const Ended shown = lasso(with(command, {"--dry-run"}));
  EXPECT_EQ(shown.code, 4) << "a script can ask";
  EXPECT_THAT(shown.out, HasSubstr("1048576 samples x 1048576 variables, dense f32"));
}

TEST_F(MemoryOfARun, IsNotLookedAtWhereTheUserKnowsBetter) {
  const std::string x = too_large(folder_);
  ASSERT_FALSE(x.empty())
      << "the folder for temporary files needs a file system that holds files of 4 TiB (with holes)";
  const Ended ended = lasso({"fit", "--x", x, "--y", folder_.write("y.csv", "y\n1\n2\n"), "--memory-check", "off"});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, Not(HasSubstr("not enough memory")));
}

TEST_F(MemoryOfARun, OfGenotypesIsToldWithItsTimeFromTheSizeOfTheirFile) {
  constexpr std::uint64_t kSamples = 4000, kVariants = 1'000'000;
  std::string samples;
  for (std::uint64_t i = 0; i < kSamples; ++i)
    samples += "F I" + std::to_string(i) + " 0 0 1 " + std::to_string(i) + "\n";
  folder_.write("g.fam", samples);
  folder_.write("g.bed", std::string("\x6c\x1b\x01", 3));
  std::error_code error;
  std::filesystem::resize_file(folder_.path("g.bed"), 3 + kSamples / 4 * kVariants,
                               error);  // of holes; there is no .bim
  ASSERT_FALSE(error) << error.message();
  const Ended ended = lasso({"path", "--bfile", folder_.path("g"), "--threads", "2", "--expected-nonzeros", "300",
                             "--dry-run", "--out", folder_.path("out")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  for (const char* what : {"4000 samples x 1000000 variables, genotypes", "\nwork     100 solutions for 4000 samples",
                           "\nassumed  300 nonzeros at the last lambda, as given", "\ntime     about "}) {
    EXPECT_THAT(ended.out, HasSubstr(what));
  }
  EXPECT_FALSE(folder_.has("out"));
}

TEST_F(MemoryOfARun, IsShownForEachProcessWithoutStartingOne) {
  folder_.write("x.csv", Table(60, 30).csv());
  const Ended ended = lasso({"cv", "--x", folder_.path("x.csv"), "--y-name", "y", "--processes", "2", "--dry-run",
                             "--out", folder_.path("out")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  for (const char* who : {"\n  node with schedulers ", "\n  node without ", "\n  driver "}) {
    EXPECT_THAT(ended.out, HasSubstr(who));
  }
  EXPECT_THAT(ended.out, HasSubstr("60 samples x 30 variables, dense f64"));
  EXPECT_FALSE(folder_.has("out"));
}

}  // namespace
}  // namespace strads::test
