// Cross-validation: which ratings are in which fold, and that leaving one out is what reading two files is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "strads/data/ratings.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::ElementsAreArray;

/// User, item and value of each rating as text.
std::vector<std::string> named(const Triplets& part, const Ratings& ratings) {
  std::vector<std::string> all;
  for (std::size_t t = 0; t < part.size(); ++t) {
    const float value = ratings.levels.empty() ? part.values[t] : ratings.levels[part.codes[t]];
    const auto name = [](const IdTable& ids, std::uint32_t k) {
      return k < ids.size() ? std::string(ids.name(k)) : std::string("?");
    };
    all.push_back(name(*ratings.users, part.users[t]) + " " + name(*ratings.items, part.items[t]) + " " +
                  std::to_string(value));
  }
  return all;
}

std::vector<std::string> lines_of(int count, const std::string& value_end) {
  std::vector<std::string> lines;
  for (int t = 0; t < count; ++t) {
    const int user = t * 7 % 23, item = (t * t + 3 * t) % 101;
    lines.push_back("u" + std::to_string(user) + "," + std::to_string(item) + "," + std::to_string(t % 5 + 1) +
                    value_end);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(
      std::unique(lines.begin(), lines.end(),
                  [](const auto& a, const auto& b) { return a.substr(0, a.rfind(',')) == b.substr(0, b.rfind(',')); }),
      lines.end());
  // In an order in which not all names come first.
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

class Folds : public testing::Test {
 protected:
  std::shared_ptr<const Ratings> load(const RatingsInput& input) {
    auto ratings = load_ratings(input, chunks_);
    EXPECT_TRUE(ratings.ok()) << ratings.status().message();
    return ratings.value();
  }
  std::shared_ptr<const Ratings> load_lines(const std::vector<std::string>& lines) {
    return load({.path = folder_.write("all.csv", text_of(lines))});
  }
  test::TemporaryFolder folder_;
  SerialChunks chunks_;
};

TEST_F(Folds, GetAboutAsManyRatingsEach) {
  const auto all = load_lines(lines_of(2000, ""));
  const auto folds = draw_folds(*all, 4, 1, chunks_);
  for (std::uint16_t f = 0; f < 4; ++f) {
    EXPECT_NEAR(static_cast<double>(std::count(folds.begin(), folds.end(), f)), static_cast<double>(folds.size()) / 4,
                4 * std::sqrt(static_cast<double>(folds.size())));
  }
}

TEST_F(Folds, DependOnSeedAndPairAndNotOnTheOrderOfTheFile) {
  auto lines = lines_of(500, "");
  const auto by_name = [&](std::uint64_t seed) {
    const auto all = load_lines(lines);
    const auto folds = draw_folds(*all, 3, seed, chunks_);
    std::map<std::string, int> found;
    const auto names = named(all->train, *all);
    for (std::size_t t = 0; t < names.size(); ++t) found[names[t]] = folds[t];
    return found;
  };
  const auto before = by_name(1);
  EXPECT_NE(by_name(2), before);
  std::reverse(lines.begin(), lines.end());
  EXPECT_EQ(by_name(1), before);
}

/// Leaving a fold out gives what load_ratings() gives for two files written by hand: numbers, order, parts, range.
void expect_as_files(const std::vector<std::string>& lines, const std::shared_ptr<const Ratings>& all,
                     test::TemporaryFolder& folder, Chunks& chunks) {
  const auto folds = draw_folds(*all, 5, 3, chunks);
  ASSERT_EQ(folds.size(), lines.size());
  for (std::uint32_t f = 0; f < 5; ++f) {
    std::vector<std::string> others, own;
    for (std::size_t t = 0; t < lines.size(); ++t) (folds[t] == f ? own : others).push_back(lines[t]);
    const RatingsInput input{.path = folder.write("train.csv", text_of(others)),
                             .validation = 0.1,
                             .seed = 3,
                             .test_path = folder.write("test.csv", text_of(own))};
    const auto files = load_ratings(input, chunks);
    ASSERT_TRUE(files.ok()) << files.status().message();
    const Ratings& expected = *files.value();
    const auto left = leave_out(*all, folds, {.fold = f, .validation = 0.1, .seed = 3}, chunks);
    for (const auto part : {&Ratings::train, &Ratings::validation, &Ratings::test, &Ratings::strangers}) {
      EXPECT_EQ((*left.*part).users, (expected.*part).users) << "fold " << f;
      EXPECT_EQ((*left.*part).items, (expected.*part).items) << "fold " << f;
      EXPECT_THAT(named(*left.*part, *left), ElementsAreArray(named(expected.*part, expected)));
    }
    EXPECT_EQ(left->lowest, expected.lowest);
    EXPECT_EQ(left->highest, expected.highest);
    EXPECT_EQ(left->levels, expected.levels);
    EXPECT_EQ(left->test_unknown, expected.test_unknown);
    EXPECT_GT(left->validation.size(), 0U);
  }
}

TEST_F(Folds, LeftOutAreAsFilesWrittenByHand) {
  auto lines = lines_of(300, "");
  lines.push_back("alone,7,9.5");  // a stranger in one fold, and the highest value of the others
  expect_as_files(lines, load_lines(lines), folder_, chunks_);
}

TEST_F(Folds, LeftOutAreAsFilesWhenThereAreTooManyValuesForLevels) {
  std::vector<std::string> lines;
  for (int t = 0; t < 600; ++t) {
    lines.push_back("u" + std::to_string(t % 29) + ",i" + std::to_string(t / 29) + "," + std::to_string(t) + ".25");
  }
  const auto all = load_lines(lines);
  EXPECT_TRUE(all->levels.empty());
  expect_as_files(lines, all, folder_, chunks_);
}

TEST_F(Folds, KnowTheNamesOfTheirOwnIdsAlone) {
  const auto all = load_lines({"a,x,1", "b,x,2", "c,y,3"});
  const std::vector<std::uint16_t> folds = {1, 0, 1};
  const auto left = leave_out(*all, folds, {.fold = 1}, chunks_);
  EXPECT_EQ(left->users->size(), 1U);
  EXPECT_EQ(left->users->name(0), "b");
  EXPECT_EQ(left->users->find("b"), 0U);
  EXPECT_EQ(left->users->find("a"), 1U) << "of the other fold";
  EXPECT_EQ(left->users->find("nobody"), 1U);
  EXPECT_EQ(left->strangers.size(), 2U);
  EXPECT_NE(left->fingerprint, leave_out(*all, folds, {.fold = 0}, chunks_)->fingerprint);
}

}  // namespace
}  // namespace strads
