// Names, colours and axes of pictures, and that no name lies on another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "regression/picture.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// What `pattern` captures, as numbers, wherever it is found.
std::vector<double> numbers_in(const std::string& svg, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<double> found;
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), regex); it != std::sregex_iterator(); ++it) {
    found.push_back(std::stod((*it)[1]));
  }
  return found;
}

TEST(Picture, NamesTheEndsOfLinesWithoutLayingOneOnAnother) {
  std::vector<LineEnd> ends;
  for (std::size_t k = 0; k < 16; ++k) ends.push_back({k < 12 ? 0.0 : 1.0, "curve " + std::to_string(k), k});
  Picture picture("title", "x", "y", {0, 1}, {0, 1}, margin_for(ends));
  picture.name_ends(ends);
  auto at = numbers_in(picture.svg(), "y=\"([0-9.]+)\" text-anchor=\"start\" fill");
  ASSERT_EQ(at.size(), ends.size());
  std::ranges::sort(at);
  for (std::size_t k = 1; k < at.size(); ++k) EXPECT_GE(at[k] - at[k - 1], 14.8) << k;
  EXPECT_GT(at.front(), 64) << "below the frame's upper edge";
  EXPECT_LT(at.back(), 480 - 56 + 4) << "above its lower edge";
}

TEST(Picture, LeavesNamesTheirPlaceRightOfTheFrame) {
  const std::vector<LineEnd> ends = {{0.5, "a name of 20 letters", 0}};
  Picture picture("title", "x", "y", {0, 1}, {0, 1}, margin_for(ends));
  picture.name_ends(ends);
  const auto at = numbers_in(picture.svg(), "x=\"([0-9.]+)\"[^>]*text-anchor=\"start\" fill");
  ASSERT_EQ(at.size(), 1U);
  EXPECT_LT(at[0] + 20 * 6.6, 760);
}

TEST(Picture, CutsLongNamesBetweenLetters) {
  std::string name;
  for (int k = 0; k < 40; ++k) name += "\xc3\xa9";
  const std::vector<LineEnd> ends = {{0.5, name, 0}};
  Picture picture("title", "x", "y", {0, 1}, {0, 1}, margin_for(ends));
  picture.name_ends(ends);
  EXPECT_THAT(picture.svg(), HasSubstr(">" + name.substr(0, 2 * (kNameLetters - 3)) + "...<"));
}

TEST(Picture, DrawsTheDotsOfALineInItsColour) {
  Picture picture("title", "x", "y", {0, 1}, {0, 1});
  const std::pair<double, double> points[] = {{0, 0}, {1, 1}};
  picture.line(points, 2);
  picture.dot(0, 0, 0.1, 2);
  EXPECT_THAT(picture.svg(), HasSubstr("stroke=\"#009e73\""));
  EXPECT_THAT(picture.svg(), HasSubstr("fill=\"#009e73\""));
  EXPECT_THAT(picture.svg(), Not(HasSubstr("#d55e00")));
}

TEST(Picture, SaysWhatItsUpperAxisCounts) {
  Picture picture("title", "x", "y", {0, 1}, {0, 1});
  picture.top(0.5, "17");
  picture.top_label(kNonzerosAxis);
  EXPECT_THAT(picture.svg(), HasSubstr(">nonzero coefficients</text>"));
}

}  // namespace
}  // namespace strads::lasso
