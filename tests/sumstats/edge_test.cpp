// The line that says that the grid was too narrow.
#include <gtest/gtest.h>

#include "sumstats/options/path_options.hpp"
#include "sumstats/problem/sumstats.hpp"
#include "sumstats/report/path_report.hpp"

namespace strads::sumstats {
namespace {

TEST(SummaryEdge, IsSaidOfTheChosenShrinkageAndLambdaWithWhatToTryNext) {
  const PathOptions options;  // a grid down to 0.1 lambda_max
  const Grid grid{.shrinks = {0.2, 0.5, 0.9, 1}, .lambdas = {0.3, 0.2, 0.1}};
  EXPECT_EQ(edge_of_grid(options, grid, 1),
            "the best s is the least that was tried: go on with --shrink 0.032,0.08,0.2");
  EXPECT_EQ(edge_of_grid(options, grid, 2),
            "the best s is the least that was tried: go on with --shrink 0.032,0.08,0.2; the best lambda is the least "
            "that was tried: go on with --lambda-min-ratio 0.01");
  EXPECT_EQ(edge_of_grid(options, grid, 4), "");
  EXPECT_EQ(edge_of_grid(options, grid, 5),
            "the best lambda is the least that was tried: go on with --lambda-min-ratio 0.01");
  EXPECT_EQ(edge_of_grid(options, grid, 10), "");  // beyond s = 1 there is nothing
}

TEST(SummaryEdge, OfLambdasThatWereGivenNamesLambdas) {
  PathOptions options;
  options.given = {0.4, 0.2, 0.1};
  const Grid grid{.shrinks = {0.5}, .lambdas = options.given};
  EXPECT_EQ(edge_of_grid(options, grid, 0),
            "the best lambda is the largest that was tried: go on with --lambda 0.4,0.8,1.6");
  EXPECT_EQ(edge_of_grid(options, grid, 1), "");
  EXPECT_EQ(edge_of_grid(options, grid, 2),
            "the best lambda is the least that was tried: go on with --lambda 0.025,0.05,0.1");
}

}  // namespace
}  // namespace strads::sumstats
