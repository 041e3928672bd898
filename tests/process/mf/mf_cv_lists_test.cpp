// mf cv by lists of items, and early stopping by them: against fits and evaluations of the folds' own files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "process/run_mf.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class MfCvLists : public MfFixture {
 protected:
  std::string relevant_ = "3";  ///< of evaluations
  [[nodiscard]] Ended lists_cv(std::vector<std::string> more) const {
    more.insert(more.begin(), {"cv", "--ratings", ratings_, "--folds", "3"});
    return mf(more);
  }
  [[nodiscard]] std::string lists_table(std::vector<std::string> more, const std::string& run) const {
    more.insert(more.end(), {"--quiet", "--out", folder_.path(run)});
    const auto ended = lists_cv(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/cv.tsv");
  }
  /// The ratings of one fold, or of the others, as a file.
  std::string part_of(std::uint16_t fold, bool others) {
    RatingsInput input;
    input.path = ratings_;
    SerialChunks serial;
    const auto all = load_ratings(input, serial).value();
    const auto folds = draw_folds(*all, 3, 1, serial);
    std::string text = "user,item,rating\n";
    for (std::size_t t = 0; t < folds.size(); ++t) {
      if ((folds[t] == fold) == others) continue;
      const Triplets& train = all->train;
      const double value = double{train.codes.empty() ? train.values[t] : all->levels[train.codes[t]]};
      text += std::string(all->users->name(train.users[t])) + "," + std::string(all->items->name(train.items[t])) +
              "," + std::to_string(value) + "\n";
    }
    return folder_.write((others ? "others" : "fold") + std::to_string(fold) + ".csv", text);
  }
  /// "model recall" -> its text, of one fit to the others.
  std::map<std::string, std::string> evaluated(std::uint16_t fold, std::vector<std::string> fit) {
    const std::string others = part_of(fold, true), own = part_of(fold, false);
    fit.insert(fit.begin(), {"fit", "--ratings", others});
    fit.insert(fit.end(), {"--out", folder_.path("model"), "--force", "--quiet"});
    const auto fitted = mf(fit);
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    const auto judged = mf({"evaluate", "--model", folder_.path("model"), "--test", own, "--relevant", relevant_,
                            "--at", "5", "--quiet", "--out", folder_.path("figures.tsv")});
    EXPECT_EQ(judged.code, 0) << judged.err;
    std::map<std::string, std::string> figures;
    for (const auto& row : rows_of(folder_.read("figures.tsv"))) figures[row[1] + " " + row[2]] = row[3];
    return figures;
  }
  /// Each fold's figure of `metric` is that of a fit to the file of the others, to the last digit.
  void expect_folds_of_fits(std::vector<std::string> cv, std::vector<std::string> fit, const std::string& metric,
                            bool of_ratings = false) {
    cv.insert(cv.end(), {of_ratings ? "--relevant" : "--positive-from", relevant_, "--metric", metric, "--at", "5"});
    if (!of_ratings) fit.insert(fit.end(), {"--positive-from", "3"});
    const auto rows = rows_of(lists_table(cv, "cv-" + metric));
    ASSERT_EQ(rows.size(), 3U) << "a head, a point, popularity";
    for (std::uint16_t fold = 0; fold < 3; ++fold) {
      const auto figures = evaluated(fold, fit);
      const std::size_t column = rows[0].size() - 3 + fold;
      EXPECT_EQ(rows[0][column], "fold" + std::to_string(fold + 1) + "_" + metric);
      EXPECT_EQ(rows[1].at(column), figures.at("model " + metric)) << fold;
      EXPECT_EQ(rows[2].at(column), figures.at("popularity " + metric)) << fold;
    }
  }
};

TEST_F(MfCvLists, OfFactorsAreThoseOfFitsToTheOthersAndEvaluationsOfTheFold) {
  const std::vector<std::string> same = {"--feedback", "implicit", "--confidence", "linear", "--sweeps", "6"};
  auto cv = same, fit = same;
  cv.insert(cv.end(), {"--ranks", "3", "--lambdas", "0.02", "--alpha0s", "0.2", "--nus", "0.5"});
  fit.insert(fit.end(), {"--rank", "3", "--lambda", "0.02", "--alpha0", "0.2", "--nu", "0.5"});
  expect_folds_of_fits(cv, fit, "ndcg");
}

