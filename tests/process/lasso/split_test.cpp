// `lasso path --split` and `lasso cv --stop-after` from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;

/// Rows 0, 3, 6 ... train, of the others some validate, test, and take no part.
class SplitCommand : public testing::Test {
 protected:
  SplitCommand() {
    for (std::uint64_t i = 0; i < table_.rows; ++i) table_.y[i] += 6 * noise_.bell();
    std::string split = "name part\n";
    const std::string text = table_.csv();
    std::istringstream lines(text);
    std::string header;
    std::getline(lines, header);
    std::string train = header + "\n", val = train, test = train;
    for (std::uint64_t i = 0; i < table_.rows; ++i) {
      std::string line;
      std::getline(lines, line);
      const std::string part = i % 3 == 0 || i % 3 == 1 ? "train" : i % 9 == 2 ? "val" : i % 9 == 5 ? "test" : "NA";
      split += "s" + std::to_string(i) + " " + part + "\n";
      if (part != "NA") (part == "train" ? train : part == "val" ? val : test) += line + "\n";
    }
    folder_.write("x.csv", text);
    folder_.write("split", split);
    std::string cases = "case\n";
    for (const double y : table_.y) cases += y > 13 ? "1\n" : "0\n";
    folder_.write("case.csv", cases);
    folder_.write("train.csv", train);
    folder_.write("val.csv", val);
    folder_.write("test.csv", test);
  }

  [[nodiscard]] std::vector<std::string> path(const std::string& out, const std::vector<std::string>& more = {}) const {
    return with({"path", "--x", folder_.path("x.csv"), "--y-name", "y", "--split", folder_.path("split"),
                 "--split-name", "part", "--lambdas", "25", "--lambda-min-ratio", "0.005", "--out", folder_.path(out)},
                more);
  }
  /// The same of two classes, of which one in five people is a case.
  [[nodiscard]] std::vector<std::string> classes(const std::string& out, const std::string& measure) const {
    return {"path",
            "--x",
            folder_.path("x.csv"),
            "--exclude",
            folder_.write("exclude", "y\n"),
            "--y",
            folder_.path("case.csv"),
            "--y-name",
            "case",
            "--family",
            "binomial",
            "--measure",
            measure,
            "--split",
            folder_.path("split"),
            "--split-name",
            "part",
            "--lambdas",
            "25",
            "--lambda-min-ratio",
            "0.005",
            "--out",
            folder_.path(out)};
  }
  [[nodiscard]] std::vector<std::string> cv(const std::string& out, const std::vector<std::string>& more = {}) const {
    return with({"cv", "--x", folder_.path("x.csv"), "--y-name", "y", "--folds", "4", "--lambdas", "25",
                 "--lambda-min-ratio", "0.005", "--out", folder_.path(out)},
                more);
  }
  std::vector<std::vector<std::string>> table(const std::string& name) { return rows_of(folder_.read(name)); }

  /// Mean of (y - prediction)^2 of a model for a file.
  double mse_of(const std::string& model, const std::string& file) {
    const auto ended = lasso({"predict", "--model", folder_.path(model), "--x", folder_.path(file)});
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto rows = rows_of(ended.out);
    std::istringstream lines(folder_.read(file));
    std::string line;
    std::getline(lines, line);
    double sum = 0, count = 0;
    for (std::size_t i = 1; i < rows.size(); ++i, ++count) {
      std::getline(lines, line);
      sum += std::pow(std::stod(line.substr(line.rfind(',') + 1)) - std::stod(rows[i][1]), 2);
    }
    return sum / count;
  }

  void expect_same(const std::string& run, const std::string& as) {
    for (const char* name : {"/path_coefficients.tsv", "/chosen/coefficients.tsv", "/refit/coefficients.tsv"}) {
      EXPECT_EQ(folder_.read(run + name), folder_.read(as + name)) << name;
    }
    const auto own = folder_.read(run + "/summary.json"), other = folder_.read(as + "/summary.json");
    for (const char* field : {"path_hash", "lambdas_solved", "error", "rounds", "updates", "flops", "r2"}) {
      EXPECT_EQ(json_field(own, field), json_field(other, field)) << field;
    }
    EXPECT_EQ(json_field(own.substr(own.find("\"refit\"")), "beta_hash"),
              json_field(other.substr(other.find("\"refit\"")), "beta_hash"));
  }

