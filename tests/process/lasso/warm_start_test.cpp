#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

class LassoWarmStart : public testing::Test {
 protected:
  LassoWarmStart() {
    folder_.write("x.csv", Table(80, 30).csv());
    EXPECT_EQ(fit("x.csv", {"--lambda-ratio", "0.3", "--out", folder_.path("earlier")}).code, 0);
  }
  Ended fit(const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"fit", "--x", folder_.path(file), "--y-name", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso(arguments);
  }
  std::string summary_of(std::vector<std::string> more, const std::string& run) {
    more.insert(more.end(), {"--warm-start", folder_.path("earlier"), "--out", folder_.path(run)});
    const auto ended = fit("x.csv", more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  Folder folder_;
};

TEST_F(LassoWarmStart, NeedsNoRoundForTheSameProblem) {
  const auto summary = summary_of({"--lambda-ratio", "0.3", "--tolerance", "1e-5"}, "again");
  EXPECT_EQ(json_field(summary, "rounds"), "0");
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"converged\"");
  EXPECT_EQ(json_field(summary, "nonzeros"), json_field(folder_.read("earlier/summary.json"), "nonzeros"));
}

TEST_F(LassoWarmStart, GivesTheSameBitsEmbeddedAndOnProcesses) {
  for (const char* policy : {"auto", "paper"}) {
    const std::vector<std::string> options = {"--lambda-ratio", "0.05", "--policy", policy, "--eta", "1e-3"};
    const auto here = summary_of(options, std::string("here-") + policy);
    auto cluster = options;
    cluster.push_back("--processes=2");
    const auto there = summary_of(cluster, std::string("there-") + policy);
    EXPECT_EQ(json_field(here, "beta_hash"), json_field(there, "beta_hash")) << policy;
  }
}

TEST_F(LassoWarmStart, RefusesVariablesThatTheDataLacks) {
  auto text = Table(80, 30).csv();
  text.replace(text.find("x1,"), 2, "a1");
  folder_.write("renamed.csv", text);
  const auto ended = fit("renamed.csv", {"--warm-start", folder_.path("earlier")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("variables of the earlier run are not in the data, the first is 'x1'"));
}

TEST_F(LassoWarmStart, RefusesADirectoryThatIsNoRun) {
  const auto ended = fit("x.csv", {"--warm-start", folder_.path("nowhere")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("--warm-start " + folder_.path("nowhere") +
                                   ": there is no such folder; expected the folder that lasso fit"));
}

TEST_F(LassoWarmStart, RefusesAModelThatIsCutShort) {
  const auto whole = folder_.read("earlier/model.bin");
  folder_.write("earlier/model.bin", whole.substr(0, whole.size() - 5));
  const auto ended = fit("x.csv", {"--warm-start", folder_.path("earlier")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("earlier/model.bin: "));
}

TEST_F(LassoWarmStart, RefusesToWriteOverTheEarlierRun) {
  const auto ended =
      fit("x.csv", {"--warm-start", folder_.path("earlier"), "--out", folder_.path("earlier"), "--force"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("give another --out, so that the earlier run stays"));
  EXPECT_NE(folder_.read("earlier/model.bin"), "");
}

TEST(LassoWarmStartGenotypes, FlipsAllelesThatAreSwapped) {
  Folder folder;
  const Genotypes genotypes(120, 60);
  const auto first = genotypes.write(folder, "first");
  const auto second = genotypes.write(folder, "second", true);
  EXPECT_EQ(lasso({"fit", "--bfile", first, "--tolerance", "1e-8", "--out", folder.path("run")}).code, 0);
  const auto ended = lasso({"fit", "--bfile", second, "--warm-start", folder.path("run"), "--tolerance", "1e-7",
                            "--out", folder.path("swapped")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(json_field(folder.read("swapped/summary.json"), "rounds"), "0");
}

}  // namespace
}  // namespace strads::test