TEST_F(MfCvLists, OfItemWeightsAreThoseOfFitsToTheOthersAndEvaluationsOfTheFold) {
  expect_folds_of_fits({"--solver", "slim", "--l1s", "1.5", "--l2s", "4", "--item-power", "0.25"},
                       {"--solver", "slim", "--l1", "1.5", "--l2", "4", "--item-power", "0.25"}, "recall");
}

TEST_F(MfCvLists, OfRatingsAreThoseOfFitsToTheOthersAndEvaluationsOfTheFold) {
  expect_folds_of_fits({"--ranks", "3", "--lambdas", "0.1", "--sweeps", "6"},
                       {"--rank", "3", "--lambda", "0.1", "--sweeps", "6"}, "ndcg", true);
  // Rescaled features, and a unit that is not 1.
  auto in_cents = made_up_ratings(40, 30, 500);
  for (auto& rating : in_cents) rating.value *= 100;
  ratings_ = folder_.write("cents.csv", ratings_text(in_cents));
  relevant_ = "300";
  expect_folds_of_fits({"--ranks", "2", "--lambdas", "0.1", "--solver", "cd", "--early-stopping", "off"},
                       {"--rank", "2", "--lambda", "0.1", "--solver", "cd", "--early-stopping", "off"}, "recall", true);
}

TEST_F(MfCvLists, OfRatingsSayPopularityAndTheErrorsBesideAndAFitThatStopsByThem) {
  const auto ended =
      lists_cv({"--ranks", "2,3", "--lambdas", "0.1", "--metric", "recall", "--at", "5", "--relevant", "3"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("      rank    lambda      recall@5  +- error        ndcg@5   test RMSE    sweeps\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n          popularity "));
  EXPECT_THAT(ended.out, HasSubstr(" ratings, 2 points on 3 folds"));
  EXPECT_THAT(ended.out, HasSubstr(": recall@5 0."));
  EXPECT_THAT(ended.out, Not(HasSubstr("--relevant"))) << "mf fit has nothing to look at lists for";
}

TEST_F(MfCvLists, GiveTheSameTableOnThreadsAndProcesses) {
  const std::vector<std::vector<std::string>> kinds = {
      {"--feedback", "implicit", "--ranks", "2,3", "--sweeps", "4", "--stop-metric", "ndcg", "--stop-at", "5"},
      {"--ranks", "2,3", "--sweeps", "4", "--metric", "map", "--relevant", "3", "--stop-metric", "ndcg"},
      {"--solver", "slim", "--l1s", "0.5,1.5", "--l2s", "4"}};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto with = [&](const char* more) {
      auto arguments = kinds[k];
      arguments.emplace_back(more);
      return arguments;
    };
    const std::string name = std::to_string(k);
    const auto table = lists_table(with("--threads=1"), "one" + name);
    EXPECT_EQ(lists_table(with("--threads=2"), "two" + name), table);
    EXPECT_EQ(lists_table(with("--processes=2"), "processes" + name), table);
  }
}

