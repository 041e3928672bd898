// `lasso cv` from the command line: files, the chosen lambda, the same bits on processes, folds from a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_data.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LassoCvCommand : public testing::Test {
 protected:
  LassoCvCommand() { folder_.write("x.csv", Table(80, 30).csv()); }
  Ended run(std::vector<std::string> arguments, const std::string& out) {
    arguments.insert(arguments.begin() + 1, {"--x", folder_.path("x.csv"), "--y-name", "y", "--lambdas", "12",
                                             "--lambda-min-ratio", "0.02", "--out", folder_.path(out)});
    return lasso(std::move(arguments));
  }
  std::string summary(const std::string& run) { return folder_.read(run + "/summary.json"); }
  Folder folder_;
};

TEST_F(LassoCvCommand, WritesTheCurveAndModelsThatPredict) {
  const auto ended = run({"cv", "--folds", "4"}, "cv");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto rows = rows_of(folder_.read("cv/cv.tsv"));
  ASSERT_GT(rows.size(), 4u);
  EXPECT_EQ(rows[0].size(), 12u);
  std::size_t least = 1;
  for (std::size_t k = 2; k < rows.size(); ++k) least = std::stod(rows[k][5]) < std::stod(rows[least][5]) ? k : least;
  EXPECT_THAT(rows[least][7], StartsWith("min"));
  EXPECT_THAT(folder_.read("cv/cv.svg"), StartsWith("<svg"));
  const auto predict = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", "--x", folder_.path("x.csv"), "--model", folder_.path("cv")});
    return lasso(more).out;
  };
  EXPECT_EQ(predict({}), predict({"--lambda-index", rows[least][0]}));
  EXPECT_NE(predict({}), predict({"--fold", "2", "--lambda-index", rows[least][0]}));
  EXPECT_NE(predict({"--lambda-1se"}), "");
}

TEST_F(LassoCvCommand, HasTheSameBitsOnProcessesAndWithTheFoldsThatItWrote) {
  ASSERT_EQ(run({"cv", "--folds", "3"}, "here").code, 0);
  ASSERT_EQ(run({"cv", "--folds", "3", "--processes=2"}, "there").code, 0);
  ASSERT_EQ(run({"cv", "--folds", folder_.path("here/folds.tsv")}, "again").code, 0);
  EXPECT_EQ(folder_.read("there/cv_paths.tsv"), folder_.read("here/cv_paths.tsv"));
  EXPECT_EQ(folder_.read("again/cv.tsv"), folder_.read("here/cv.tsv"));
  EXPECT_EQ(json_field(summary("there"), "path_hash"), json_field(summary("here"), "path_hash"));
}

TEST_F(LassoCvCommand, RefusesFoldsThatCannotBe) {
  EXPECT_EQ(run({"cv", "--folds", "1"}, "one").code, 2);
  EXPECT_EQ(run({"cv", "--folds", "81"}, "many").code, 2);
  const auto ended = run({"cv", "--folds", folder_.path("nowhere")}, "none");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace strads::test
