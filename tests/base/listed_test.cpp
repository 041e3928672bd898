#include "strads/base/listed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

namespace strads {
namespace {

TEST(ListOfWords, HasCommasAndAnotherWordBeforeTheLast) {
  const std::array<std::string, 3> words = {"a", "b", "c"};
  EXPECT_EQ(listed(words, " and "), "a, b and c");
  EXPECT_EQ(listed(std::span(words).first(2), " or "), "a or b");
  EXPECT_EQ(listed(std::span(words).first(1), " or "), "a");
  EXPECT_EQ(listed({}, " or "), "");
}

}  // namespace
}  // namespace strads
