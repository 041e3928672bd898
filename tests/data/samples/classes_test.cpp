// A response of two classes or more, as load_dataset reads it.
#include "data/samples/classes.hpp"

#include <cmath>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ClassesOfX : public ::testing::Test {
 protected:
  ClassesOfX() { options.response.any_classes = true; }

  // A table of X whose last column is the response: one word a row.
  void y(const std::vector<std::string>& fields) {
    std::string text = "id,a,y\n";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      text.append("s").append(number).append(",").append(number).append(",").append(fields[i]).append("\n");
    }
    options.source.x = folder.write("x.csv", text);
    options.response.y_name = "y";
    options.samples.id_column = "id";
  }
  std::string refusal() {
    const auto loaded = load_dataset(options);
    EXPECT_FALSE(loaded.ok());
    return loaded.ok() ? "" : loaded.status().message();
  }

  TempFolder folder;
  InputOptions options;
};

TEST_F(ClassesOfX, AreWholeNumbersInTheirOrder) {
  y({"20", "-1", "NA", "3", "20.0", "-0"});
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{3, 0, 2, 3, 1}));
  EXPECT_THAT(set->class_names(), ElementsAre("-1", "0", "3", "20"));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 no response"}));
  EXPECT_THAT(set->warnings(), ElementsAre("response 'y': 1 of class -1, 1 of class 0, 1 of class 3, 2 of class 20"));
}

TEST_F(ClassesOfX, AreWordsInAlphabeticalOrder) {
  y({"virginica", "Setosa", "versicolor", "", "Setosa"});
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{2, 0, 1, 0}));
  EXPECT_THAT(set->class_names(), ElementsAre("Setosa", "versicolor", "virginica"));
}

TEST_F(ClassesOfX, AreCountedWhereThereAreMany) {
  y({"1", "2", "3", "4", "5", "6", "6"});
  EXPECT_THAT(load(options)->warnings(), ElementsAre("response 'y': 6 classes of 1 to 2 samples"));
}

TEST_F(ClassesOfX, AreTwoOrMore) {
  y({"a", "a"});
  EXPECT_THAT(refusal(), HasSubstr("response 'y': all 2 samples are of class 'a', expected samples of two classes"));
}

TEST_F(ClassesOfX, AreNoNumbersThatAreNotWhole) {
  y({"1", "2.5", "3"});
  EXPECT_THAT(refusal(), HasSubstr("response 'y' of sample 's2' is 2.5, expected a class: a whole number or a word"));
}

TEST_F(ClassesOfX, AreWordsAloneOrNumbersAlone) {
  y({"a", "2", "b"});
  EXPECT_THAT(refusal(), HasSubstr("response 'y' of sample 's2' is '2', expected a word as others have it"));
}

TEST_F(ClassesOfX, AreNotAsManyAsIdsAre) {
  std::vector<std::string> fields;
  for (int i = 0; i < 1001; ++i) fields.push_back(std::to_string(i));
  y(fields);
  EXPECT_THAT(refusal(), HasSubstr("1001 different values, expected at most 1000 classes; is this the right column?"));
}

TEST_F(ClassesOfX, AreThoseOfTheModelWherePredicted) {
  options.response.required = false;
  options.response.class_names = {"a", "b", "c"};
  y({"c", "NA", "c"});
  const auto set = load(options);
  EXPECT_EQ(set->response()[0], 2);
  EXPECT_TRUE(std::isnan(set->response()[1]));
  EXPECT_THAT(set->warnings(), IsEmpty());
  y({"c", "d"});
  EXPECT_THAT(refusal(), HasSubstr("is 'd', expected one of the classes of the model: 'a', 'b', 'c'"));
}

TEST_F(ClassesOfX, OfLibsvmAreItsLabels) {
  options.source.x = folder.write("x.svm", "+1 1:2\n-1 2:1\n2 1:1\n");
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 0, 2}));
  EXPECT_THAT(set->class_names(), ElementsAre("-1", "1", "2"));
}

}  // namespace
}  // namespace strads::data
