// `lasso cv` of several l1 ratios: each has the files and the bits of a run of its own, the best one is that of the
// folder, and what reads the folder takes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class LassoCvRatios : public testing::Test {
 protected:
  LassoCvRatios() {
    const Genotypes genotypes(60, 80);
    prefix_ = genotypes.write(folder_, "g");
    std::ostringstream traits;
    traits << "FID\tIID\theight\tbmi\tcase\n";
    Numbers numbers(7);
    for (std::uint64_t i = 0; i < genotypes.samples; ++i) {
      traits << "f" << i << "\ti" << i << "\t" << genotypes.phenotype[i] << "\t"
             << 2 * genotypes.call(i, 9) + numbers.bell() << "\t" << (genotypes.phenotype[i] > 171 ? 2 : 1) << "\n";
    }
    folder_.write("traits", traits.str());
  }
  Ended run(const std::string& ratios, const std::string& out, const std::vector<std::string>& more = {},
            const std::string& names = "height") {
    return lasso(
        with({"cv", "--bfile", prefix_, "--pheno", folder_.path("traits"), "--pheno-name", names, "--folds", "3",
              "--lambdas", "6", "--lambda-min-ratio", "0.1", "--l1-ratio", ratios, "--out", folder_.path(out)},
             more));
  }
  void expect_same(const std::string& one, const std::string& other, bool picture = true) {
    for (const char* file : {"cv.tsv", "cv_paths.tsv", "folds.tsv", "path_coefficients.tsv", "path.bin", "fold_1.bin",
                             "fold_3.bin", "predictions.tsv", "path.svg", "lambda_min/coefficients.tsv", "cv.svg"}) {
      if (!picture && std::string(file) == "cv.svg") continue;
      EXPECT_EQ(folder_.read(one + "/" + file), folder_.read(other + "/" + file)) << file;
      EXPECT_NE(folder_.read(one + "/" + file), "") << file;
    }
  }
  /// Rows of l1_ratios.tsv by column.
  std::vector<std::map<std::string, std::string>> ratios_of(const std::string& run) {
    std::vector<std::map<std::string, std::string>> ratios;
    const auto rows = rows_of(folder_.read(run + "/l1_ratios.tsv"));
    for (std::size_t r = 1; r < rows.size(); ++r) {
      for (std::size_t c = 0; c < rows[0].size(); ++c) ratios.resize(r), ratios[r - 1][rows[0][c]] = rows[r].at(c);
    }
    return ratios;
  }
  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoCvRatios, HaveTheFilesOfARunAloneAndTheBestThoseOfTheFolder) {
  const auto ended = run("1,0.5,0.2", "all");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("3 folds x 3 l1 ratios"), HasSubstr("best     l1 ratio "),
                               HasSubstr("ratio    0.5: lambda.min")));
  const auto ratios = ratios_of("all");
  ASSERT_EQ(ratios.size(), 3u);
  std::string best;
  double least = 1e300;
  for (const auto& ratio : ratios) {
    const std::string own = ratio.at("l1_ratio");
    ASSERT_EQ(run(own, "alone-" + own).code, 0);
    expect_same("all/l1_ratio_" + own, "alone-" + own);
    const auto summary = folder_.read("alone-" + own + "/summary.json");
    EXPECT_EQ("\"" + ratio.at("path_hash") + "\"", json_field(summary, "path_hash"));
    EXPECT_EQ(std::stod(ratio.at("error_min")), json_number(summary, "error"));
    if (std::stod(ratio.at("error_min")) < least) best = own, least = std::stod(ratio.at("error_min"));
  }
  for (const auto& ratio : ratios) EXPECT_EQ(ratio.at("best"), ratio.at("l1_ratio") == best ? "yes" : "no");
  expect_same("all", "all/l1_ratio_" + best, false);
  const std::string picture = folder_.read("all/cv.svg");
  EXPECT_THAT(picture, AllOf(StartsWith("<svg"), HasSubstr("l1 ratio " + best + ", the best")));
  const std::string name = picture.substr(0, picture.find(">l1 ratio " + best + ", the best"));
  EXPECT_THAT(picture, HasSubstr("r=\"2.4\" " + name.substr(name.rfind("fill="))))
      << "the points of the best ratio are in its colour";
  EXPECT_THAT(picture, HasSubstr(">nonzero coefficients of the best<"));
  const auto summary = folder_.read("all/summary.json");
  EXPECT_EQ(json_number(summary, "error"), least);
  EXPECT_EQ(json_field(summary, "tolerance_met"), "true");

  const auto predict = [&](const std::string& model, const std::vector<std::string>& more) {
    const auto predicted = lasso(with({"predict", "--bfile", prefix_, "--model", folder_.path(model)}, more));
    EXPECT_EQ(predicted.code, 0) << predicted.err;
    return predicted.out;
  };
  EXPECT_EQ(predict("all", {}), predict("alone-" + best, {}));
  EXPECT_EQ(predict("all", {"--lambda-1se"}), predict("alone-" + best, {"--lambda-1se"}));
  const auto exported = [&](const std::string& model) {
    return lasso({"export", "--model", folder_.path(model), "--export", "csv"}).out;
  };
  EXPECT_EQ(exported("all"), exported("alone-" + best));
  const auto again =
      lasso({"cv", "--config", folder_.path("all/l1_ratio_0.5/config.ini"), "--out", folder_.path("again")});
  ASSERT_EQ(again.code, 0) << again.err;
  expect_same("again", "alone-0.5");
}

