// `lasso path` of several traits and several l1 ratios, with --split and without: each has the files and the bits of a
// run of its own, and what reads a run takes its folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <utility>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class LassoPathSeveral : public testing::Test {
 protected:
  LassoPathSeveral() {
    const Genotypes genotypes(90, 60);
    prefix_ = genotypes.write(folder_, "g");
    Numbers numbers(7);
    std::ostringstream traits, split;
    traits << "FID\tIID\theight\tbmi\n";
    split << "FID\tIID\tpart\n";
    for (std::uint64_t i = 0; i < genotypes.samples; ++i) {
      const double bmi = 2 * genotypes.call(i, 9) + genotypes.call(i, 17) + 2 * numbers.bell();
      traits << "f" << i << "\ti" << i << "\t" << genotypes.phenotype[i] << "\t"
             << (i % 11 == 3 ? "NA" : std::to_string(bmi)) << "\n";
      split << "f" << i << "\ti" << i << "\t" << (i % 5 == 2 ? "val" : i % 5 == 4 ? "test" : "train") << "\n";
    }
    folder_.write("traits", traits.str());
    folder_.write("split", split.str());
  }
  Ended run(const std::string& names, const std::string& ratios, const std::string& out,
            const std::vector<std::string>& more = {}) {
    return lasso(
        with({"path", "--bfile", prefix_, "--pheno", folder_.path("traits"), "--pheno-name", names, "--l1-ratio",
              ratios, "--lambdas", "12", "--lambda-min-ratio", "0.05", "--out", folder_.path(out)},
             more));
  }
  [[nodiscard]] std::vector<std::string> by_split() const { return {"--split", folder_.path("split")}; }

  void expect_files(const std::string& one, const std::string& other, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      EXPECT_EQ(folder_.read(one + "/" + file), folder_.read(other + "/" + file)) << file;
      EXPECT_NE(folder_.read(one + "/" + file), "") << file;
    }
    const auto own = folder_.read(one + "/summary.json"), alone = folder_.read(other + "/summary.json");
    for (const char* field : {"path_hash", "lambdas_solved", "lambda_max", "tolerance_met", "residual_drift"}) {
      EXPECT_EQ(json_field(own, field), json_field(alone, field)) << one << " " << field;
    }
  }
  void expect_path(const std::string& one, const std::string& other) {
    expect_files(one, other, {"path_coefficients.tsv", "path.bin", "path.svg", "g.afreq"});
  }
  void expect_split(const std::string& one, const std::string& other) {
    expect_path(one, other);
    expect_files(one, other,
                 {"val.svg", "chosen/coefficients.tsv", "chosen/model.bin", "chosen/summary.json",
                  "refit/coefficients.tsv", "refit/model.bin", "refit/summary.json"});
  }
  /// Rows of a table by column.
  std::vector<std::map<std::string, std::string>> table(const std::string& name) {
    std::vector<std::map<std::string, std::string>> table;
    const auto rows = rows_of(folder_.read(name));
    for (std::size_t r = 1; r < rows.size(); ++r) {
      auto& row = table.emplace_back();
      for (std::size_t c = 0; c < rows[0].size(); ++c) row[rows[0][c]] = rows[r].at(c);
    }
    return table;
  }
  Ended predict(const std::string& model, const std::vector<std::string>& more = {}) {
    return lasso(with({"predict", "--bfile", prefix_, "--model", folder_.path(model)}, more));
  }

  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoPathSeveral, HaveTheFilesOfARunAloneAlsoOnProcesses) {
  const auto ended = run("height,bmi", "1,0.4", "all");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("fitted   2 traits on g: 60 variables, 2 l1 ratios, "),
                               HasSubstr("trait    bmi: 82 samples, l1 ratio 0.4, 12 lambdas down to ")));
  EXPECT_THAT(ended.out, Not(HasSubstr("0 folds")));
  ASSERT_EQ(run("height,bmi", "1,0.4", "processes", {"--processes=2"}).code, 0);
  for (const std::string trait : {"height", "bmi"}) {
    for (const std::string ratio : {"1", "0.4"}) {
      const std::string own = trait + "/l1_ratio_" + ratio, alone = trait + ratio;
      ASSERT_EQ(run(trait, ratio, alone).code, 0);
      expect_path("all/" + own, alone);
      expect_path("processes/" + own, alone);
    }
    EXPECT_FALSE(folder_.has("all/" + trait + "/path.bin")) << "nobody has compared the ratios";
  }
  const auto traits = table("all/traits.tsv");
  ASSERT_EQ(traits.size(), 4u) << "a line for each trait and ratio";
  for (const auto& line : traits) {
    const auto rows = table(line.at("trait") + line.at("l1_ratio") + "/path.tsv");
    EXPECT_EQ(line.at("lambdas"), std::to_string(rows.size()));
    EXPECT_EQ(line.at("lambda_last"), rows.back().at("lambda"));
    EXPECT_EQ(line.at("nonzeros_last"), rows.back().at("nonzeros"));
    EXPECT_EQ(line.at("samples"), line.at("trait") == "bmi" ? "82" : "90");
  }
  const auto ratios = table("all/bmi/l1_ratios.tsv");
  ASSERT_EQ(ratios.size(), 2u);
  EXPECT_EQ(ratios[1].at("l1_ratio"), "0.4");
  EXPECT_EQ(ratios[1].at("path_hash"), traits[3].at("path_hash"));
  EXPECT_EQ(ratios[1].count("best"), 0u);
  const auto summary = folder_.read("all/summary.json");
  EXPECT_EQ(json_field(summary, "program"), "\"lasso path\"");
  EXPECT_EQ(json_field(summary, "tolerance_met"), "true");
  EXPECT_THAT(summary, HasSubstr("\"bmi/l1_ratio_0.4/path.bin\""));
}

