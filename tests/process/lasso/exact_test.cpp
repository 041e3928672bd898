// `lasso predict --lambda L --exact`: as a fit at that lambda, labelled; what is refused where the data are gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LassoExact : public testing::Test {
 protected:
  LassoExact() {
    Numbers noise(5);
    for (double& y : table_.y) y += 4 * noise.bell();
    folder_.write("x.csv", table_.csv());
    folder_.write("new.csv", table_.csv());
    std::string split = "name part\n";
    for (std::uint64_t i = 0; i < table_.rows; ++i)
      split += "s" + std::to_string(i) + (i % 3 == 2 ? " val\n" : " train\n");
    folder_.write("split", split);
  }
  Ended run(const std::vector<std::string>& arguments, const std::string& out) {
    return lasso(with({arguments[0], "--x", folder_.path("x.csv"), "--y-name", "y", "--tolerance", "1e-9", "--out",
                       folder_.path(out)},
                      {arguments.begin() + 1, arguments.end()}));
  }
  Ended predict(const std::string& model, const std::vector<std::string>& more) {
    return lasso(with({"predict", "--x", folder_.path("new.csv"), "--model", folder_.path(model)}, more));
  }
  /// A lambda in the middle of the third and fourth of the path.
  std::string between(const std::string& path) {
    const auto rows = rows_of(folder_.read(path + "/path.tsv"));
    return std::to_string(0.5 * (std::stod(rows[3][1]) + std::stod(rows[4][1])));
  }
  static double worst_difference(const std::string& one, const std::string& other) {
    const auto rows = rows_of(one), others = rows_of(other);
    EXPECT_EQ(rows.size(), others.size());
    double worst = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      worst = std::max(worst, std::abs(std::stod(rows[i].back()) - std::stod(others[i].back())));
    }
    return worst;
  }
  Table table_{90, 20};
  Folder folder_;
};

TEST_F(LassoExact, IsTheFitAtThatLambdaAndSaysSo) {
  ASSERT_EQ(run({"path", "--lambdas", "8", "--l1-ratio", "0.7"}, "path").code, 0);
  const std::string lambda = between("path");
  ASSERT_EQ(run({"fit", "--lambda", lambda, "--l1-ratio", "0.7"}, "fit").code, 0);
  const auto exact = predict("path", {"--lambda", lambda, "--exact"});
  ASSERT_EQ(exact.code, 0) << exact.err;
  EXPECT_THAT(exact.out, HasSubstr("\tprediction_exact\n"));
  EXPECT_THAT(exact.err, AllOf(HasSubstr("solved anew (exact), from lambda "), HasSubstr("gap / objective")));
  const auto fitted = predict("fit", {});
  EXPECT_LT(worst_difference(exact.out, fitted.out), 1e-3);
  const auto line = predict("path", {"--lambda", lambda});
  EXPECT_THAT(line.out, HasSubstr("\tprediction_interpolated\n"));
  EXPECT_GT(worst_difference(line.out, fitted.out), 10 * worst_difference(exact.out, fitted.out));
  const auto beyond = predict("path", {"--lambda", "1e-6", "--exact"});
  EXPECT_EQ(beyond.code, 0) << beyond.err;
  const auto last = rows_of(folder_.read("path/path.tsv")).back()[0];
  EXPECT_THAT(beyond.err, HasSubstr("from lambda " + last + " = "));
}

TEST_F(LassoExact, TakesTheOptionsAndPeopleOfACrossValidation) {
  ASSERT_EQ(run({"cv", "--lambdas", "8", "--folds", "3", "--l1-ratio", "1,0.2"}, "cv").code, 0);
  const auto rows = rows_of(folder_.read("cv/l1_ratios.tsv"));
  const std::string best = rows[rows[1][1] == "yes" ? 1 : 2][0], lambda = between("cv");
  ASSERT_EQ(run({"fit", "--lambda", lambda, "--l1-ratio", best}, "fit").code, 0);
  const auto exact = predict("cv", {"--lambda", lambda, "--exact"});
  ASSERT_EQ(exact.code, 0) << exact.err;
  EXPECT_LT(worst_difference(exact.out, predict("fit", {}).out), 1e-3);
}

TEST_F(LassoExact, TakesThePeopleWhoTrainedOfASplit) {
  ASSERT_EQ(
      run({"path", "--lambdas", "8", "--split", folder_.path("split"), "--split-name", "part", "--stop-after", "0"},
          "path")
          .code,
      0);
  const std::string index = "3", lambda = rows_of(folder_.read("path/path.tsv"))[3][1];
  const auto exact = predict("path", {"--lambda", lambda, "--exact"});
  ASSERT_EQ(exact.code, 0) << exact.err;
  EXPECT_LT(worst_difference(exact.out, predict("path", {"--lambda-index", index}).out), 1e-3);
}

TEST_F(LassoExact, WithoutTheTrainingDataOrWithOthersIsRefused) {
  ASSERT_EQ(run({"path", "--lambdas", "8"}, "path").code, 0);
  const std::string lambda = between("path");
  const auto refused = [&](int code, const std::string& reason) {
    const auto ended = predict("path", {"--lambda", lambda, "--exact", "--out", folder_.path("p.tsv")});
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(reason), HasSubstr("--exact solves anew with the data and options of")));
    EXPECT_FALSE(folder_.has("p.tsv"));
  };
  std::filesystem::remove(folder_.path("x.csv"));
  refused(4, "or leave --exact out");
  folder_.write("x.csv", Table(80, 20).csv());
  refused(4, "80 samples, the run had 90");
  folder_.write("x.csv", Table(90, 21).csv());
  refused(4, "21 variables, the run had 20");
  Table other = table_;
  for (double& y : other.y) y *= 2;
  folder_.write("x.csv", other.csv());
  refused(4, "the response has another norm");
  other = table_;
  for (double& x : other.x) x += 1;
  folder_.write("x.csv", other.csv());
  refused(4, "columns have other means");
  std::filesystem::remove(folder_.path("path/config.ini"));
  refused(4, "path/config.ini");
}

TEST_F(LassoExact, NeedsALambdaAndAPathOfAllSamples) {
  ASSERT_EQ(run({"fit", "--lambda-ratio", "0.2"}, "fit").code, 0);
  EXPECT_EQ(predict("fit", {"--exact"}).code, 2);
  EXPECT_EQ(predict("fit", {"--exact", "--lambda", "0.1"}).code, 2);
  EXPECT_EQ(predict("fit", {"--exact", "--lambda", "0.1", "--fold", "1"}).code, 2);
}

}  // namespace
}  // namespace strads::test
