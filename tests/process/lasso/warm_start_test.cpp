#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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

TEST_F(LassoWarmStart, SaysWhichVariablesTheDataLackAndHasTheSameAnswer) {
  auto text = Table(80, 30).csv();
  text.replace(text.find("x1,"), 2, "a1");
  folder_.write("renamed.csv", text);
  const std::vector<std::string> how{"--tolerance", "1e-10"};
  const auto warm =
      fit("renamed.csv", with({"--warm-start", folder_.path("earlier"), "--out", folder_.path("w")}, how));
  EXPECT_EQ(warm.code, 0) << warm.err;
  EXPECT_THAT(warm.err, HasSubstr("variables, the others begin at 0; 80 samples now, 80 then"));
  ASSERT_EQ(fit("renamed.csv", with({"--out", folder_.path("c")}, how)).code, 0);
  const double cold = json_number(folder_.read("c/summary.json"), "objective");
  EXPECT_NEAR(json_number(folder_.read("w/summary.json"), "objective"), cold, 1e-10 * cold);
  std::string other = text;
  for (std::size_t at = 0; (at = other.find(",x", at)) != std::string::npos;) other.replace(at, 2, ",b");
  folder_.write("other.csv", other);
  const auto none = fit("other.csv", {"--warm-start", folder_.path("earlier")});
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, HasSubstr("none of the"));
}

TEST(LassoWarmStartPeople, OfAHalfHelpsTheWholeAndChangesNoAnswer) {
  Folder folder;
  const Genotypes genotypes(200, 120);
  const auto prefix = genotypes.write(folder, "g");
  std::string half;
  for (std::uint64_t i = 0; i < genotypes.samples; i += 2)
    half += "f" + std::to_string(i) + " i" + std::to_string(i) + "\n";
  folder.write("half", half);
  const auto fit = [&](const std::string& out, const std::vector<std::string>& more) {
    const auto ended = lasso(with(
        {"fit", "--bfile", prefix, "--lambda-ratio", "0.2", "--tolerance", "1e-10", "--out", folder.path(out)}, more));
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.err;
  };
  fit("half-fit", {"--keep", folder.path("half")});
  fit("cold", {});
  EXPECT_THAT(fit("warm", {"--warm-start", folder.path("half-fit")}),
              HasSubstr("; 200 samples now, 100 then (100 are the same, by their ids)"));
  const double cold = json_number(folder.read("cold/summary.json"), "objective");
  EXPECT_NEAR(json_number(folder.read("warm/summary.json"), "objective"), cold, 1e-10 * cold);
}

TEST_F(LassoWarmStart, RefusesADirectoryThatIsNoRun) {
  const auto ended = fit("x.csv", {"--warm-start", folder_.path("nowhere")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("--warm-start " + folder_.path("nowhere") +
                                   ": there is no such folder; expected the folder that lasso fit"));
}

TEST_F(LassoWarmStart, SaysWhereAPathHasOneSolution) {
  std::filesystem::create_directory(folder_.path("path"));
  folder_.write("path/path.bin", "");
  const auto ended = fit("x.csv", {"--warm-start", folder_.path("path")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err,
              HasSubstr("path: a path, which has a solution for each of its lambdas; expected a folder with"));
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
