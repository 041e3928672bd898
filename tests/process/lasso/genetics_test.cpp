// What `lasso` understands of genetic input, and what it says about it: case/control traits, covariates, repeated
// variants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LassoGenetics : public testing::Test {
 protected:
  LassoGenetics() : genotypes_(60, 80) { prefix_ = genotypes_.write(folder_, "g"); }

  /// A table with FID and IID, and what `row` gives for sample i.
  std::string table(const std::string& name, const std::string& columns,
                    const std::function<std::string(std::uint64_t)>& row) {
    std::ostringstream text;
    text << "FID\tIID\t" << columns << "\n";
    for (std::uint64_t i = 0; i < genotypes_.samples; ++i) text << "f" << i << "\ti" << i << "\t" << row(i) << "\n";
    return folder_.write(name, text.str());
  }
  /// age, site (text), batch (constant), months (12 age).
  std::string covariates() {
    return table("covariates", "age\tsite\tbatch\tmonths", [](std::uint64_t i) {
      const auto age = 30 + i * 7 % 41;
      return std::to_string(age) + (i % 2 == 0 ? "\tnorth\t3\t" : "\tsouth\t3\t") + std::to_string(12 * age);
    });
  }
  Ended run(const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), {command, "--bfile", prefix_});
    return lasso(std::move(more));
  }
  std::string summary(const std::string& out) { return folder_.read(out + "/summary.json"); }

  Genotypes genotypes_;
  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoGenetics, TakeZeroOfACaseControlTraitForMissingUnlessToldOtherwise) {
  const auto pheno = table("pheno", "t", [](std::uint64_t i) { return std::to_string(i * 7 % 3); });
  const auto coded = run("fit", {"--pheno", pheno});
  EXPECT_EQ(coded.code, 0) << coded.err;
  EXPECT_THAT(coded.err,
              AllOf(HasSubstr("note: phenotype 't': binary trait, least squares (1 = control, 2 = case; 0 is "
                              "missing: 20 samples)"),
                    HasSubstr("20 samples left out: no phenotype")));
  EXPECT_THAT(coded.out, HasSubstr("40 samples"));
  const auto numbers = run("fit", {"--pheno", pheno, "--1"});
  EXPECT_THAT(numbers.out, HasSubstr("60 samples"));
  EXPECT_EQ(numbers.err, "");
}

/// "20 cases, 20 controls" -> 40; "60 values" -> 60: samples with a phenotype, as plink2 counts them.
std::uint64_t samples_plink2_loads(const std::string& printed) {
  const auto at = printed.find(" phenotype loaded (");
  if (at == std::string::npos) return 0;
  std::uint64_t sum = 0;
  std::istringstream words(
      printed.substr(printed.find('(', at) + 1, printed.find(')', at) - printed.find('(', at) - 1));
  for (std::string word; words >> word;) {
    if (word[0] >= '0' && word[0] <= '9') sum += std::stoull(word);
  }
  return sum;
}

TEST_F(LassoGenetics, HaveThePhenotypesThatPlink2Loads) {
  const std::vector<std::vector<std::string>> codings = {{"0", "1", "2"},        {"1", "2", "-9"},
                                                         {"1", "2", "NA"},       {"0", "1", "2", "3"},
                                                         {"0", "1", "2", "1.5"}, {"-9", "2", "0", "1"}};
  for (const auto& codes : codings) {
    std::ostringstream fam;
    for (std::uint64_t i = 0; i < genotypes_.samples; ++i) {
      fam << "f" << i << "\ti" << i << "\t0\t0\t1\t" << codes[i * 7 % codes.size()] << "\n";
    }
    folder_.write("g.fam", fam.str());
    for (const bool zero_is_control : {false, true}) {
      std::vector<std::string> plink{"plink2", "--bfile", prefix_, "--make-just-fam", "--out", folder_.path("plink")};
      std::vector<std::string> options{"--lambda-ratio", "0.9", "--quiet", "--out", folder_.path("fit"), "--force"};
      if (zero_is_control) plink.emplace_back("--1");
      if (zero_is_control) options.emplace_back("--1");
      const auto loaded = samples_plink2_loads(Process(std::move(plink)).wait().out);
      ASSERT_GT(loaded, 0u);
      ASSERT_EQ(run("fit", options).code, 0);
      EXPECT_EQ(json_number(summary("fit"), "kept"), static_cast<double>(loaded)) << codes[0] << " " << zero_is_control;
    }
  }
}

