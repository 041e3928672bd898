// The model of a fit as files.
#include "svm/report/model_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.hpp"

namespace strads::svm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

lasso::FittedClassifier three_classes() {
  lasso::FittedClassifier classifier;
  classifier.classes = {"a", "b", "c\td"};
  classifier.shape.has_names = true;
  classifier.shape.columns = 9;
  classifier.shape.variables = {{2, "x", "", "", "", "", 0.0, 0.25}, {7, "z", "", "", "", "", 0.0, -1}};
  classifier.planes = {{1, {0.5, 0}}, {-1, {0, 2}}, {0, {-0.5, -2}}};
  return classifier;
}

TEST(SvmModelFiles, HaveACoefficientOfEachClass) {
  EXPECT_EQ(coefficients_table(three_classes()),
            "id\tcoefficient_a\tcoefficient_b\tcoefficient_c d\tcolumn\nx\t0.5\t0\t-0.5\t3\nz\t0\t2\t-2\t8\n");
}

TEST(SvmModelFiles, OfTwoClassesHaveOneCoefficient) {
  auto classifier = three_classes();
  classifier.classes.pop_back();
  classifier.planes.resize(1);
  classifier.shape.has_names = false;
  EXPECT_EQ(coefficients_table(classifier), "id\tcoefficient\tcolumn\n3\t0.5\t3\n8\t0\t8\n");
}

TEST(SvmModelFiles, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model.bin");
  const auto classifier = three_classes();
  ASSERT_TRUE(lasso::write_classifier(path, classifier).ok());
  const auto again = lasso::read_classifier(path);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again.value().classes, classifier.classes);
  EXPECT_EQ(again.value().planes[1].coefficients, classifier.planes[1].coefficients);
  EXPECT_EQ(again.value().planes[1].offset, -1);
  EXPECT_EQ(again.value().shape.variables[0].mean, 0.25);
  const auto model = again.value().at(2);
  EXPECT_EQ(model.intercept, 0);
  EXPECT_EQ(model.variables[1].coefficient, -2);
}

TEST(SvmModelFiles, ThatAreDamagedOrOfAnotherProgramAreRefused) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model.bin");
  auto classifier = three_classes();
  classifier.planes.pop_back();
  ASSERT_TRUE(lasso::write_classifier(path, classifier).ok());
  EXPECT_THAT(lasso::read_classifier(path).status().message(), HasSubstr("does not fit together"));
  ASSERT_TRUE(lasso::write_model(path, three_classes().shape).ok());
  EXPECT_EQ(lasso::read_classifier(path).status().code(), StatusCode::input) << "a model of the Lasso";
  ASSERT_TRUE(lasso::write_classifier(path, three_classes()).ok());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(60);
  file.put('!');
  file.close();
  EXPECT_EQ(lasso::read_classifier(path).status().code(), StatusCode::input);
}

TEST(SvmClassOf, IsTheLargestDecisionAndOfTwoClassesTheSign) {
  auto classifier = three_classes();
  EXPECT_EQ(lasso::class_of(classifier, {-1, 2, 2}), 1U) << "of equal ones the first";
  EXPECT_EQ(lasso::class_of(classifier, {-3, -4, -2}), 2U);
  classifier.classes.pop_back();
  EXPECT_EQ(lasso::class_of(classifier, {0.1}), 1U);
  EXPECT_EQ(lasso::class_of(classifier, {0}), 0U) << "as LIBLINEAR and scikit-learn have it";
}

}  // namespace
}  // namespace strads::svm
