// `lasso predict` with models of the binomial family, made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "class_dataset.hpp"
#include "lasso/commands/predict_command.hpp"
#include "lasso/report/prediction_report.hpp"
#include "regression/model_file.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "support/temporary_folder.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

FittedModel a_model() {
  FittedModel model;
  model.response = "y";
  model.columns = 2;
  model.has_names = true;
  model.intercept = -1;
  model.variables = {{0, "a", "", "", "", "", 0.5, 0}, {1, "b", "", "", "", "", -2, 0}};
  model.family = kBinomial;
  model.classes = {"well", "ill"};
  return model;
}

class PredictClasses : public testing::Test {
 protected:
  /// `write`: puts the model where it is told.
  template <class Write>
  void make_run(const char* name, Write write) {
    auto run = RunDirectory::open(folder_.path("run"), false, {}).value();
    ASSERT_TRUE(write(run.path_of(name)).ok());
    run.note_file(name);
    ASSERT_TRUE(run.finish({}).ok());
  }
  void make_run(const FittedModel& model) {
    make_run("model.bin", [&](const std::string& path) { return write_model(path, model); });
  }
  Status predict(const std::vector<std::string>& more = {}) {
    folder_.write("x.csv", "a,b\n1,0\n4,1.5\n");
    std::vector<std::string> arguments{"--model", folder_.path("run"),   "--x",    folder_.path("x.csv"),
                                       "--out",   folder_.path("p.tsv"), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_predict(arguments);
  }
  test::TemporaryFolder folder_;
};

std::string both(double link) {
  return "\t" + exact_text(1 / (1 + std::exp(-link))) + "\t" + exact_text(link);
}

TEST_F(PredictClasses, GivesProbabilityAndLink) {
  make_run(a_model());
  const Status done = predict();
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(folder_.read("p.tsv"), "row\tprobability\tlink\n1" + both(-0.5) + "\n2" + both(-2) + "\n");
}

TEST_F(PredictClasses, GivesBothForEachLambdaOfAPath) {
  FittedPath path;
  path.shape = a_model();
  path.steps = {{2, 1, 0.25, {}, {}, {}}, {1, 0.5, -1, {}, {0, 1}, {0.5, -2}}};
  make_run("path.bin", [&](const std::string& name) { return write_path(name, path); });
  const Status done = predict();
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(folder_.read("p.tsv"), "row\tprobability_1\tlink_1\tprobability_2\tlink_2\n1" + both(0.25) + both(-0.5) +
                                       "\n2" + both(0.25) + both(-2) + "\n");
}

TEST_F(PredictClasses, NeedsOffsetsWhereTheModelHadThem) {
  FittedModel model = a_model();
  model.has_offset = true;
  make_run(model);
  const Status done = predict();
  EXPECT_EQ(done.code(), StatusCode::usage);
  EXPECT_THAT(done.message(), HasSubstr("the model was fitted with offsets, expected --offset FILE"));
}

TEST_F(PredictClasses, TakesNoOffsetsWhereTheModelHadNone) {
  make_run(a_model());
  const Status done = predict({"--offset", folder_.write("o.csv", "o\n1\n2\n")});
  EXPECT_EQ(done.code(), StatusCode::usage);
  EXPECT_THAT(done.message(), HasSubstr("the model was fitted without offsets"));
  EXPECT_THAT(predict({"--offset-name", "o"}).message(), HasSubstr("--offset-name needs --offset FILE"));
}

TEST_F(PredictClasses, IsLeastSquaresForOtherModels) {
  FittedModel model = a_model();
  model.family = kGaussian;
  model.classes = {};
  make_run(model);
  ASSERT_TRUE(predict().ok());
  EXPECT_EQ(folder_.read("p.tsv"), "row\tprediction\n1\t-0.5\n2\t-2\n");
}

/// Responses 1, 0, 1, 0, missing; the last row takes no part.
std::shared_ptr<const Dataset> five_responses() {
  Content content;
  content.columns = {{1, 2, 3, 4, 5, 6}};
  content.response = {1, 0, 1, 0, NAN, 0};
  content.dropped_rows = {5};
  return class_dataset(content);
}

TEST(ClassScores, AreOfSamplesWithAResponse) {
  const auto score = class_score_of(*five_responses(), std::vector<double>{2, -1, -0.5, -2, 9, 9});
  ASSERT_TRUE(score.has_value());
  EXPECT_EQ(score->samples, 4u);
  EXPECT_DOUBLE_EQ(score->area, 1);
  EXPECT_DOUBLE_EQ(score->right, 0.75);
  const double deviance =
      std::log1p(std::exp(-2)) + std::log1p(std::exp(-1)) + std::log1p(std::exp(0.5)) + std::log1p(std::exp(-2));
  EXPECT_NEAR(score->deviance, 2 * deviance / 4, 1e-14);
}

TEST(ClassScores, CallALinkOf0Class0) {
  const auto score = class_score_of(*five_responses(), std::vector<double>{0, -1, 1, -1, 9, 9});
  EXPECT_DOUBLE_EQ(score->right, 0.75);
}

TEST(ClassScores, OfEqualPredictionsHaveHalfTheArea) {
  EXPECT_DOUBLE_EQ(class_score_of(*five_responses(), std::vector<double>(6, 0.0))->area, 0.5);
}

TEST(ClassScores, OfSeveralPredictionsAreThoseOfTheLeastDeviance) {
  const auto data = five_responses();
  FittedModel model = a_model();
  model.variables.clear();
  const std::vector<std::string> names{"prediction_1", "prediction_2"};
  const std::vector<std::vector<double>> links{std::vector<double>(6, 0.0), {2, -1, -0.5, -2, 9, 9}};
  const Matching matching;
  const std::string text = what_was_predicted({model, matching, *data, names, links}, true);
  EXPECT_THAT(text, HasSubstr(", deviance at least " + short_text(class_score_of(*data, links[1])->deviance, 5) +
                              " a sample, AUC 1, 0.75 of the classes right against 'y' (probability_2, 4 samples)"));
}

TEST(ClassScores, HaveNoAreaOfOneClassAlone) {
  Content content;
  content.columns = {{1, 2}};
  content.response = {1, 1};
  const auto data = class_dataset(content);
  FittedModel model = a_model();
  model.variables.clear();
  const std::vector<std::string> names{"prediction"};
  const std::vector<std::vector<double>> links{{0, 0}};
  const Matching matching;
  EXPECT_THAT(what_was_predicted({model, matching, *data, names, links}, true),
              HasSubstr(", deviance 1.3863 a sample, 0 of the classes right against 'y' (2 samples)"));
}

}  // namespace
}  // namespace strads::lasso
