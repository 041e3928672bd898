// svm cv, as people see it: what it scores, chooses, refits and writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <thread>

#include "process/run_svm.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class SvmCv : public SvmFixture {
 protected:
  [[nodiscard]] std::vector<std::string> cv_command(const std::string& file,
                                                    const std::vector<std::string>& more) const {
    return svm_command(with({"cv", "--x", folder_.path(file), "--y-name", "y"}, more));
  }
  [[nodiscard]] Ended cv(const std::string& file, const std::vector<std::string>& more) const {
    const bool has_folds = std::ranges::find(more, "--folds") != more.end();
    return Process(cv_command(file, has_folds ? more : with({"--folds", "3"}, more))).wait();
  }
  /// Splits a table of samples by a fold's name: lines of the others, lines of the fold.
  void split(const std::string& file, const std::string& run, const std::string& fold) const {
    std::istringstream lines(folder_.read(file)), folds(folder_.read(run + "/folds.tsv"));
    std::string line, own, others, of_fold;
    for (bool is_header = true; std::getline(lines, line) && std::getline(folds, own); is_header = false) {
      if (is_header || own != fold) others += line + "\n";
      if (is_header || own == fold) of_fold += line + "\n";
    }
    folder_.write("others.csv", others);
    folder_.write("fold.csv", of_fold);
  }
  /// By row and column name of cv.tsv; rows from 1.
  [[nodiscard]] std::string cell(const std::string& run, std::size_t row, const std::string& column) const {
    const auto rows = rows_of(folder_.read(run + "/cv.tsv"));
    const auto found = std::find(rows[0].begin(), rows[0].end(), column);
    const auto at = static_cast<std::size_t>(found - rows[0].begin());
    return found == rows[0].end() || at >= rows[row].size() ? "none" : rows[row][at];
  }
};

