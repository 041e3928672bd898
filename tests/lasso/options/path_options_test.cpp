// What `lasso path` makes of several traits, l1 ratios and a split.
#include "lasso/options/path_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Options of `lasso path --x x.csv` and these.
struct AskedOfPath {
  PathCommandOptions options;
  Status status;

  explicit AskedOfPath(const std::vector<std::string>& arguments) {
    OptionTable table = path_option_table(options);
    std::vector<std::string> all{"--x", "x.csv"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    status = table.parse(all);
    if (status.ok()) status = settle_path_options(options, table);
  }
};

TEST(PathOptions, ListTraitsAndL1RatiosInTheirOrder) {
  const AskedOfPath asked({"--y-name", "b,a", "--l1-ratio", "0.5,1"});
  ASSERT_TRUE(asked.status.ok()) << asked.status.message();
  EXPECT_THAT(asked.options.traits, ElementsAre("b", "a"));
  EXPECT_THAT(asked.options.l1_ratios, ElementsAre(0.5, 1));
  EXPECT_EQ(asked.options.fit.lasso.l1_ratio, 0.5);
}

TEST(PathOptions, CountAPathForEachTraitAndRatioAndARefitForEachOfASplit) {
  EXPECT_EQ(problem_count_of(AskedOfPath({}).options).problems, 1u);
  EXPECT_EQ(problem_count_of(AskedOfPath({}).options).at_once, 1u);
  const std::vector<std::string> several{"--y-name", "a,b,c", "--l1-ratio", "1,0.5", "--threads", "3"};
  const auto paths = problem_count_of(AskedOfPath(several).options);
  EXPECT_EQ(paths.problems, 6u);
  EXPECT_EQ(paths.refits, 0u);
  EXPECT_GT(paths.at_once, 1u);
  EXPECT_FALSE(paths.side_by_side);
  auto split = several;
  split.insert(split.end(), {"--split", "split"});
  const auto refitted = problem_count_of(AskedOfPath(split).options);
  EXPECT_EQ(refitted.problems, 12u);
  EXPECT_EQ(refitted.refits, 6u);
  split.insert(split.end(), {"--refit", "off"});
  EXPECT_EQ(problem_count_of(AskedOfPath(split).options).problems, 6u);
}

TEST(PathOptions, CountRidgeAmongTheRatios) {
  const auto none = problem_count_of(AskedOfPath({"--y-name", "a,b", "--l1-ratio", "1,0.5"}).options);
  EXPECT_EQ(none.ridge, 0u);
  const auto one = problem_count_of(AskedOfPath({"--y-name", "a,b", "--l1-ratio", "1,0"}).options);
  EXPECT_EQ(one.ridge, 2u);
  EXPECT_EQ(one.ridge_written, 2u);
}

TEST(PathOptions, TraceTheRoundsOfOnePathOnly) {
  EXPECT_TRUE(AskedOfPath({"--trace-rounds", "r"}).status.ok());
  for (const char* option : {"--y-name", "--l1-ratio"}) {
    const AskedOfPath asked({option, std::string(option) == "--y-name" ? "a,b" : "1,0.5", "--trace-rounds", "r"});
    EXPECT_EQ(asked.status.code(), StatusCode::usage);
    EXPECT_THAT(asked.status.message(), HasSubstr("--trace-rounds sees the rounds of one path"));
  }
}

}  // namespace
}  // namespace strads::lasso