  Numbers noise_{7};
  Table table_{180, 40};
  Folder folder_;
};

TEST_F(SplitCommand, HasTheErrorsOfAFitOnTrainAtEachLambdaAndOfPredictionsForVal) {
  const auto ended = lasso(path("run", {"--tolerance", "1e-12", "--stop-after", "2", "--stop-from", "1"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("split: train 120, val 20, test 20 samples"));
  EXPECT_THAT(ended.err, HasSubstr("20 samples left out: no part in the split (NA)"));
  const auto rows = table("run/path.tsv");
  const auto summary = folder_.read("run/summary.json");
  const auto chosen = static_cast<std::size_t>(json_number(summary, "index"));
  ASSERT_EQ(rows.size(), chosen + 3);  // two lambdas later
  EXPECT_EQ(rows[chosen][16], "chosen");
  for (const std::size_t k : {std::size_t{2}, chosen, chosen + 2}) {
    const std::string name = "fit" + std::to_string(k);
    ASSERT_EQ(lasso({"fit", "--x", folder_.path("train.csv"), "--y-name", "y", "--lambda", rows[k][1], "--tolerance",
                     "1e-12", "--out", folder_.path(name)})
                  .code,
              0);
    const double mse = mse_of(name, "val.csv");
    EXPECT_NEAR(std::stod(rows[k][15]), mse, 1e-6 * mse) << k;
  }
  const double test = mse_of("run/chosen", "test.csv");
  EXPECT_NEAR(json_number(summary.substr(summary.find("\"test\": {")), "mse"), test, 1e-9 * test);
  const double refit = mse_of("run/refit", "test.csv");
  const auto of_refit = summary.substr(summary.find("\"refit\": {"));
  EXPECT_NEAR(json_number(of_refit, "mse"), refit, 1e-9 * refit);
  EXPECT_NEAR(json_number(of_refit, "lambda_y"), std::stod(rows[chosen][2]), 1e-14);
  EXPECT_NEAR(mse_of("run", "test.csv"), test, 1e-9 * test);  // the run stands for its chosen lambda
}

TEST_F(SplitCommand, TheModelOfTrainAndValIsTheFitOfThesePeople) {
  std::istringstream rows(folder_.read("x.csv")), people(folder_.read("split"));
  std::string named, keep, row, name, part;
  while (std::getline(rows, row) && people >> name >> part) {
    named += name + "," + row + "\n";
    if (part == "train" || part == "val") keep += name + "\n";
  }
  folder_.write("named.csv", named);
  folder_.write("keep", keep);
  const std::vector<std::string> data{"--x", folder_.path("named.csv"), "--id-column", "name", "--y-name", "y"};
  const auto path = lasso(with({"path", "--split", folder_.path("split"), "--split-name", "part", "--lambdas", "25",
                                "--lambda-min-ratio", "0.005", "--tolerance", "1e-10", "--out", folder_.path("run")},
                               data));
  ASSERT_EQ(path.code, 0) << path.err;
  const auto summary = folder_.read("run/summary.json");
  const auto refit = summary.substr(summary.find("\"refit\": {"));
  const auto fit = lasso(with({"fit", "--keep", folder_.path("keep"), "--lambda", json_field(refit, "lambda"),
                               "--lambda-scale", "unit", "--tolerance", "1e-10", "--out", folder_.path("fit")},
                              data));
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto own = folder_.read("fit/summary.json");
  const double objective = json_number(own, "objective");
  EXPECT_NEAR(json_number(refit, "objective"), objective, 1e-9 * objective);
  EXPECT_EQ(json_field(refit, "nonzeros"), json_field(own, "nonzeros"));
}

TEST_F(SplitCommand, GoesOnWhereFewerPeopleAreMisclassifiedLaterAndEndsWhereNeitherThatNorTheLossImproves) {
  const auto run = [&](const std::string& out, const std::vector<std::string>& more) {
    const auto ended = lasso(with(classes(out, "class"), more));
    ASSERT_EQ(ended.code, 0) << ended.err;
  };
  run("whole", {"--stop-after", "0", "--early-end", "off"});
  run("half", {});
  run("soon", {"--stop-after", "2", "--stop-from", "1"});
  const auto whole = table("whole/path.tsv");
  ASSERT_EQ(whole.size(), 26u);
  for (std::size_t k = 2; k < 5; ++k) ASSERT_EQ(whole[k][15], whole[1][15]) << "nobody changes sides at first";
  const auto best = [](const auto& rows) {
    double least = 1;
    for (std::size_t k = 1; k < rows.size(); ++k) least = std::min(least, std::stod(rows[k][15]));
    return least;
  };
  ASSERT_LT(best(whole), std::stod(whole[1][15]));
  for (const char* name : {"half", "soon"}) {
    const auto rows = table(std::string(name) + "/path.tsv");
    EXPECT_LT(rows.size(), whole.size()) << name;
    for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_EQ(rows[k][13], whole[k][13]) << name << " " << k;
  }
  EXPECT_GE(table("half/path.tsv").size(), 14u) << "half of the grid in any case";
  EXPECT_EQ(best(table("half/path.tsv")), best(whole));
  EXPECT_GT(table("soon/path.tsv").size(), 5u) << "the deviance falls where nobody changes sides";
}

TEST_F(SplitCommand, SaysWhatAPathThatWasStoppedHasNotSeen) {
  ASSERT_EQ(lasso(path("whole", {"--stop-after", "0", "--early-end", "off"})).code, 0);
  const auto ended = lasso(path("run"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto summary = folder_.read("run/summary.json");
  const auto unseen = summary.substr(summary.find("\"not_looked_at\": {"));
  const std::size_t seen = table("run/path.tsv").size() - 1;
  ASSERT_LT(seen, 25u);
  EXPECT_EQ(json_field(summary, "stop_reason"), "\"stopped on val\"");
  EXPECT_EQ(json_field(summary, "stop_after"), "5");
  EXPECT_EQ(json_field(summary, "stop_from"), "13");
  EXPECT_EQ(json_number(unseen, "lambdas"), static_cast<double>(25 - seen));
  EXPECT_EQ(json_field(unseen, "lambda_last"), table("whole/path.tsv").back()[1]);
  EXPECT_NEAR(json_number(unseen, "lambda_ratio_last"), 0.005, 1e-15);
  EXPECT_THAT(ended.out, HasSubstr("\nunseen   " + std::to_string(25 - seen) +
                                   " of 25 lambdas, down to 0.005 lambda_max: the last 5 lambdas had no better mse on "
                                   "val; --stop-after 0 looks at all\n"));
  EXPECT_EQ(folder_.read("whole/summary.json").find("not_looked_at"), std::string::npos);
}

TEST_F(SplitCommand, OfTwoClassesHasTheSameEndAndBitsWithThreadsProcessesAndAfterAStop) {
  const std::vector<std::string> soon{"--stop-after", "3", "--stop-from", "4"};
  ASSERT_EQ(lasso(with(classes("one", "auc"), soon)).code, 0);
  ASSERT_EQ(json_field(folder_.read("one/summary.json"), "stop_reason"), "\"stopped on val\"");
  ASSERT_EQ(lasso(with(with(classes("two", "auc"), soon), {"--threads", "2"})).code, 0);
  expect_same("two", "one");
  ASSERT_EQ(lasso(with(with(classes("three", "auc"), soon), {"--processes=2"})).code, 0);
  expect_same("three", "one");
  ASSERT_EQ(lasso(with(with(classes("cut", "auc"), soon), {"--checkpoint-rounds", "1", "--max-rounds", "3"})).code, 3);
  const auto resumed = lasso({"path", "--resume", folder_.path("cut"), "--max-rounds", "0"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  expect_same("cut", "one");
}

TEST_F(SplitCommand, HasTheSameEndAndBitsWithThreadsProcessesAndAfterAStop) {
  ASSERT_EQ(lasso(path("one", {"--threads", "1"})).code, 0);
  ASSERT_EQ(lasso(path("two", {"--threads", "2"})).code, 0);
  expect_same("two", "one");
  const auto cluster = lasso(path("three", {"--processes=2"}));
  ASSERT_EQ(cluster.code, 0) << cluster.err;
  expect_same("three", "one");
  for (const char* limit : {"2", "3"}) {  // of each of the two runs
    const auto stopped = lasso(path("cut", {"--checkpoint-rounds", "1", "--max-rounds", limit}));
    ASSERT_EQ(stopped.code, 3) << stopped.err;
    const auto resumed = lasso({"path", "--resume", folder_.path("cut"), "--max-rounds", "0"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    expect_same("cut", "one");
    std::filesystem::remove_all(folder_.path("cut"));
  }
}

TEST_F(SplitCommand, WithWeightsIsThePathOfThoseWhoTrainInEveryUnit) {
  std::string weights = "w\n", of_train = "w\n";
  for (std::uint64_t i = 0; i < table_.rows; ++i) {  // those who do not train weigh more
    const std::string weight = std::to_string(i % 3 != 2 ? 1 + i % 4 : 20 + i % 3) + "\n";
    weights += weight;
    if (i % 3 != 2) of_train += weight;
  }
  const std::string all = folder_.write("w.csv", weights), own = folder_.write("w.train.csv", of_train);
  for (const std::vector<std::string>& units :
       {std::vector<std::string>{"--scale-y", "off"}, {"--scale", "off"}, {"--scale", "off", "--scale-y", "off"}}) {
    const auto more = with({"--l1-ratio", "0.5", "--tolerance", "1e-10", "--force"}, units);
    const auto split = lasso(path("cut", with({"--weights", all, "--stop-after", "0", "--refit", "off"}, more)));
    ASSERT_EQ(split.code, 0) << split.err;
    const auto alone = lasso(with({"path", "--x", folder_.path("train.csv"), "--y-name", "y", "--weights", own,
                                   "--lambdas", "25", "--lambda-min-ratio", "0.005", "--out", folder_.path("alone")},
                                  more));
    ASSERT_EQ(alone.code, 0) << alone.err;
    const auto ours = table("cut/path.tsv"), theirs = table("alone/path.tsv");
    ASSERT_EQ(ours.size(), theirs.size());
    for (const std::size_t column : {1, 2, 5, 6, 10}) {  // lambda, lambda_y, deviance_ratio, objective, intercept
      for (std::size_t k = 1; k < ours.size(); ++k) {
        const double value = std::stod(theirs[k][column]);
        EXPECT_NEAR(std::stod(ours[k][column]), value, 1e-6 * std::abs(value) + 1e-9) << units[0] << column << " " << k;
      }
    }
  }
}

TEST_F(SplitCommand, WithoutRefitAndStopGoesDownTheWholePathInOneRun) {
  ASSERT_EQ(lasso(path("run", {"--refit", "off", "--stop-after", "0", "--early-end", "off"})).code, 0);
  EXPECT_EQ(table("run/path.tsv").size(), 26u);
  EXPECT_FALSE(folder_.has("run/refit/model.bin"));
  EXPECT_TRUE(folder_.has("run/chosen/model.bin"));
}

/// So few rounds of one coefficient each that the first lambda is not solved.
const std::vector<std::string> kTooSoon{"--policy", "uniform", "--tolerance", "0", "--check-interval", "1"};

TEST_F(SplitCommand, ThatALimitCutsOffBeforeItsFirstLambdaKeepsWhereItWasWithItsGap) {
  folder_.write("lambdas", "0.01\n0.005\n");
  const std::vector<std::string> far{"--lambda-file", folder_.path("lambdas"), "--lambda-scale", "ratio"};
  const auto command = [&](const std::string& out, const std::vector<std::string>& more) {
    return with({"path", "--x", folder_.path("x.csv"), "--y-name", "y", "--split", folder_.path("split"),
                 "--split-name", "part", "--out", folder_.path(out)},
                with(with(far, kTooSoon), more));
  };
  for (const char* refit : {"on", "off"}) {
    const std::string out = std::string("refit_") + refit;
    const auto ended = lasso(command(out, {"--refit", refit, "--checkpoint-rounds", "1", "--max-rounds", "4"}));
    ASSERT_EQ(ended.code, 3) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("the path on train ended before its first lambda was solved: it is kept where it "
                                     "was, with its gap; that is what is chosen"));
    const auto rows = table(out + "/path.tsv");
    ASSERT_EQ(rows.size(), 2u) << out;
    EXPECT_EQ(rows[1][9], "no");
    EXPECT_GT(std::stod(rows[1][8]), 1e-3) << "its relative gap";
    EXPECT_EQ(rows[1].back(), "chosen");
    const auto summary = folder_.read(out + "/summary.json");
    EXPECT_EQ(json_field(summary, "tolerance_met"), "false");
    EXPECT_EQ(json_number(summary, "relative_gap_worst"), std::stod(rows[1][8]));
    EXPECT_NEAR(mse_of(out, "val.csv"), std::stod(rows[1][15]), 1e-9 * std::stod(rows[1][15]));
  }
  const auto refit = folder_.read("refit_on/refit/summary.json");
  EXPECT_EQ(json_field(refit, "tolerance_met"), "false");
  EXPECT_GT(json_number(refit, "relative_gap"), 1e-3);
  // What was kept is no solution: resumed, the path has its lambdas.
  const auto resumed = lasso({"path", "--resume", folder_.path("refit_on"), "--max-rounds", "7"});
  EXPECT_EQ(resumed.code, 3) << resumed.err;
  ASSERT_EQ(lasso(command("seven", {"--max-rounds", "7"})).code, 3);
  expect_same("refit_on", "seven");
}

TEST_F(SplitCommand, ACrossValidationThatIsCutOffBeforeItsFirstLambdaKeepsThePathOnAllSamples) {
  folder_.write("lambdas", "0.01\n0.005\n");
  const auto command = [&](const std::string& name, const std::string& out) {
    return with({name, "--x", folder_.path("x.csv"), "--y-name", "y", "--lambda-file", folder_.path("lambdas"),
                 "--lambda-scale", "ratio", "--out", folder_.path(out)},
                kTooSoon);
  };
  const auto ended = lasso(with(command("cv", "cut"), {"--folds", "3", "--max-rounds", "4"}));
  ASSERT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the path on all samples ended before its first lambda was solved"));
  EXPECT_THAT(ended.err, HasSubstr("there is no curve to write, only the path on all samples"));
  EXPECT_EQ(ended.out.find("gap / objective 0;"), std::string::npos) << ended.out;
  ASSERT_EQ(lasso(with(command("path", "path"), {"--max-rounds", "4"})).code, 3);
  for (const char* name : {"/path_coefficients.tsv", "/path.bin"}) {
    EXPECT_EQ(folder_.read(std::string("cut") + name), folder_.read(std::string("path") + name)) << name;
  }
  EXPECT_FALSE(folder_.has("cut/cv.tsv"));
  EXPECT_GT(json_number(folder_.read("cut/summary.json"), "relative_gap_worst"), 1e-3);
  EXPECT_EQ(json_field(folder_.read("cut/summary.json"), "solutions_unmet"), "1");
}

TEST_F(SplitCommand, RefusesOptionsThatDoNotFit) {
  const auto alone = lasso({"path", "--x", folder_.path("x.csv"), "--y-name", "y", "--split-name", "part"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--split-name needs --split FILE"));
  const auto measure = lasso(path("run", {"--measure", "auc"}));
  EXPECT_EQ(measure.code, 2);
  EXPECT_THAT(measure.err, HasSubstr("--measure auc"));
}

TEST_F(SplitCommand, PredictionsBetweenTwoLambdasLieOnTheLineBetweenTheirs) {
  ASSERT_EQ(lasso(path("run")).code, 0);
  const auto rows = table("run/path.tsv");
  const double high = std::stod(rows[4][1]), low = std::stod(rows[5][1]);
  const auto predict = [&](const std::vector<std::string>& more) {
    return lasso(with({"predict", "--model", folder_.path("run"), "--x", folder_.path("val.csv")}, more));
  };
  const auto first = rows_of(predict({"--lambda-index", "4"}).out),
             second = rows_of(predict({"--lambda-index", "5"}).out);
  const auto between = predict({"--lambda", std::to_string(0.75 * high + 0.25 * low)});
  ASSERT_EQ(between.code, 0) << between.err;
  EXPECT_THAT(between.err, HasSubstr("coefficients are interpolated linearly"));
  const auto line = rows_of(between.out);
  EXPECT_EQ(line[0][1], "prediction_interpolated");
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double expected = 0.75 * std::stod(first[i][1]) + 0.25 * std::stod(second[i][1]);
    EXPECT_NEAR(std::stod(line[i][1]), expected, 1e-4) << i;
  }
  const auto outside = predict({"--lambda", std::to_string(0.5 * std::stod(rows.back()[1]))});
  EXPECT_EQ(outside.code, 2);
  EXPECT_THAT(outside.err, HasSubstr("is not within what was solved"));
}

TEST_F(SplitCommand, ACrossValidationThatStopsHasTheSameBitsAsOneThatDoesNotAndAnywhere) {
  ASSERT_EQ(lasso(cv("whole")).code, 0);
  const auto whole = table("whole/cv.tsv");
  const std::vector<std::string> soon{"--stop-after", "2", "--stop-from", "1"};
  const auto first = lasso(cv("one", with(soon, {"--threads", "1"})));
  ASSERT_EQ(first.code, 0) << first.err;
  const auto stopped = table("one/cv.tsv");
  const auto least = static_cast<std::size_t>(json_number(folder_.read("one/summary.json"), "index"));
  ASSERT_EQ(stopped.size(), least + 3);
  ASSERT_LT(stopped.size(), whole.size());
  const std::size_t unseen = 26 - stopped.size();
  EXPECT_THAT(first.out, HasSubstr("\nunseen   " + std::to_string(unseen) +
                                   " of 25 lambdas, down to 0.005 lambda_max: the last 2 lambdas had no better mse "
                                   "over the folds; --stop-after 0 looks at all\n"));
  const auto summary = folder_.read("one/summary.json");
  EXPECT_EQ(json_number(summary.substr(summary.find("\"not_looked_at\": {")), "lambdas"), static_cast<double>(unseen));
  for (std::size_t k = 1; k < stopped.size(); ++k) EXPECT_EQ(stopped[k], whole[k]) << k;
  const auto expect_like_one = [&](const std::string& run) {
    for (const char* name : {"/cv.tsv", "/cv_paths.tsv", "/predictions.tsv", "/path_coefficients.tsv"}) {
      EXPECT_EQ(folder_.read(run + name), folder_.read(std::string("one") + name)) << run << name;
    }
    for (const char* field : {"path_hash", "rounds", "updates", "flops"}) {
      EXPECT_EQ(json_field(folder_.read(run + "/summary.json"), field),
                json_field(folder_.read("one/summary.json"), field))
          << run << field;
    }
  };
  ASSERT_EQ(lasso(cv("two", with(soon, {"--threads", "2"}))).code, 0);
  expect_like_one("two");
  const auto cluster = lasso(cv("three", with(soon, {"--processes=2"})));
  ASSERT_EQ(cluster.code, 0) << cluster.err;
  expect_like_one("three");
  const auto cut = lasso(cv("cut", with(soon, {"--checkpoint-rounds", "1", "--max-rounds", "5"})));
  ASSERT_EQ(cut.code, 3) << cut.err;
  const auto resumed = lasso({"cv", "--resume", folder_.path("cut"), "--max-rounds", "0"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  expect_like_one("cut");
}

TEST_F(SplitCommand, PredictionsOutOfTheirFoldHaveTheErrorOfTheCurve) {
  ASSERT_EQ(lasso(cv("run")).code, 0);
  const auto rows = table("run/predictions.tsv");
  ASSERT_EQ(rows.size(), table_.rows + 1);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"row", "fold", "response", "prediction_min", "prediction_1se"}));
  double sum = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) sum += std::pow(std::stod(rows[i][2]) - std::stod(rows[i][3]), 2);
  const double error = json_number(folder_.read("run/summary.json"), "error");
  EXPECT_NEAR(sum / static_cast<double>(table_.rows), error, 1e-12 * error);
}

}  // namespace
}  // namespace strads::test