TEST_F(SvmCv, WritesTheFitOfTheChosenCostAsSvmFitDoes) {
  for (const char* file : {"two.csv", "three.csv"}) {
    const auto ended = cv(file, {"--costs", "0.001,0.1,10", "--out", folder_.path("cv"), "--force"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("3 costs on 3 folds, loss hinge; every fit has ended"));
    EXPECT_THAT(ended.out, HasSubstr("refit    all samples, cost "));
    const auto summary = folder_.read("cv/summary.json");
    const auto refit = summary.substr(summary.find("\"refit\""));
    const auto fitted = summary_of(file, {"--cost", json_field(refit, "cost"), "--force"}, "fit");
    EXPECT_EQ(json_field(refit, "model_hash"), json_field(fitted, "model_hash"));
    for (const char* name : {"/coefficients.tsv", "/model.bin"}) {
      EXPECT_EQ(folder_.read(std::string("cv") + name), folder_.read(std::string("fit") + name)) << name;
    }
    EXPECT_EQ(svm({"predict", "--model", folder_.path("cv"), "--x", folder_.path(file)}).out,
              svm({"predict", "--model", folder_.path("fit"), "--x", folder_.path(file)}).out);
  }
}

TEST_F(SvmCv, CountsWhatAFitOfTheOthersTellsWrongOfAFold) {
  for (const char* file : {"two.csv", "three.csv"}) {
    const auto ended =
        cv(file, {"--costs", "0.02,3", "--class-weights", "balanced", "--out", folder_.path("cv"), "--force"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    split(file, "cv", "2");
    const auto fitted =
        summary_of("others.csv", {"--cost", "0.02", "--class-weights", "balanced", "--force"}, "others");
    const auto summary = folder_.read("cv/summary.json");
    const auto of_fold = summary.substr(summary.find("\"fits\""));
    const auto second = of_fold.substr(of_fold.find("\"fold\": \"2\""));
    EXPECT_EQ(json_field(second, "model_hash"), json_field(fitted, "model_hash"));
    const auto predicted =
        rows_of(svm({"predict", "--model", folder_.path("others"), "--x", folder_.path("fold.csv")}).out);
    const auto data = rows_of(folder_.read("fold.csv"));
    int wrong = 0;
    for (std::size_t i = 1; i < data.size(); ++i) {
      const std::string& line = data[i].back();
      wrong += predicted[i][1] == line.substr(line.rfind(',') + 1) ? 0 : 1;
    }
    EXPECT_GT(wrong, 0);
    EXPECT_EQ(cell("cv", 1, "fold_2_wrong"), std::to_string(wrong));
  }
}

TEST_F(SvmCv, DealsEveryClassToEachFold) {
  std::string table = "x,y\n";
  for (int i = 0; i < 40; ++i) table += std::to_string(i % 7) + "," + (i % 8 == 0 ? "rare" : "common") + "\n";
  folder_.write("rare.csv", table);
  ASSERT_EQ(cv("rare.csv", {"--costs", "1", "--folds", "5", "--out", folder_.path("cv")}).code, 0);
  for (const char* fold : {"1", "2", "3", "4", "5"}) {
    split("rare.csv", "cv", fold);
    const auto held_out = folder_.read("fold.csv");
    EXPECT_NE(held_out.find("rare"), std::string::npos);
    EXPECT_EQ(held_out.find("rare"), held_out.rfind("rare")) << held_out;
  }
}

TEST_F(SvmCv, GivesTheSameWithProcessesAndThreads) {
  const std::vector<std::string> options{"--costs", "0.01,1", "--schedulers", "2", "--workers", "2"};
  ASSERT_EQ(cv("three.csv", with(options, {"--threads", "1", "--out", folder_.path("one")})).code, 0);
  int run = 0;
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--threads", "3"}, std::vector<std::string>{"--processes", "2", "--threads", "1"}}) {
    const auto other = std::to_string(++run);
    const auto ended = cv("three.csv", with(options, with(how, {"--out", folder_.path(other)})));
    ASSERT_EQ(ended.code, 0) << ended.err;
    for (const char* name : {"/cv.tsv", "/folds.tsv", "/coefficients.tsv"}) {
      EXPECT_EQ(folder_.read(other + name), folder_.read(std::string("one") + name)) << other << name;
    }
  }
}

TEST_F(SvmCv, GoesOnAfterAKillWithTheBitsOfOneThatWasNot) {
  folder_.write("large.csv", classes_csv(1500, 30, 2));
  const std::vector<std::string> options{"--costs", "0.01,0.03,0.1,0.3,1,3", "--folds", "4", "--threads", "1",
                                         "--force"};
  ASSERT_EQ(cv("large.csv", with(options, {"--out", folder_.path("whole")})).code, 0);
  for (const std::vector<std::string>& where :
       {std::vector<std::string>{}, std::vector<std::string>{"--processes=2"}}) {
    const auto command = cv_command(
        "large.csv", with(options, with(where, {"--checkpoint-seconds", "0.001", "--out", folder_.path("run")})));
    double ended_before = 0;
    for (int later = 0; later < 20 && ended_before == 0; ++later) {  // until a run had ended when it was killed
      Process process(command);
      const auto second = folder_.path("run") + "/.checkpoint/checkpoint-1.bin";
      std::error_code none;
      for (int tries = 0; tries < 20000 && !std::filesystem::exists(second, none); ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20 * later));
      process.signal(SIGKILL);
      ASSERT_EQ(process.wait().code, 128 + SIGKILL) << "the run was over before it was killed";
      const auto resumed = Process(svm_command({"cv", "--resume", folder_.path("run")})).wait();
      ASSERT_EQ(resumed.code, 0) << resumed.err;
      EXPECT_THAT(resumed.err, HasSubstr("resumed after "));
      ended_before = json_number(folder_.read("run/summary.json"), "runs_ended_before");
      for (const char* name : {"/cv.tsv", "/coefficients.tsv"}) {
        EXPECT_EQ(folder_.read(std::string("run") + name), folder_.read(std::string("whole") + name)) << name;
      }
    }
    EXPECT_GT(ended_before, 0);
  }
}

TEST_F(SvmCv, SaysWhereTheGridEndsTooEarly) {
  const auto ended = cv("two.csv", {"--costs", "0.00001,0.0001", "--refit", "none", "--out", folder_.path("cv")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("edge     the best cost is the "));
  EXPECT_FALSE(folder_.has("cv/model.bin"));
  EXPECT_THAT(ended.out, Not(HasSubstr("refit")));
}

TEST_F(SvmCv, ChoosesByTheMeasureItIsToldAndByTheRuleOfOneStandardError) {
  const auto ended = cv("two.csv", {"--costs", "0.0001,0.001,0.01,0.1,1", "--measure", "auc", "--refit", "simplest",
                                    "--out", folder_.path("cv")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  std::size_t best = 1, simplest = 0;
  const auto area = [&](std::size_t row) { return std::stod(cell("cv", row, "auc")); };
  for (std::size_t row = 2; row <= 5; ++row) best = area(row) > area(best) ? row : best;
  for (std::size_t row = best; row > 0; --row) {
    if (area(row) >= area(best) - std::stod(cell("cv", best, "auc_se"))) simplest = row;
  }
  EXPECT_THAT(cell("cv", best, "choice"), HasSubstr("min"));
  EXPECT_THAT(cell("cv", simplest, "choice"), HasSubstr("1se"));
  const auto summary = folder_.read("cv/summary.json");
  EXPECT_EQ(json_number(summary.substr(summary.find("\"refit\"")), "cost"), std::stod(cell("cv", simplest, "cost")));
}

TEST_F(SvmCv, ThatALimitEndsSaysWhatItHas) {
  const auto ended =
      cv("two.csv", {"--costs", "1,2", "--policy", "paper", "--max-rounds", "1", "--out", folder_.path("cv")});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("6 fits ended above the tolerance, and count as they are: fold 1, cost 1: "));
  EXPECT_THAT(ended.out, HasSubstr("refit    all samples"));
}

TEST_F(SvmCv, SaysWhatItCannotDo) {
  EXPECT_THAT(cv("two.csv", {"--cost", "1"}).err, HasSubstr("svm cv tries several: give --costs C,C"));
  EXPECT_THAT(cv("two.csv", {"--costs", "1,1"}).err, HasSubstr("--costs: 1 is there twice"));
  EXPECT_THAT(cv("two.csv", {"--folds", "1"}).err, HasSubstr("--folds 1: expected a number from 2 on"));
  const auto areas = cv("three.csv", {"--measure", "auc"});
  EXPECT_EQ(areas.code, 4);
  EXPECT_THAT(areas.err, HasSubstr("there are 3 classes, expected two"));
  folder_.write("one.csv", "x,y\n1,u\n2,u\n3,u\n4,v\n");
  const auto alone = cv("one.csv", {});
  EXPECT_EQ(alone.code, 4) << alone.err;
  EXPECT_THAT(alone.err, HasSubstr("has all 1 samples of class 'v'"));
  const auto planned = cv("two.csv", {"--dry-run"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("samples as rows"));
}

}  // namespace
}  // namespace strads::test