TEST_F(LassoPathSeveral, OfOneRatioHaveThePathInTheFolderOfTheTrait) {
  ASSERT_EQ(run("height,bmi", "0.5", "both").code, 0);
  ASSERT_EQ(run("bmi", "0.5", "bmi").code, 0);
  expect_path("both/bmi", "bmi");
  EXPECT_FALSE(folder_.has("both/bmi/l1_ratio_0.5"));
  EXPECT_EQ(table("both/traits.tsv").size(), 2u);
  EXPECT_EQ(json_field(folder_.read("both/summary.json"), "l1_ratio"), "0.5");
  const auto again = lasso({"path", "--config", folder_.path("both/bmi/config.ini"), "--out", folder_.path("again")});
  ASSERT_EQ(again.code, 0) << again.err;
  expect_path("again", "bmi");
}

TEST_F(LassoPathSeveral, AreReadByPredictScoreAndExport) {
  ASSERT_EQ(run("height,bmi", "1,0.4", "all").code, 0);
  ASSERT_EQ(run("bmi", "0.4", "alone").code, 0);
  const std::string own = "all/bmi/l1_ratio_0.4";
  EXPECT_EQ(predict(own).out, predict("alone").out);
  EXPECT_EQ(rows_of(predict(own).out)[0].back(), "prediction_12");
  const auto tables = [&](const std::string& command, const std::string& model, const std::vector<std::string>& more) {
    const auto ended = lasso(with({command, "--model", folder_.path(model), "--lambda-index", "9"}, more));
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  };
  EXPECT_EQ(tables("export", own, {"--export", "csv"}), tables("export", "alone", {"--export", "csv"}));
  for (const std::string& model : {own, std::string("alone")}) {
    tables("score", model,
           {"--bfile", prefix_, "--pheno", folder_.path("traits"), "--pheno-name", "bmi", "--bootstrap", "0", "--out",
            folder_.path("score-" + model.substr(0, 3))});
  }
  EXPECT_EQ(folder_.read("score-all/scores.tsv"), folder_.read("score-alo/scores.tsv"));
  EXPECT_NE(folder_.read("score-all/scores.tsv"), "");
  const double lambda = 1.1 * std::stod(table("alone/path.tsv")[5].at("lambda"));
  const std::vector<std::string> exact{"--exact", "--lambda", std::to_string(lambda)};
  const auto solved = predict(own, exact);
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_EQ(solved.out, predict("alone", exact).out);

  const auto several = predict("all");
  EXPECT_EQ(several.code, 2);
  EXPECT_THAT(several.err, AllOf(HasSubstr("a run of several traits"), HasSubstr("all/TRAIT")));
  for (const Words& more : {Words{}, Words{"--lambda-index", "3"}}) {
    const auto ratios = predict("all/bmi", more);
    EXPECT_EQ(ratios.code, 2);
    EXPECT_THAT(ratios.err, AllOf(HasSubstr("none was chosen"), HasSubstr("all/bmi/l1_ratio_A")));
  }
}

