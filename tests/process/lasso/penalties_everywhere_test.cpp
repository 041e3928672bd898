// Elastic net, penalty factors, non-negative coefficients and warm starts: the same bits in this process, on processes
// and on simulated hosts, whatever the number of schedulers and rounds in flight.
#include <gtest/gtest.h>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using Words = std::vector<std::string>;

struct Case {
  const char* name;
  Words options;  ///< FACTORS, POSITIVE and EARLIER stand for files of the test
};

class Everywhere : public testing::TestWithParam<Case> {
 protected:
  Everywhere() {
    data_ = {"--bfile",        Genotypes(100, 200).write(folder_, "cohort"),
             "--lambda-ratio", "0.1",
             "--schedulers",   "3",
             "--depth",        "2",
             "--workers",      "4"};
    const auto factors = folder_.write("factors.tsv", "rs1 0\nrs6 2\nrs18 0.5\nrs41 Inf\n");
    const auto positive = folder_.write("positive.tsv", "rs6 2\nrs18 0.5\n");
    (void)lasso(join({"fit", "--out", folder_.path("earlier"), "--lambda-ratio", "0.4", "--bfile", data_[1]}, {}));
    for (const auto& word : GetParam().options) {
      data_.push_back(word == "FACTORS"    ? factors
                      : word == "POSITIVE" ? positive
                      : word == "EARLIER"  ? folder_.path("earlier")
                                           : word);
    }
  }
  static Words join(Words first, const Words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }
  std::string hash_of(const std::string& program, Words command, const std::string& run) {
    command.insert(command.begin(), std::string(STRADS_BIN_DIR) + "/" + program);
    const auto ended = Process(join(join(command, data_), {"--out", folder_.path(run)})).wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    return json_field(folder_.read(run + "/summary.json"), "beta_hash");
  }

  Folder folder_;
  Words data_;
};

TEST_P(Everywhere, HasTheSameBits) {
  const auto here = hash_of("lasso", {"fit", "--threads", "1"}, "here");
  EXPECT_EQ(hash_of("lasso", {"fit", "--threads", "2", "--encode-messages", "on"}, "encoded"), here);
  EXPECT_EQ(hash_of("lasso", {"fit", "--processes=2"}, "processes"), here);
  EXPECT_EQ(hash_of("strads_sim", {"run", "--hosts", "3"}, "simulated"), here);
}

INSTANTIATE_TEST_SUITE_P(All, Everywhere,
                         testing::Values(Case{"net", {"--l1-ratio", "0.5"}},
                                         Case{"net_paper", {"--l1-ratio", "0.5", "--policy", "paper", "--eta", "1e-3"}},
                                         Case{"ridge", {"--l1-ratio", "0"}},
                                         Case{"factors", {"--penalty-factors", "FACTORS"}},
                                         Case{"factors_static", {"--penalty-factors", "FACTORS", "--policy", "static"}},
                                         Case{"nonnegative", {"--nonnegative"}},
                                         Case{"warm", {"--warm-start", "EARLIER"}},
                                         Case{"all",
                                              {"--l1-ratio", "0.7", "--penalty-factors", "POSITIVE", "--nonnegative",
                                               "--warm-start", "EARLIER"}}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace strads::test