TEST_F(LassoCvRatios, HaveTheSameBitsOnProcessesForSeveralTraits) {
  const auto ended = run("0.9,0.3", "both", {"--processes=2"}, "height,bmi");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("trait    bmi: 60 samples, l1 ratio 0."));
  ASSERT_EQ(run("0.9,0.3", "bmi", {}, "bmi").code, 0);
  expect_same("both/bmi", "bmi");
  expect_same("both/bmi/l1_ratio_0.3", "bmi/l1_ratio_0.3");
  EXPECT_EQ(folder_.read("both/bmi/l1_ratios.tsv"), folder_.read("bmi/l1_ratios.tsv"));
  const auto rows = rows_of(folder_.read("both/traits.tsv"));
  EXPECT_EQ(rows[0][rows[0].size() - 2], "l1_ratio");
  EXPECT_EQ(rows[1].size(), rows[0].size());
}

TEST_F(LassoCvRatios, OfTwoClassesAreChosenByTheirDeviance) {
  const auto ended = run("1,0.4", "all", {"--family", "binomial", "--stop-after", "2"}, "case");
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(run("0.4", "alone", {"--family", "binomial", "--stop-after", "2"}, "case").code, 0);
  expect_same("all/l1_ratio_0.4", "alone");
}

TEST_F(LassoCvRatios, ThatWereCutOffEndWith3AndSayWhich) {
  const auto ended = run("1,0.5", "all", {"--tolerance", "1e-17"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(json_field(folder_.read("all/summary.json"), "tolerance_met"), "false");
  for (const auto& ratio : ratios_of("all")) EXPECT_EQ(ratio.at("stop_reason"), "rounding floor");
}

TEST_F(LassoCvRatios, OfZeroAreRidgeBesideTheOthers) {
  const auto ended = run("0.5,0", "all", {});
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(run("0", "alone", {}).code, 0);
  expect_same("all/l1_ratio_0", "alone");
}

TEST_F(LassoCvRatios, OfZeroAreRefusedWithNonnegativeCoefficients) {
  const std::vector<std::string> data{"--bfile", prefix_, "--pheno", folder_.path("traits"), "--pheno-name", "height"};
  for (const char* command : {"fit", "path", "cv"}) {
    const auto ended = lasso(with({command, "--l1-ratio", "0", "--nonnegative"}, data));
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("--nonnegative needs --l1-ratio above 0"), HasSubstr("0.001")));
  }
}

}  // namespace
}  // namespace strads::test
