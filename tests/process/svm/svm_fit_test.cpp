// svm fit and svm predict, as people see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "process/run_svm.hpp"

namespace strads::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SvmFit : public SvmFixture {};

TEST_F(SvmFit, CertifiesTwoClassesAndWritesItsFiles) {
  const auto ended = fit("two.csv", {"--out", folder_.path("run")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("fitted   y on two.csv: 200 samples x 12 variables, classes a, b, loss hinge, cost 1"));
  EXPECT_THAT(ended.out, HasSubstr("quality  converged: objective "));
  EXPECT_THAT(ended.out, HasSubstr("<= tolerance 1e-06"));
  EXPECT_THAT(ended.err, HasSubstr("svm: note: response 'y': "));
  for (const char* file : {"config.ini", "coefficients.tsv", "model.bin", "trace.csv", "log.txt", "summary.json"}) {
    EXPECT_TRUE(folder_.has(std::string("run/") + file)) << file;
  }
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "program"), "\"svm fit\"");
  EXPECT_EQ(json_field(summary, "tolerance_met"), "true");
  EXPECT_LE(json_number(summary, "relative_gap"), 1e-6);
  EXPECT_GE(json_number(summary, "objective"), json_number(summary, "dual_objective"));
  EXPECT_GT(json_number(summary, "training_accuracy"), 0.7);
}

TEST_F(SvmFit, OfThreeClassesHasAPlaneForEach) {
  const auto summary = summary_of("three.csv", {"--loss", "squared_hinge"}, "run");
  EXPECT_GT(json_number(summary, "training_accuracy"), 0.5);
  const auto header = rows_of(folder_.read("run/coefficients.tsv")).front();
  EXPECT_THAT(header, ElementsAre("id", "coefficient_a", "coefficient_b", "coefficient_c", "column"));
}

TEST_F(SvmFit, PredictsWhatItsSummarySays) {
  for (const char* file : {"two.csv", "three.csv"}) {
    const auto summary = summary_of(file, {"--force"}, "run");
    const auto ended = svm({"predict", "--model", folder_.path("run"), "--x", folder_.path(file)});
    ASSERT_EQ(ended.code, 0) << ended.err;
    const auto rows = rows_of(ended.out), data = rows_of(folder_.read(file));
    ASSERT_EQ(rows.size(), 201U);
    double right = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::string line = data[i].back();  // no tab in it
      right += rows[i][1] == line.substr(line.rfind(',') + 1) ? 1 : 0;
    }
    EXPECT_NEAR(right / 200, json_number(summary, "training_accuracy"), 1e-12);
    EXPECT_THAT(ended.err, HasSubstr(" of the classes right"));
  }
}

TEST_F(SvmFit, HasDecisionsThatAreXTimesItsCoefficients) {
  const auto summary = summary_of("two.csv", {}, "run");
  const auto predicted = rows_of(svm({"predict", "--model", folder_.path("run"), "--x", folder_.path("two.csv")}).out);
  const auto coefficients = rows_of(folder_.read("run/coefficients.tsv"));
  std::istringstream lines(folder_.read("two.csv"));
  std::string line;
  std::getline(lines, line);
  for (std::size_t i = 1; std::getline(lines, line); ++i) {
    std::istringstream fields(line);
    double decision = json_number(summary, "offset");
    std::string field;
    for (std::size_t j = 1; j < coefficients.size() && std::getline(fields, field, ','); ++j) {
      decision += std::stod(coefficients[j][1]) * std::stod(field);
    }
    EXPECT_NEAR(std::stod(predicted[i][2]), decision, 1e-9);
  }
}

TEST_F(SvmFit, HasTheSameBitsWithAnyNumberOfThreads) {
  const auto one = hash_of("three.csv", {"--threads", "1", "--schedulers", "2", "--workers", "3"}, "one");
  EXPECT_EQ(hash_of("three.csv", {"--threads", "3", "--schedulers", "2", "--workers", "3"}, "three"), one);
}

TEST_F(SvmFit, OfOneClassIsRefused) {
  folder_.write("one.csv", "a,y\n1,u\n2,u\n");
  const auto ended = fit("one.csv", {});
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("all 2 samples are of class 'u', expected samples of two classes or more"));
}

TEST_F(SvmFit, ThatALimitEndsWritesWhatItFoundAndSaysSo) {
  const auto ended = fit("two.csv", {"--max-rounds", "1", "--tolerance", "0", "--out", folder_.path("run")});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"max_rounds\"");
  EXPECT_EQ(svm({"predict", "--model", folder_.path("run"), "--x", folder_.path("two.csv")}).code, 0);
}

TEST_F(SvmFit, OfLargeNumbersIsNoBugWhereRoundingIsLargerThanTheObjective) {
  // 40 samples in 300 dimensions are separated by weights of about 1e-6.
  std::istringstream lines(classes_csv(40, 300, 2));
  std::string line, large;
  for (bool is_header = true; std::getline(lines, line); is_header = false) {
    std::istringstream fields(line);
    std::string field;
    for (int j = 0; j < 300 && std::getline(fields, field, ','); ++j) {
      large += is_header ? field + "," : std::to_string(1e5 * std::stod(field)) + ",";
    }
    std::getline(fields, field);
    large += field + "\n";
  }
  folder_.write("large.csv", large);
  const auto ended = fit("large.csv", {"--out", folder_.path("run")});
  EXPECT_TRUE(ended.code == 0 || ended.code == 3) << ended.err;
  EXPECT_EQ(json_number(folder_.read("run/summary.json"), "training_accuracy"), 1);
}

TEST_F(SvmFit, LeavesAFinishedRunUnlessForced) {
  (void)summary_of("two.csv", {}, "run");
  EXPECT_EQ(fit("two.csv", {"--out", folder_.path("run")}).code, 2);
  EXPECT_EQ(fit("two.csv", {"--out", folder_.path("run"), "--force"}).code, 0);
}

TEST_F(SvmFit, SaysWhatMemoryItTakes) {
  const auto ended = fit("two.csv", {"--dry-run"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("200 samples x "));
  EXPECT_THAT(ended.out, HasSubstr("samples as rows"));
}

TEST_F(SvmFit, PutsMoreWeightOnAClassThatIsSaidTo) {
  const auto share_of_a = [&](const std::string& weights, const std::string& run) {
    (void)summary_of("two.csv", {"--class-weights", weights}, run);
    const auto rows = rows_of(svm({"predict", "--model", folder_.path(run), "--x", folder_.path("two.csv")}).out);
    double count = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) count += rows[i][1] == "a" ? 1 : 0;
    return count;
  };
  EXPECT_GT(share_of_a("a=10", "more"), share_of_a("b=10", "less") + 20);
}

TEST_F(SvmFit, MatchesVariablesByNameAndRefusesClassesItDoesNotKnow) {
  (void)summary_of("two.csv", {}, "run");
  std::istringstream lines(folder_.read("two.csv"));
  std::string line, turned;
  while (std::getline(lines, line)) {
    const auto comma = line.find(',');
    turned += line.substr(comma + 1) + "," + line.substr(0, comma) + "\n";
  }
  folder_.write("turned.csv", turned);
  const auto predict = [&](const std::string& file) {
    return svm({"predict", "--model", folder_.path("run"), "--x", folder_.path(file)});
  };
  EXPECT_EQ(predict("turned.csv").out, predict("two.csv").out);
  const auto other = predict("three.csv");
  EXPECT_EQ(other.code, 4) << other.err;
  EXPECT_THAT(other.err, HasSubstr("is 'c', expected one of the classes of the model: 'a', 'b'"));
}

}  // namespace
}  // namespace strads::test
