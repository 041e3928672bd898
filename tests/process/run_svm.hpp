// Starts the real program `svm` on samples of two and three classes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "small_data.hpp"

namespace strads::test {

inline std::vector<std::string> svm_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(STRADS_BIN_DIR) + "/svm");
  return arguments;
}

/// Runs `svm` to its end.
inline Ended svm(std::vector<std::string> arguments) {
  return Process(svm_command(std::move(arguments))).wait();
}

/// A table of `rows` samples with classes that overlap a little: x1 ... xJ and, in the last column, one of `classes`
/// words.
inline std::string classes_csv(std::uint64_t rows, std::uint64_t columns, int classes, std::uint64_t seed = 1) {
  Numbers numbers(seed);
  std::ostringstream out;
  out.precision(17);
  for (std::uint64_t j = 0; j < columns; ++j) out << "x" << j + 1 << ",";
  out << "y\n";
  for (std::uint64_t i = 0; i < rows; ++i) {
    const auto own = static_cast<std::uint64_t>(numbers.next() * classes);
    for (std::uint64_t j = 0; j < columns; ++j) out << numbers.bell() + (j % classes == own ? 0.6 : 0.0) << ",";
    out << std::string(1, static_cast<char>('a' + own)) << "\n";
  }
  return out.str();
}

/// 200 samples of two classes in two.csv, of three in three.csv.
class SvmFixture : public testing::Test {
 protected:
  SvmFixture() {
    folder_.write("two.csv", classes_csv(200, 12, 2));
    folder_.write("three.csv", classes_csv(200, 12, 3));
  }
  [[nodiscard]] std::vector<std::string> fit_command(const std::string& file, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"fit", "--x", folder_.path(file), "--y-name", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return svm_command(arguments);
  }
  [[nodiscard]] Ended fit(const std::string& file, std::vector<std::string> more) const {
    return Process(fit_command(file, std::move(more))).wait();
  }
  /// Fits into a run directory; the summary.
  [[nodiscard]] std::string summary_of(const std::string& file, std::vector<std::string> more,
                                       const std::string& run) const {
    more.insert(more.end(), {"--out", folder_.path(run)});
    const auto ended = fit(file, more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  [[nodiscard]] std::string hash_of(const std::string& file, std::vector<std::string> more,
                                    const std::string& run) const {
    return json_field(summary_of(file, std::move(more), run), "model_hash");
  }
  Folder folder_;
};

}  // namespace strads::test
