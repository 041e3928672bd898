// `lasso score` and `lasso export` as a person uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LassoScore : public testing::Test {
 protected:
  LassoScore() : genotypes_(60, 80) {
    prefix_ = genotypes_.write(folder_, "g");
    EXPECT_EQ(lasso({"fit", "--bfile", prefix_, "--lambda-ratio", "0.3", "--out", folder_.path("fit")}).code, 0);
  }
  Ended score(std::vector<std::string> more) { return lasso(with({"score", "--model", folder_.path("fit")}, more)); }
  Ended hand_over(std::vector<std::string> more) {
    return lasso(with({"export", "--model", folder_.path("fit")}, more));
  }
  std::vector<double> scores(const std::string& out) {
    std::vector<double> values;
    for (const auto& row : rows_of(folder_.read(out + "/scores.tsv"))) {
      if (row[0] != "FID") values.push_back(std::stod(row[2]));
    }
    return values;
  }
  /// From the coefficients and means of the model, in plain sums.
  std::vector<double> by_hand() {
    std::vector<double> sums(genotypes_.samples, 0.0);
    std::map<std::string, double> means;
    for (const auto& row : rows_of(folder_.read("fit/g.afreq"))) {
      if (row[0] != "#CHROM") means[row[1]] = 2 * std::stod(row[4]);
    }
    for (const auto& row : rows_of(folder_.read("fit/coefficients.tsv"))) {
      if (row[0] == "id") continue;
      for (std::uint64_t i = 0; i < genotypes_.samples; ++i) {
        const int call = genotypes_.call(i, std::stoull(row[7]) - 1);
        sums[i] += std::stod(row[6]) * (call == Genotypes::kMissing ? means.at(row[0]) : call);
      }
    }
    return sums;
  }
  void expect_by_hand(const std::string& out) {
    const auto found = scores(out);
    const auto expected = by_hand();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-11);
  }
  std::string table(const std::string& name, const std::string& columns,
                    const std::function<std::string(std::uint64_t)>& row) {
    std::ostringstream text;
    text << "FID\tIID\t" << columns << "\n";
    for (std::uint64_t i = 0; i < genotypes_.samples; ++i) text << "f" << i << "\ti" << i << "\t" << row(i) << "\n";
    return folder_.write(name, text.str());
  }

  Genotypes genotypes_;
  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoScore, IsTheSumOfCoefficientsTimesCopies) {
  const auto ended = score({"--bfile", prefix_, "--out", folder_.path("s")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  expect_by_hand("s");
  EXPECT_THAT(ended.out, AllOf(HasSubstr("scored   60 samples of g for phenotype"), HasSubstr(" by id, 0 by position"),
                               HasSubstr("worth    phenotype of 60 people: R2 0.")));
  for (const char* file : {"config.ini", "matches.tsv", "statistics.tsv", "deciles.tsv", "deciles.svg"}) {
    EXPECT_TRUE(folder_.has(std::string("s/") + file)) << file;
  }
  EXPECT_EQ(json_number(folder_.read("s/summary.json"), "overlap"), 1);
}

TEST_F(LassoScore, SaysHowManyOfThePeopleTrainedTheModel) {
  std::string half, others;
  for (std::uint64_t i = 0; i < genotypes_.samples; ++i) {
    (i < 25 ? half : others) += "f" + std::to_string(i) + " i" + std::to_string(i) + "\n";
  }
  folder_.write("half", half);
  folder_.write("others", others);
  for (const std::string command : {"fit", "path"}) {
    const std::string run = folder_.path(command + "-half"), out = folder_.path(command + "-score");
    ASSERT_EQ(lasso({command, "--bfile", prefix_, "--keep", folder_.path("half"), "--out", run}).code, 0);
    std::vector<std::string> all{"score", "--model", run, "--bfile", prefix_, "--min-overlap", "0"};
    if (command == "path") all.insert(all.end(), {"--lambda-index", "20"});
    const auto ended = lasso(with(all, {"--out", out}));
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("25 of the 60 samples scored trained the model, by their ids"));
    EXPECT_EQ(json_number(folder_.read(command + "-score/summary.json"), "samples_that_trained"), 25);
    const auto rest = lasso(with(all, {"--keep", folder_.path("others")}));
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_THAT(rest.err, Not(HasSubstr("trained the model")));
  }
}

TEST_F(LassoScore, FindsSwappedAndFlippedVariantsUnderOtherIds) {
  const auto target = genotypes_.write(folder_, "t", true);
  std::ostringstream bim;  // the other strand of what is swapped: G A becomes C T
  for (std::uint64_t j = 0; j < genotypes_.variants; ++j) {
    bim << "chr1\tv" << j << "\t0\t" << 1000 * (j + 1) << (j % 2 == 0 ? "\tC\tT\n" : "\tG\tA\n");
  }
  folder_.write("t.bim", bim.str());
  const auto ended = score({"--bfile", target, "--out", folder_.path("s")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  expect_by_hand("s");
  const auto summary = folder_.read("s/summary.json");
  EXPECT_EQ(json_number(summary, "by_position"), json_number(summary, "matched"));
  EXPECT_EQ(json_number(summary, "swapped"), json_number(summary, "matched"));
  EXPECT_GT(json_number(summary, "flipped"), 0);
  EXPECT_LT(json_number(summary, "flipped"), json_number(summary, "matched"));
  EXPECT_THAT(folder_.read("s/matches.tsv"),
              AllOf(HasSubstr("flipped_swapped\tposition"), HasSubstr("\tswapped\tposition")));
}

TEST_F(LassoScore, StopsWhereTooFewVariantsMatch) {
  std::ostringstream bim;
  for (std::uint64_t j = 0; j < genotypes_.variants; ++j) {
    bim << "2\t" << (j % 2 == 0 ? "rs" : "v") << j + 1 << "\t0\t" << 1000 * (j + 1) << "\tA\tG\n";
  }
  folder_.write("g.bim", bim.str());
  const auto ended = score({"--bfile", prefix_, "--out", folder_.path("s")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("expected at least 75 %"), HasSubstr("are absent"), HasSubstr("--min-overlap")));
  EXPECT_FALSE(folder_.has("s"));
  EXPECT_EQ(score({"--bfile", prefix_, "--min-overlap", "0.1"}).code, 0);
}

TEST_F(LassoScore, LeavesLettersOfBothStrandsOutIfTold) {
  std::ostringstream bim;
  for (std::uint64_t j = 0; j < genotypes_.variants; ++j) {
    bim << "1\trs" << j + 1 << "\t0\t" << 1000 * (j + 1) << (j % 2 == 0 ? "\tA\tG\n" : "\tA\tT\n");
  }
  folder_.write("g.bim", bim.str());
  ASSERT_EQ(lasso({"fit", "--bfile", prefix_, "--lambda-ratio", "0.3", "--out", folder_.path("fit"), "--force"}).code,
            0);
  ASSERT_EQ(score({"--bfile", prefix_, "--out", folder_.path("used")}).code, 0);
  const double ambiguous = json_number(folder_.read("used/summary.json"), "strand_ambiguous");
  EXPECT_GT(ambiguous, 0);
  ASSERT_EQ(
      score({"--bfile", prefix_, "--out", folder_.path("s"), "--strand-ambiguous", "drop", "--min-overlap", "0"}).code,
      0);
  EXPECT_EQ(json_number(folder_.read("s/summary.json"), "strand_ambiguous_dropped"), ambiguous);
  EXPECT_THAT(folder_.read("s/matches.tsv"), HasSubstr("\tstrand_ambiguous\tid\t"));
}

TEST_F(LassoScore, SaysWhatItAddsToCovariatesOfTheseSamples) {
  const auto pheno = table("pheno", "t", [this](std::uint64_t i) {
    return i % 10 == 9 ? "NA" : std::to_string(genotypes_.phenotype[i] + static_cast<double>(i % 7));
  });
  const auto covar = table("covar", "age", [](std::uint64_t i) { return i == 0 ? "NA" : std::to_string(i % 7); });
  const std::vector<std::string> options = {"--bfile", prefix_, "--pheno", pheno, "--covar", covar};
  const auto ended = score(with(options, {"--out", folder_.path("s"), "--threads", "1"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("scored   60 samples"), HasSubstr("worth    t of 53 people"),
                               HasSubstr(", incremental R2 0."), HasSubstr("over 1 covariate;")));
  EXPECT_EQ(scores("s").size(), 60U) << "who has no covariates has a score";
  ASSERT_EQ(score(with(options, {"--out", folder_.path("again"), "--threads", "3"})).code, 0);
  EXPECT_EQ(folder_.read("s/statistics.tsv"), folder_.read("again/statistics.tsv"));
}

TEST_F(LassoScore, OfTwoClassesHasAnAreaUnderTheCurve) {
  const auto pheno = table("pheno", "t", [this](std::uint64_t i) {
    return (genotypes_.phenotype[i] > 172) != (i % 4 == 0) ? "2" : "1";  // a quarter does not follow the genotypes
  });
  ASSERT_EQ(lasso({"fit", "--bfile", prefix_, "--pheno", pheno, "--family", "binomial", "--lambda-ratio", "0.7",
                   "--out", folder_.path("fit"), "--force"})
                .code,
            0);
  const auto ended = score({"--bfile", prefix_, "--pheno", pheno, "--out", folder_.path("s"), "--bootstrap", "100"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("AUC 0."), HasSubstr("Nagelkerke's R2 0."), HasSubstr("100 bootstrap samples")));
  EXPECT_THAT(hand_over({"--quiet"}).out, HasSubstr("#weight_type=log(OR)\n"));
}

// Counts of 0, 1 and 2 are no codes of cases and controls: no 0 is missing, in the fit and in the score.
TEST_F(LassoScore, OfCountsHasAShareOfTheDeviance) {
  const auto count = [this](std::uint64_t i) {
    return std::clamp(std::floor((genotypes_.phenotype[i] - 169) / 2), 0.0, 2.0);
  };
  const auto pheno = table("pheno", "t", [&](std::uint64_t i) { return std::to_string(static_cast<int>(count(i))); });
  const auto fitted = lasso({"fit", "--bfile", prefix_, "--pheno", pheno, "--family", "poisson", "--lambda-ratio",
                             "0.3", "--out", folder_.path("fit"), "--force"});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_THAT(fitted.err, Not(HasSubstr("binary trait")));
  EXPECT_THAT(folder_.read("fit/coefficients.tsv"), HasSubstr("\trate_ratio\n"));
  const std::vector<std::string> options = {"--bfile", prefix_, "--pheno", pheno};
  const auto ended = score(with(options, {"--out", folder_.path("s"), "--bootstrap", "100"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  expect_by_hand("s");
  EXPECT_THAT(ended.out, AllOf(HasSubstr("worth    t of 60 people: deviance ratio 0."), HasSubstr(", correlation 0."),
                               HasSubstr("100 bootstrap samples"), Not(HasSubstr("R2"))));
  for (const char* name : {"\"deviance_ratio\"", "\"correlation\""}) {
    EXPECT_THAT(folder_.read("s/summary.json"), HasSubstr(name));
  }
  const auto covar = table("covar", "age", [](std::uint64_t i) { return std::to_string(i % 7); });
  const auto beside = score(with(options, {"--covar", covar}));
  ASSERT_EQ(beside.code, 0) << beside.err;
  EXPECT_THAT(beside.out, AllOf(HasSubstr(", incremental deviance ratio "), HasSubstr("over 1 covariate;")));
  const auto predicted = lasso(with({"predict", "--model", folder_.path("fit")}, options));
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.err, AllOf(HasSubstr(", deviance "), HasSubstr(" a sample against 't' (60 samples)")));
  const auto wrong =
      table("wrong", "t", [&](std::uint64_t i) { return i == 7 ? "-1" : std::to_string(static_cast<int>(count(i))); });
  const auto refused = score({"--bfile", prefix_, "--pheno", wrong});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("the response of sample 'i7' is -1, expected a count"));
  EXPECT_THAT(lasso({"predict", "--model", folder_.path("fit"), "--bfile", prefix_, "--pheno", wrong}).err,
              HasSubstr(", no deviance against 't' (60 samples), which is not a count everywhere"));
}

// A coefficient is the logarithm of a rate ratio: additive, as those of numbers are.
TEST_F(LassoScore, OfCountsIsHandedOverInEachFormat) {
  const auto pheno = table("pheno", "t", [this](std::uint64_t i) {
    return std::to_string(static_cast<int>(std::max(0.0, std::floor((genotypes_.phenotype[i] - 166) / 2))));
  });
  ASSERT_EQ(lasso({"fit", "--bfile", prefix_, "--pheno", pheno, "--family", "poisson", "--lambda-ratio", "0.3", "--out",
                   folder_.path("fit"), "--force"})
                .code,
            0);
  const auto own = rows_of(folder_.read("fit/coefficients.tsv"));
  ASSERT_GT(own.size(), 1U);
  ASSERT_EQ(own[0].back(), "rate_ratio");
  const auto pgs = hand_over({"--quiet"});
  ASSERT_EQ(pgs.code, 0) << pgs.err;
  EXPECT_THAT(pgs.out,
              AllOf(HasSubstr("#weight_type=beta\n"), HasSubstr("#variants_number=" + std::to_string(own.size() - 1))));
  for (const std::string format : {"pgs", "plink2", "csv"}) {
    const auto file = hand_over({"--quiet", "--export", format});
    ASSERT_EQ(file.code, 0) << file.err;
    for (std::size_t k = 1; k < own.size(); ++k)
      EXPECT_THAT(file.out, AllOf(HasSubstr(own[k][0]), HasSubstr(own[k][6]))) << format;
  }
  for (std::size_t k = 1; k < own.size(); ++k)
    EXPECT_NEAR(std::stod(own[k].back()), std::exp(std::stod(own[k][6])), 1e-12);
}

TEST_F(LassoScore, RefusesWhatItCannotDo) {
  EXPECT_THAT(score({}).err, HasSubstr("no genotypes: give --bfile, --pfile or --bpfile PREFIX"));
  EXPECT_THAT(lasso({"score", "--bfile", prefix_}).err, HasSubstr("no model: give --model DIR"));
  EXPECT_THAT(score({"--bfile", prefix_, "--out", folder_.path("fit"), "--force"}).err,
              HasSubstr("--out is the folder of the model"));
  folder_.write("x.csv", Table(60, 12).csv());
  ASSERT_EQ(lasso({"fit", "--x", folder_.path("x.csv"), "--y-name", "y", "--out", folder_.path("x")}).code, 0);
  const auto no_alleles = lasso({"score", "--model", folder_.path("x"), "--bfile", prefix_});
  EXPECT_EQ(no_alleles.code, 2);
  EXPECT_THAT(no_alleles.err, HasSubstr("without alleles"));
  EXPECT_EQ(lasso({"export", "--model", folder_.path("x")}).code, 2);
  EXPECT_EQ(lasso({"export", "--model", folder_.path("x"), "--export", "csv"}).code, 0);
  EXPECT_THAT(hand_over({"--trait", "a=b"}).err, HasSubstr("takes no '='"));
}

TEST_F(LassoScore, IsWhatPlink2ComputesFromTheExportedFiles) {
  ASSERT_EQ(score({"--bfile", prefix_, "--out", folder_.path("s")}).code, 0);
  ASSERT_EQ(hand_over({"--export", "plink2", "--out", folder_.path("w")}).code, 0);
  ASSERT_EQ(hand_over({"--out", folder_.path("w.txt")}).code, 0);
  const auto own = scores("s");
  const auto swapped = genotypes_.write(folder_, "t", true);
  for (const auto& data : {prefix_, swapped}) {
    for (const std::vector<std::string>& file : {std::vector<std::string>{folder_.path("w"), "1", "2", "3", "header"},
                                                 {folder_.path("w.txt"), "1", "4", "6", "header-read"}}) {
      std::vector<std::string> plink{"plink2", "--bfile",         data,     "--read-freq", folder_.path("w.afreq"),
                                     "--out",  folder_.path("p"), "--score"};
      plink = with(plink, file);
      plink.emplace_back("cols=+scoresums");
      const auto ended = Process(std::move(plink)).wait();
      ASSERT_EQ(ended.code, 0) << ended.err;
      const auto rows = rows_of(folder_.read("p.sscore"));
      ASSERT_EQ(rows.size(), own.size() + 1);
      for (std::size_t i = 0; i < own.size(); ++i) {
        EXPECT_NEAR(std::stod(rows[i + 1].back()), own[i], 1e-5 * std::abs(own[i])) << "six digits";
      }
    }
  }
}

// A quarter of the variants each on 1, X, Y and MT; men, women and people whose sex is unknown.
TEST_F(LassoScore, OfXYAndMtIsWhatPlink2ComputesFromTheExportedFiles) {
  const auto swapped = genotypes_.write(folder_, "t", true);
  for (const char* name : {"g", "t"}) {
    std::string bim, fam;
    std::size_t j = 0;
    for (const auto& row : rows_of(folder_.read(std::string(name) + ".bim"))) {
      constexpr std::array<const char*, 4> kChromosomes{"1", "X", "Y", "MT"};
      bim +=
          std::string(kChromosomes[j++ / 20]) + "\t" + row[1] + "\t0\t" + row[3] + "\t" + row[4] + "\t" + row[5] + "\n";
    }
    std::size_t i = 0;
    for (const auto& row : rows_of(folder_.read(std::string(name) + ".fam"))) {
      constexpr std::array<const char*, 3> kSexes{"1", "2", "0"};
      fam += row[0] + "\t" + row[1] + "\t0\t0\t" + kSexes[i++ % 3] + "\t" + row[5] + "\n";
    }
    folder_.write(std::string(name) + ".bim", bim);
    folder_.write(std::string(name) + ".fam", fam);
  }
  const auto fitted =
      lasso({"fit", "--bfile", prefix_, "--lambda-ratio", "0.1", "--out", folder_.path("fit"), "--force"});
  ASSERT_EQ(fitted.code, 0);
  EXPECT_THAT(fitted.err, HasSubstr("40 variants on Y or MT, of which a person has one copy"));
  for (const char* chromosome : {"\t1\t", "\tX\t", "\tY\t", "\tMT\t"}) {
    EXPECT_THAT(folder_.read("fit/coefficients.tsv"), HasSubstr(chromosome));
  }
  ASSERT_EQ(hand_over({"--export", "plink2", "--out", folder_.path("w")}).code, 0);
  for (const auto& data : {prefix_, swapped}) {
    ASSERT_EQ(score({"--bfile", data, "--out", folder_.path("s"), "--force"}).code, 0);
    const auto own = scores("s");
    // The coefficients of the fit itself are for the same copies.
    for (const std::vector<std::string>& file : {std::vector<std::string>{folder_.path("w"), "1", "2", "3", "header"},
                                                 {folder_.path("fit/coefficients.tsv"), "1", "4", "7", "header"}}) {
      const auto ended = Process(with({"plink2", "--bfile", data, "--read-freq", folder_.path("w.afreq"), "--out",
                                       folder_.path("p"), "--score"},
                                      with(file, {"cols=+scoresums"})))
                             .wait();
      ASSERT_EQ(ended.code, 0) << ended.err;
      const auto rows = rows_of(folder_.read("p.sscore"));
      ASSERT_EQ(rows.size(), own.size() + 1);
      for (std::size_t i = 0; i < own.size(); ++i) {
        EXPECT_NEAR(std::stod(rows[i + 1].back()), own[i], 1e-5 * (1 + std::abs(own[i]))) << "person " << i;
      }
    }
  }
}

TEST_F(LassoScore, IsHandedOverAsThePgsCatalogSays) {
  ASSERT_EQ(hand_over({"--out", folder_.path("w.txt.gz"), "--genome-build", "GRCh37", "--trait", "a trait"}).code, 0);
  ASSERT_EQ(hand_over({"--out", folder_.path("w.txt"), "--genome-build", "GRCh37", "--trait", "a trait"}).code, 0);
  const auto unpacked = Process({"gzip", "-dc", folder_.path("w.txt.gz")}).wait();
  EXPECT_EQ(unpacked.out, folder_.read("w.txt"));
  // By the catalogue's description of format 2.0: headers "#key=value" without a second "=", then named columns.
  std::map<std::string, std::string> headers;
  std::vector<std::vector<std::string>> body;
  for (const auto& row : rows_of(unpacked.out)) {
    if (row[0][0] != '#') {
      body.push_back(row);
    } else if (row[0].size() > 1 && row[0][1] != '#') {
      const auto equals = row[0].find('=');
      ASSERT_NE(equals, std::string::npos) << row[0];
      EXPECT_EQ(row[0].find('=', equals + 1), std::string::npos) << row[0];
      headers[row[0].substr(1, equals - 1)] = row[0].substr(equals + 1);
    }
  }
  EXPECT_TRUE(unpacked.out.starts_with("###PGS CATALOG SCORING FILE"));
  EXPECT_EQ(headers["format_version"], "2.0");
  EXPECT_EQ(headers["genome_build"], "GRCh37");
  EXPECT_EQ(headers["trait_reported"], "a trait");
  EXPECT_EQ(headers["weight_type"], "beta");
  ASSERT_FALSE(body.empty());
  EXPECT_EQ(headers["variants_number"], std::to_string(body.size() - 1));
  EXPECT_EQ(body[0], (std::vector<std::string>{"rsID", "chr_name", "chr_position", "effect_allele", "other_allele",
                                               "effect_weight", "allelefrequency_effect"}));
  const auto own = rows_of(folder_.read("fit/coefficients.tsv"));
  ASSERT_EQ(own.size(), body.size());
  for (std::size_t k = 1; k < body.size(); ++k) {
    ASSERT_EQ(body[k].size(), 7U);
    for (const auto& text : body[k]) EXPECT_NE(text, "");
    EXPECT_EQ(body[k][0], own[k][0]);
    EXPECT_EQ(body[k][3], own[k][3]);
    EXPECT_EQ(body[k][5], own[k][6]);
  }
}

TEST_F(LassoScore, TakesOneSolutionOfAPath) {
  ASSERT_EQ(
      lasso({"path", "--bfile", prefix_, "--lambdas", "5", "--lambda-min-ratio", "0.2", "--out", folder_.path("path")})
          .code,
      0);
  const auto all = lasso({"score", "--model", folder_.path("path"), "--bfile", prefix_});
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.err, HasSubstr("one is needed: give --lambda-index K"));
  EXPECT_EQ(lasso({"score", "--model", folder_.path("path"), "--bfile", prefix_, "--lambda-index", "4"}).code, 0);
}

}  // namespace
}  // namespace strads::test