TEST_F(MfCvLists, OfItemWeightsSayWhatWasRescaledForAllPairs) {
  const auto ended = lists_cv({"--solver", "slim", "--l1s", "0.5", "--l2s", "2,4"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\n          popularity "));
  EXPECT_THAT(ended.out, HasSubstr("rescaled l1 0.5 -> 1.125, l2 "));
  EXPECT_THAT(ended.out, HasSubstr("a fold's fit has 0.6667 of the pairs, and so 0.4444 of what l1 and l2 are weighed "
                                   "against\nnext     mf fit --ratings "));
  EXPECT_THAT(ended.out, HasSubstr(" --solver slim --l1 1.125 --l2 "));
  EXPECT_THAT(ended.out, HasSubstr("edge     the best l2 is the "));
}

/// So many pairs that the only worker has three turns in each fit.
TEST_F(MfCvLists, OfItemWeightsGoOnFromACheckpoint) {
  ratings_ = folder_.write("many.csv", ratings_text(made_up_ratings(600, 200, 63000)));
  const std::vector<std::string> cv = {"--solver", "slim", "--l1s",          "15,20",
                                       "--l2s",    "4",    "--schedulers=1", "--workers=1"};
  const auto whole = lists_table(cv, "whole");
  auto cut = cv;
  cut.insert(cut.end(), {"--max-rounds", "2", "--checkpoint-rounds", "1", "--quiet", "--out", folder_.path("cut")});
  const auto ended = lists_cv(cut);
  EXPECT_EQ(ended.code, 3) << ended.err;
  const auto again = mf({"cv", "--resume", folder_.path("cut"), "--max-rounds", "0", "--quiet"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(folder_.read("cut/cv.tsv"), whole);
}

TEST_F(MfCvLists, StopAFitWhereTheyAreBest) {
  const std::vector<std::string> fit = {"fit",    "--ratings",   ratings_,   "--feedback", "implicit",
                                        "--rank", "6",           "--lambda", "0.001",      "--validation",
                                        "0.2",    "--tolerance", "0"};
  const auto run = [&](std::vector<std::string> more, const std::string& to) {
    more.insert(more.begin(), fit.begin(), fit.end());
    more.insert(more.end(), {"--out", folder_.path(to)});
    const auto ended = mf(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  };
  const std::vector<std::string> stops = {"--stop-metric", "ndcg", "--stop-at", "5", "--patience", "3"};
  const auto out = run(stops, "stopped");
  EXPECT_THAT(out, HasSubstr("early stopping after "));
  EXPECT_THAT(out, HasSubstr("validation ndcg@5 0."));
  const auto summary = folder_.read("stopped/summary.json");
  // Of every sweep in the trace none is better than the one that was kept.
  const auto best = static_cast<std::size_t>(json_number(summary, "best_sweep"));
  const double lists = json_number(summary, "validation_lists");
  std::istringstream trace(folder_.read("stopped/trace.csv"));
  std::string line;
  std::size_t sweep = 0;
  for (std::getline(trace, line); std::getline(trace, line);) {
    const double of_sweep = std::stod(line.substr(line.rfind(',') + 1));
    if (++sweep == best) {
      EXPECT_NEAR(of_sweep, lists, 1e-12);
    } else {
      EXPECT_LE(of_sweep, lists + 1e-12) << sweep;
    }
  }
  EXPECT_EQ(sweep, best + 3);
  auto again = stops;
  again.emplace_back("--processes=2");
  run(again, "processes");
  EXPECT_EQ(json_field(folder_.read("processes/summary.json"), "model_hash"), json_field(summary, "model_hash"));
  again.back() = "--threads=2";
  run(again, "threads");
  EXPECT_EQ(json_field(folder_.read("threads/summary.json"), "model_hash"), json_field(summary, "model_hash"));
  // What the validation pairs are worth is what an evaluation says of them: the fit's other pairs are left out.
  std::string text = "user,item\n";
  RatingsInput input;
  input.path = ratings_;
  input.validation = 0.2;
  SerialChunks serial;
  const auto all = load_ratings(input, serial).value();
  std::string known = "user,item,rating\n";
  const auto add = [&](const Triplets& part, std::string& to, const char* value) {
    for (std::size_t t = 0; t < part.size(); ++t) {
      to += std::string(all->users->name(part.users[t])) + "," + std::string(all->items->name(part.items[t])) + value +
            "\n";
    }
  };
  add(all->validation, text, "");
  add(all->train, known, ",1");
  const auto judged =
      mf({"evaluate", "--model", folder_.path("stopped"), "--ratings", folder_.write("known.csv", known), "--test",
          folder_.write("validation.csv", text), "--at", "5", "--quiet", "--out", folder_.path("figures.tsv")});
  EXPECT_EQ(judged.code, 0) << judged.err;
  EXPECT_EQ(rows_of(folder_.read("figures.tsv")).at(4).at(2), "ndcg");
  EXPECT_NEAR(std::stod(rows_of(folder_.read("figures.tsv")).at(4).at(3)), lists, 1e-12);
}

/// Stopped fits of ratings: what the validation ratings are worth is what an evaluation of the written model says.
TEST_F(MfCvLists, StopAFitOfRatingsWhereTheyAreBest) {
  RatingsInput input;
  input.path = ratings_;
  input.validation = 0.2;
  SerialChunks serial;
  const auto all = load_ratings(input, serial).value();
  const auto file_of = [&](const Triplets& part, const char* name) {
    std::string text = "user,item,rating\n";
    for (std::size_t t = 0; t < part.size(); ++t) {
      const double value = double{part.codes.empty() ? part.values[t] : all->levels[part.codes[t]]};
      text += std::string(all->users->name(part.users[t])) + "," + std::string(all->items->name(part.items[t])) + "," +
              std::to_string(value) + "\n";
    }
    return folder_.write(name, text);
  };
  const std::string known = file_of(all->train, "known.csv"), held = file_of(all->validation, "held.csv");
  for (const std::string solver : {"sgd", "cd", "ccd"}) {
    std::vector<std::string> fit = {"fit",   "--ratings",          ratings_, "--solver",      solver, "--rank",
                                    "4",     "--lambda",           "0.01",   "--validation",  "0.2",  "--tolerance",
                                    "0",     "--sweeps",           "12",     "--stop-metric", "ndcg", "--stop-at",
                                    "5",     "--patience",         "3",      "--relevant",    "3",    "--force",
                                    "--out", folder_.path("model")};
    const auto ended = mf(fit);
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("validation ndcg@5 0."));
    EXPECT_THAT(ended.out, HasSubstr(", train RMSE 0."));
    const auto summary = folder_.read("model/summary.json");
    const auto judged = mf({"evaluate", "--model", folder_.path("model"), "--ratings", known, "--test", held,
                            "--relevant", "3", "--at", "5", "--quiet", "--out", folder_.path("figures.tsv")});
    ASSERT_EQ(judged.code, 0) << judged.err;
    const auto row = rows_of(folder_.read("figures.tsv")).at(4);
    EXPECT_EQ(row.at(2), "ndcg");
    EXPECT_NEAR(std::stod(row.at(3)), json_number(summary, "validation_lists"), 1e-12) << solver;
    fit.emplace_back("--processes=2");
    ASSERT_EQ(mf(fit).code, 0);
    EXPECT_EQ(json_field(folder_.read("model/summary.json"), "model_hash"), json_field(summary, "model_hash"))
        << solver;
  }
}

TEST_F(MfCvLists, AreRefusedWhereTheyHaveNoMeaning) {
  const auto refused = [&](std::vector<std::string> more, const std::string& why, int code = 2) {
    const auto ended = lists_cv(std::move(more));
    EXPECT_EQ(ended.code, code) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr(why));
  };
  refused({"--at", "5"}, "--at is for lists of items");
  refused({"--relevant", "4"}, "--relevant says which ratings lists of items should have, and nothing here looks at");
  refused({"--feedback", "implicit", "--relevant", "4"}, "--relevant is for ratings");
  refused({"--solver", "slim", "--metric", "rmse"}, "--metric rmse is for ratings; --solver slim has recall");
  refused({"--solver", "slim", "--stop-metric", "ndcg"}, "which --solver slim has none of");
  refused({"--metric", "recall", "--relevant", "9"}, "has no pair of at least 9 to be found", 4);
  refused({"--l1s", "1,2"}, "--l1s is for --solver slim");
  refused({"--solver", "slim", "--ranks", "4"}, "--ranks is for models of factors");
  refused({"--feedback", "implicit", "--alpha0", "0.1"}, "--alpha0: mf cv tries several: give --alpha0s");
  refused({"--stop-at", "5"}, "--stop-at goes with --stop-metric");
  refused({"--stop-metric", "ndcg", "--early-stopping", "off"}, "--early-stopping off with --stop-metric ndcg");
  refused({"--feedback", "implicit", "--positive-from", "9"}, "has no pair of at least 9 to be found", 4);
}

}  // namespace
}  // namespace strads::test
