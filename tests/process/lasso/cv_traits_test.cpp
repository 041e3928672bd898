// `lasso cv` of several traits: each has the files and the bits of a run of its own; what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Genotypes and a table of three traits, one of which not all samples have.
class LassoCvTraits : public testing::Test {
 protected:
  LassoCvTraits() {
    const Genotypes genotypes(60, 80);
    prefix_ = genotypes.write(folder_, "g");
    Numbers numbers(7);
    std::ostringstream traits;
    std::ostringstream more;
    traits << "FID\tIID\theight\tbmi\tage\tsame\n";
    more << "FID\tIID\tsex\tweight\n";
    for (std::uint64_t i = 0; i < genotypes.samples; ++i) {
      const double bmi = 2 * genotypes.call(i, 9) + genotypes.call(i, 17) + numbers.bell();
      traits << "f" << i << "\ti" << i << "\t" << genotypes.phenotype[i] << "\t"
             << (i % 11 == 3 ? "NA" : std::to_string(bmi)) << "\t" << 40 + 10 * numbers.bell() << "\t1\n";
      more << "f" << i << "\ti" << i << "\t" << i % 2 << "\t" << 1 + i % 3 << "\n";
    }
    folder_.write("traits.txt", traits.str());
    folder_.write("more.txt", more.str());
  }
  Ended run(const std::string& names, const std::string& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"cv",
                                       "--bfile",
                                       prefix_,
                                       "--pheno",
                                       folder_.path("traits.txt"),
                                       "--pheno-name",
                                       names,
                                       "--folds",
                                       "3",
                                       "--lambdas",
                                       "6",
                                       "--lambda-min-ratio",
                                       "0.1",
                                       "--out",
                                       folder_.path(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso(std::move(arguments));
  }
  void expect_as_alone(const std::string& together, const std::string& alone) {
    for (const char* file : {"cv.tsv", "cv_paths.tsv", "folds.tsv", "path_coefficients.tsv", "path.bin", "fold_1.bin",
                             "fold_3.bin", "cv.svg", "path.svg"}) {
      EXPECT_EQ(folder_.read(together + "/" + file), folder_.read(alone + "/" + file)) << file;
    }
  }
  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoCvTraits, EachHaveTheFilesOfARunAloneAlsoOnProcesses) {
  const auto ended = run("height,bmi", "both");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("bmi: 6 samples left out: no phenotype"));
  EXPECT_THAT(ended.out, HasSubstr("trait    bmi: 54 samples, lambda.min"));
  ASSERT_EQ(run("height", "height").code, 0);
  ASSERT_EQ(run("bmi", "bmi").code, 0);
  expect_as_alone("both/height", "height");
  expect_as_alone("both/bmi", "bmi");
  ASSERT_EQ(run("bmi,height", "processes", {"--processes=2", "--workers", "3", "--schedulers", "2"}).code, 0);
  ASSERT_EQ(run("bmi", "alone", {"--workers", "3", "--schedulers", "2"}).code, 0);
  expect_as_alone("processes/bmi", "alone");

  const auto rows = rows_of(folder_.read("both/traits.tsv"));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2][0], "bmi");
  EXPECT_EQ(rows[2][1], "54");
  EXPECT_EQ(rows[2].size(), rows[0].size());
  EXPECT_EQ("\"" + rows[2].back() + "\"", json_field(folder_.read("bmi/summary.json"), "path_hash"));
  EXPECT_GT(std::stod(rows[1][11]), 0.3) << "the R2 of a trait that genotypes explain";
}

TEST_F(LassoCvTraits, LeaveFoldersThatPredictAndConfigurationsThatRepeatThem) {
  ASSERT_EQ(run("height,bmi", "both").code, 0);
  const auto predicted = lasso({"predict", "--bfile", prefix_, "--model", folder_.path("both/bmi")});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(rows_of(predicted.out).size(), 61u);
  const auto chosen = lasso({"predict", "--bfile", prefix_, "--model", folder_.path("both/bmi/lambda_min")});
  EXPECT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_EQ(chosen.out, predicted.out);
  const auto whole = lasso({"predict", "--bfile", prefix_, "--model", folder_.path("both")});
  EXPECT_EQ(whole.code, 2);
  EXPECT_THAT(whole.err, HasSubstr("both/TRAIT"));
  ASSERT_EQ(lasso({"cv", "--config", folder_.path("both/bmi/config.ini"), "--out", folder_.path("again")}).code, 0);
  expect_as_alone("again", "both/bmi");
}

TEST_F(LassoCvTraits, HaveCovariatesAndWeightsAsAlone) {
  const std::vector<std::string> more{"--covar",   folder_.path("more.txt"), "--covar-name",   "sex",
                                      "--weights", folder_.path("more.txt"), "--weights-name", "weight"};
  const auto ended = run("height,bmi", "both", more);
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(run("bmi", "bmi", more).code, 0);
  expect_as_alone("both/bmi", "bmi");
}

TEST_F(LassoCvTraits, AreRefusedWithTheReason) {
  const auto refused = [&](const std::string& names, int code, const std::string& reason,
                           const std::vector<std::string>& more = {}) {
    const auto ended = run(names, "none", more);
    EXPECT_EQ(ended.code, code) << names;
    EXPECT_THAT(ended.err, HasSubstr(reason));
    EXPECT_FALSE(folder_.has("none/summary.json"));
    EXPECT_FALSE(folder_.has("none/height")) << "an empty folder is left of " << names;
  };
  refused("height,height", 2, "'height' is there twice");
  refused("height,,bmi", 2, "a name is empty");
  refused("height,a/b", 2, "'a/b' cannot name a folder");
  refused("height,..", 2, "'..' cannot name a folder");
  refused("height,traits.tsv", 2, "'traits.tsv' cannot name a folder");
  refused("height,bmii", 4, "did you mean 'bmi'?");
  refused("height,bmi", 2, "--covar-name", {"--covar", folder_.path("traits.txt")});
  const auto fit =
      lasso({"fit", "--bfile", prefix_, "--pheno", folder_.path("traits.txt"), "--pheno-name", "height,bmi"});
  EXPECT_EQ(fit.code, 4);
  EXPECT_THAT(fit.err, HasSubstr("only lasso path and lasso cv take several names"));
}

TEST_F(LassoCvTraits, HaveZerosWhereATraitIsConstant) {
  const auto ended = run("height,same", "zeros");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("the response is constant (same: all samples"));
  EXPECT_TRUE(folder_.has("zeros/same/cv.tsv"));
}

TEST_F(LassoCvTraits, ReplaceAnEarlierRunOnlyWithForce) {
  ASSERT_EQ(run("height,bmi", "run").code, 0);
  EXPECT_EQ(run("height,age", "run").code, 2);
  ASSERT_EQ(run("height,age", "run", {"--force"}).code, 0);
  EXPECT_FALSE(folder_.has("run/bmi")) << "with the folders of its models";
  EXPECT_TRUE(folder_.has("run/age/cv.tsv"));
  // Somebody has kept the traits' folders alone.
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path("run"))) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  for (const auto& file : files) std::filesystem::remove(file);
  const auto finished = run("height,age", "run");
  EXPECT_EQ(finished.code, 2) << "a trait's folder holds results";
  EXPECT_THAT(finished.err, AllOf(HasSubstr("run/height/"), HasSubstr("no finished run wrote it here")));
}

}  // namespace
}  // namespace strads::test