TEST_F(LassoPathSeveral, OfASplitChooseTheRatioOnVal) {
  const auto ended = run("height,bmi", "1,0.4", "all", by_split());
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("height: split: train 54, val 18, test 18 samples"), HasSubstr("bmi: split: train ")));
  EXPECT_THAT(ended.out, AllOf(HasSubstr("trait    bmi: "), HasSubstr(" on val, "), HasSubstr(", test R2 ")));
  ASSERT_EQ(run("height,bmi", "1,0.4", "processes", with(by_split(), {"--processes=2"})).code, 0);
  for (const std::string trait : {"height", "bmi"}) {
    const auto ratios = table("all/" + trait + "/l1_ratios.tsv");
    ASSERT_EQ(ratios.size(), 2u);
    std::string best;
    double least = 1e300;
    for (const auto& ratio : ratios) {
      const std::string value = ratio.at("l1_ratio"), own = trait + "/l1_ratio_" + value, alone = trait + value;
      ASSERT_EQ(run(trait, value, alone, by_split()).code, 0);
      expect_split("all/" + own, alone);
      expect_split("processes/" + own, alone);
      const auto summary = folder_.read(alone + "/summary.json");
      const auto refit = summary.substr(summary.find("\"refit\": {"));
      EXPECT_EQ(std::stod(ratio.at("error_chosen")), json_number(summary, "error"));
      EXPECT_EQ(std::stod(ratio.at("test_chosen")), json_number(summary.substr(summary.find("\"test\": {")), "mse"));
      EXPECT_EQ(std::stod(ratio.at("test_refit")), json_number(refit, "mse"));
      EXPECT_EQ(ratio.at("nonzeros_refit"), json_field(refit, "nonzeros"));
      if (std::stod(ratio.at("error_chosen")) < least) best = value, least = std::stod(ratio.at("error_chosen"));
    }
    for (const auto& ratio : ratios) EXPECT_EQ(ratio.at("best"), ratio.at("l1_ratio") == best ? "yes" : "no");
    expect_split("all/" + trait, trait + best);
    EXPECT_EQ(predict("all/" + trait).out, predict(trait + best).out);
    const auto summary = folder_.read("all/" + trait + "/summary.json");
    EXPECT_EQ(json_number(summary, "error"), least);
    EXPECT_THAT(summary, AllOf(HasSubstr("\"l1_ratios\": ["), HasSubstr("\"split\": {"), HasSubstr("\"refit\": {")));
  }
  const auto traits = table("all/traits.tsv");
  ASSERT_EQ(traits.size(), 2u);
  EXPECT_EQ(
      traits[1].at("error_chosen"),
      table("all/bmi/l1_ratios.tsv")[table("all/bmi/l1_ratios.tsv")[0].at("best") == "yes" ? 0 : 1].at("error_chosen"));
}

TEST_F(LassoPathSeveral, OfASplitGoOnAfterAStop) {
  ASSERT_EQ(run("height,bmi", "1,0.4", "one", by_split()).code, 0);
  for (const char* limit : {"2", "3"}) {  // of each run
    const auto stopped =
        run("height,bmi", "1,0.4", "cut", with(by_split(), {"--checkpoint-rounds", "1", "--max-rounds", limit}));
    ASSERT_EQ(stopped.code, 3) << stopped.err;
    const auto resumed = lasso({"path", "--resume", folder_.path("cut"), "--max-rounds", "0"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    for (const char* own : {"/height", "/bmi/l1_ratio_0.4"}) {
      expect_split(std::string("cut") + own, std::string("one") + own);
    }
    std::filesystem::remove_all(folder_.path("cut"));
  }
}

TEST_F(LassoPathSeveral, ThatALimitLeavesOutHaveNoPathAndEndWith3) {
  const auto ended = run("height,bmi", "1,0.4", "cut", {"--max-rounds", "1", "--tolerance", "1e-12", "--threads", "1"});
  ASSERT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("cut/summary.json"), "tolerance_met"), "false");
  EXPECT_TRUE(folder_.has("cut/bmi/l1_ratio_0.4/summary.json"));
}

TEST_F(LassoPathSeveral, AreRefusedWithTheReason) {
  const auto refused = [&](const std::string& names, const std::string& ratios, const std::string& reason,
                           const std::vector<std::string>& more = {}) {
    const auto ended = run(names, ratios, "none", more);
    EXPECT_EQ(ended.code, 2) << names << " " << ratios;
    EXPECT_THAT(ended.err, HasSubstr(reason));
    EXPECT_FALSE(folder_.has("none/summary.json"));
  };
  refused("height,height", "1", "'height' is there twice");
  refused("height,..", "1", "'..' cannot name a folder");
  refused("height", "1,0.5,1", "1 is there twice");
  refused("height", "2", "--l1-ratio 2: expected a number in [0, 1]");
  refused("height", "1,0", "--nonnegative needs --l1-ratio above 0", {"--nonnegative"});
  for (const auto& [names, ratios] : {std::pair("height,bmi", "1"), std::pair("height", "1,0.5")}) {
    refused(names, ratios, "--trace-rounds sees the rounds of one path", {"--trace-rounds", folder_.path("rounds")});
  }
}

}  // namespace
}  // namespace strads::test
