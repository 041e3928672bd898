// The program on columns of bytes: fit, path, cv and predict say what they say of the same numbers in doubles, and a
// fit has the same bits in this process, on processes and on simulated hosts.
#include <gtest/gtest.h>

#include <cmath>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using Words = std::vector<std::string>;

/// A .npy of 70 x 120 dosages as bytes or doubles, and its response.
class Bytes : public testing::Test {
 protected:
  Bytes() {
    Numbers numbers(7);
    std::string bytes, response = "y\n";
    for (int k = 0; k < kRows * kColumns; ++k) bytes.push_back(static_cast<char>(3 * numbers.next()));
    std::vector<double> doubles(bytes.begin(), bytes.end());
    for (int i = 0; i < kRows; ++i) {
      const double y = 2 * doubles[3 * kRows + i] - doubles[8 * kRows + i] + 0.5 * numbers.bell();
      response += std::to_string(y) + "\n";
    }
    y_ = folder_.write("y.csv", response);
    bytes_ = folder_.write("bytes.npy", header("|i1") + bytes);
    doubles_ = folder_.write("doubles.npy", header("<f8") + std::string(reinterpret_cast<const char*>(doubles.data()),
                                                                        doubles.size() * sizeof(double)));
  }
  static constexpr int kRows = 70, kColumns = 120;

  static std::string header(const std::string& type) {
    std::string text = "{'descr': '" + type + "', 'fortran_order': True, 'shape': (" + std::to_string(kRows) + ", " +
                       std::to_string(kColumns) + "), }";
    text.resize(118 - 1, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n";
  }
  static Words join(Words first, const Words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }
  std::string ran(const std::string& program, const Words& command, const std::string& x, const std::string& run) {
    const auto ended = Process(join(join({std::string(STRADS_BIN_DIR) + "/" + program}, command),
                                    {"--x", x, "--y", y_, "--out", folder_.path(run)}))
                           .wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  static double number(const std::string& text) { return std::stod(text); }

  Folder folder_;
  std::string y_, bytes_, doubles_;
};

TEST_F(Bytes, HaveTheSameBitsEverywhere) {
  const Words shape = {"--schedulers", "3", "--depth", "2", "--workers", "4"};
  const auto hash_of = [&](const std::string& program, const Words& command, const std::string& run) {
    return json_field(ran(program, join(command, shape), bytes_, run), "beta_hash");
  };
  const auto here = hash_of("lasso", {"fit", "--threads", "1"}, "here");
  EXPECT_EQ(hash_of("lasso", {"fit", "--threads", "2", "--encode-messages", "on"}, "encoded"), here);
  EXPECT_EQ(hash_of("lasso", {"fit", "--processes=2"}, "processes"), here);
  EXPECT_EQ(hash_of("strads_sim", {"run", "--hosts", "3"}, "simulated"), here);
}

TEST_F(Bytes, AreFittedLikeDoubles) {
  const auto bytes = ran("lasso", {"fit"}, bytes_, "bytes"), doubles = ran("lasso", {"fit"}, doubles_, "doubles");
  const double objective = number(json_field(doubles, "objective"));
  EXPECT_NEAR(number(json_field(bytes, "objective")), objective, 1e-12 * objective);
  EXPECT_EQ(json_field(bytes, "nonzeros"), json_field(doubles, "nonzeros"));
}

TEST_F(Bytes, AreValidatedLikeDoubles) {
  const Words command = {"cv", "--folds", "4", "--lambdas", "15"};
  ran("lasso", command, bytes_, "bytes");
  ran("lasso", command, doubles_, "doubles");
  std::istringstream bytes(folder_.read("bytes/cv.tsv")), doubles(folder_.read("doubles/cv.tsv"));
  std::string here, there;
  std::size_t numbers = 0;
  while (bytes >> here) {
    ASSERT_TRUE(doubles >> there);
    char* end = nullptr;
    const double expected = std::strtod(there.c_str(), &end);
    if (*end != '\0') {
      EXPECT_EQ(here, there);
      continue;
    }
    EXPECT_NEAR(number(here), expected, 1e-4 * std::abs(expected)) << "number " << ++numbers;
  }
}

TEST_F(Bytes, ArePredictedLikeDoubles) {
  ran("lasso", {"fit"}, doubles_, "fit");
  const auto predicted = [&](const std::string& x) {
    const auto ended = lasso({"predict", "--model", folder_.path("fit"), "--x", x});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  };
  EXPECT_EQ(predicted(bytes_), predicted(doubles_));
}

}  // namespace
}  // namespace strads::test
