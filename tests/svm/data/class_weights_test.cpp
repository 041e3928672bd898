#include "svm/data/class_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::svm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kNames{"a", "b=c", "d"};
const std::vector<std::uint64_t> kCounts{6, 3, 1};

TEST(ClassWeights, AreOneOfClassesThatAreNotNamed) {
  const auto weights = weights_of_classes({"d=2.5", "b=c=0.5"}, kNames, kCounts);
  ASSERT_TRUE(weights.ok()) << weights.status().message();
  EXPECT_THAT(weights.value(), ElementsAre(1, 0.5, 2.5)) << "the last = begins the weight";
}

TEST(ClassWeights, ThatAreBalancedAreThoseOfScikitLearn) {
  const auto weights = weights_of_classes({"balanced"}, kNames, kCounts);
  ASSERT_TRUE(weights.ok());
  EXPECT_THAT(weights.value(), ElementsAre(10.0 / 18, 10.0 / 9, 10.0 / 3));
}

TEST(ClassWeights, OfAClassThatIsNotThereAreRefused) {
  const auto weights = weights_of_classes({"e=2"}, kNames, kCounts);
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.status().code(), StatusCode::usage);
  EXPECT_THAT(weights.status().message(), HasSubstr("'e' is not there; the classes are a, b=c, d"));
  EXPECT_THAT(weights_of_classes({"a=2", "a=3"}, kNames, kCounts).status().message(), HasSubstr("'a' is named twice"));
}

TEST(ClassWeights, AreNumbersAboveZero) {
  EXPECT_TRUE(check_class_weights({"a=2", "b=1e-3"}).ok());
  EXPECT_TRUE(check_class_weights({"balanced"}).ok());
  for (const char* wrong : {"a", "a=", "=2", "a=-1", "a=0", "a=inf", "a=2x"}) {
    EXPECT_EQ(check_class_weights({wrong}).code(), StatusCode::usage) << wrong;
  }
}

}  // namespace
}  // namespace strads::svm