TEST_F(LassoGenetics, SayInOneLineWhichCovariatesAreUsedAndWhichAreNot) {
  const std::string line =
      "covariates: age; left out: site (text), batch (constant), months (collinear with those before it)";
  const auto ended = run("fit", {"--covar", covariates(), "--out", folder_.path("fit")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "lasso: note: " + line + "\n");
  EXPECT_THAT(folder_.read("fit/log.txt"), HasSubstr(line));
  EXPECT_THAT(json_field(summary("fit"), "site"), "\"text\"");
  EXPECT_THAT(json_field(summary("fit"), "batch"), "\"constant\"");
  EXPECT_NE(json_number(summary("fit"), "age"), 0);
  for (const char* command : {"path", "cv"}) {
    const auto longer = run(command, {"--covar", folder_.path("covariates"), "--lambdas", "4", "--lambda-min-ratio",
                                      "0.2", "--out", folder_.path(command)});
    EXPECT_THAT(longer.err, StartsWith(ended.err)) << command;
    EXPECT_THAT(summary(command), AllOf(HasSubstr("\"covariates\""), HasSubstr("\"covariates_left_out\""))) << command;
  }
}

TEST_F(LassoGenetics, RefuseTheTableOfTheTraitAsCovariatesWithoutNames) {
  const auto pheno =
      table("pheno", "t\tu", [](std::uint64_t i) { return std::to_string(i % 5) + "\t" + std::to_string(i % 7); });
  const auto ended = run("fit", {"--pheno", pheno, "--covar", pheno});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("is the table of the trait"), HasSubstr("--covar-name")));
  EXPECT_EQ(run("fit", {"--pheno", pheno, "--covar", pheno, "--covar-name", "u"}).code, 0);
}

TEST_F(LassoGenetics, SayOfWhatTheR2IsWithCovariates) {
  // The trait is mostly age; genotypes explain part of the rest.
  const auto pheno = table("pheno", "t", [this](std::uint64_t i) {
    return std::to_string(static_cast<double>(30 + i * 7 % 41) * 5 + genotypes_.phenotype[i]);
  });
  const auto ended =
      run("fit", {"--pheno", pheno, "--covar", covariates(), "--lambda-ratio", "0.3", "--out", folder_.path("fit")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr(" of what covariates leave ("), HasSubstr(" of all)")));
  const double partial = json_number(summary("fit"), "r2");
  const double whole = json_number(summary("fit"), "r2_whole");
  EXPECT_LT(partial, whole);
  EXPECT_GT(whole, 0.97);
  // What `lasso predict` finds on the same samples is the R2 of all, in its five digits.
  const auto predicted =
      run("predict", {"--model", folder_.path("fit"), "--covar", folder_.path("covariates"), "--pheno", pheno});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const auto at = predicted.err.find("R2 ");
  ASSERT_NE(at, std::string::npos) << predicted.err;
  EXPECT_NEAR(std::stod(predicted.err.substr(at + 3)), whole, 1e-5);
}

TEST_F(LassoGenetics, PredictSaysHowManySamplesAndVariablesAndTheR2OfItsOwnPhenotype) {
  ASSERT_EQ(run("fit", {"--out", folder_.path("fit")}).code, 0);
  const auto variables = json_field(summary("fit"), "nonzeros");
  const auto ended = run("predict", {"--model", folder_.path("fit"), "--out", folder_.path("p.tsv")});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("60 samples predicted with " + variables + " of the model's " + variables +
                                         " variables, R2 0."),
                               HasSubstr("against 'phenotype' (60 samples)")));
  EXPECT_EQ(run("predict", {"--model", folder_.path("fit"), "--quiet"}).err, "");
  // Another trait's model says nothing about column 6, and a phenotype that is named is what counts.
  const auto pheno = table(
      "pheno", "t", [this](std::uint64_t i) { return i % 3 == 0 ? "NA" : std::to_string(-genotypes_.phenotype[i]); });
  ASSERT_EQ(run("fit", {"--pheno", pheno, "--out", folder_.path("other")}).code, 0);
  EXPECT_THAT(run("predict", {"--model", folder_.path("other")}).err, Not(HasSubstr("R2")));
  const auto named = run("predict", {"--model", folder_.path("other"), "--pheno", pheno});
  EXPECT_THAT(named.err, HasSubstr("against 't' (40 samples)"));
  EXPECT_EQ(rows_of(named.out).size(), 61u) << "samples without a phenotype are predicted too";
}

TEST_F(LassoGenetics, PredictLeavesOutVariablesThatMatchTwoColumnsEqually) {
  ASSERT_EQ(run("fit", {"--out", folder_.path("fit")}).code, 0);
  const auto own = run("predict", {"--model", folder_.path("fit")});
  // Variant 18, which the phenotype depends on, comes twice: once more, with other calls, before all others.
  Genotypes twice = genotypes_;
  twice.variants += 1;
  const auto first = genotypes_.calls.begin();
  const auto n = static_cast<std::ptrdiff_t>(genotypes_.samples);
  twice.calls.insert(twice.calls.begin(), first, first + n);
  const auto target = twice.write(folder_, "twice");
  const std::string bim = "1\trs18\t0\t18000\tA\tG\n" + folder_.read("g.bim");
  folder_.write("twice.bim", bim);
  const auto ended = lasso({"predict", "--bfile", target, "--model", folder_.path("fit")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("1 of the model's"), HasSubstr("match several columns equally well: left out")));
  // The files of the fit itself tell repeated variants apart by their places in the file.
  std::ostringstream nameless;
  for (std::uint64_t j = 0; j < genotypes_.variants; ++j) nameless << "0\t.\t0\t0\tA\tG\n";
  folder_.write("g.bim", nameless.str());
  ASSERT_EQ(run("fit", {"--out", folder_.path("nameless")}).code, 0);
  const auto same = run("predict", {"--model", folder_.path("nameless")});
  EXPECT_THAT(same.err, Not(HasSubstr("equally")));
  EXPECT_EQ(same.out, own.out);
  folder_.write("twice.bim", "0\t.\t0\t0\tA\tG\n" + nameless.str());
  const auto unknown = lasso({"predict", "--bfile", target, "--model", folder_.path("nameless")});
  EXPECT_EQ(unknown.code, 4);
  EXPECT_THAT(unknown.err, HasSubstr("matched by several columns equally"));
}

TEST_F(LassoGenetics, CvLeavesItsChoicesAsModelsOfTheirOwn) {
  const auto ended = run("cv", {"--covar", covariates(), "--folds", "4", "--lambdas", "8", "--lambda-min-ratio", "0.1",
                                "--out", folder_.path("cv")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto predict = [&](const std::string& model, std::vector<std::string> more) {
    more.insert(more.end(), {"--model", folder_.path(model), "--covar", folder_.path("covariates")});
    return run("predict", std::move(more)).out;
  };
  EXPECT_NE(predict("cv", {}), "");
  EXPECT_EQ(predict("cv/lambda_min", {}), predict("cv", {}));
  EXPECT_EQ(predict("cv/lambda_1se", {}), predict("cv", {"--lambda-1se"}));
  const auto min = folder_.read("cv/lambda_min/summary.json");
  EXPECT_EQ(rows_of(folder_.read("cv/lambda_min/coefficients.tsv")).size(),
            static_cast<std::size_t>(json_number(min, "nonzeros")) + 1);
  EXPECT_TRUE(folder_.has("cv/lambda_min/g.afreq"));
  const auto index = json_field(min, "index");
  bool found = false;
  for (const auto& row : rows_of(folder_.read("cv/path_covariates.tsv"))) {
    if (row[0] != index || row[1] != "age") continue;
    EXPECT_EQ(std::stod(row[2]), json_number(min, "age"));
    found = true;
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(lasso({"fit", "--bfile", prefix_, "--covar", folder_.path("covariates"), "--warm-start",
                   folder_.path("cv/lambda_min")})
                .code,
            0);
  EXPECT_EQ(run("cv", {"--folds", "4", "--lambdas", "4", "--out", folder_.path("cv")}).code, 2);
  ASSERT_EQ(
      run("cv", {"--folds", "4", "--lambdas", "4", "--lambda-min-ratio", "0.2", "--force", "--out", folder_.path("cv")})
          .code,
      0);
  EXPECT_FALSE(folder_.has("cv/path_covariates.tsv")) << "of the run before";
}

TEST_F(LassoGenetics, PathWritesFrequenciesThatPlink2ScoresWith) {
  ASSERT_EQ(run("path", {"--lambdas", "5", "--lambda-min-ratio", "0.2", "--out", folder_.path("path")}).code, 0);
  std::vector<std::string> ids;
  for (const auto& row : rows_of(folder_.read("path/path_coefficients.tsv"))) ids.push_back(row[1]);
  const auto frequencies = rows_of(folder_.read("path/g.afreq"));
  ASSERT_GT(frequencies.size(), 1u);
  EXPECT_EQ(frequencies[0][0], "#CHROM");
  std::size_t known = 0;
  for (std::size_t k = 1; k < frequencies.size(); ++k) {
    known += std::find(ids.begin(), ids.end(), frequencies[k][1]) != ids.end() ? 1 : 0;
  }
  EXPECT_EQ(known, frequencies.size() - 1);
  EXPECT_FALSE(folder_.has("path/path_covariates.tsv"));
}

}  // namespace
}  // namespace strads::test
