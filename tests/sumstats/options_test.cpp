// The options of `lasso path --sumstats` and `lasso fit --sumstats`: what a fit is, and what is refused in which words.
#include "sumstats/options/path_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "sumstats/load/summary_load.hpp"

namespace strads::sumstats {
namespace {

Status settled(PathOptions& options, const std::vector<std::string>& more) {
  OptionTable table = option_table_of(options);
  if (Status parsed = table.parse(more); !parsed.ok()) return parsed;
  return settle_path_options(options, table);
}

/// With files that are named, not opened.
std::string refusal_with(bool single, std::vector<std::string> more) {
  PathOptions options;
  options.single = single;
  more.insert(more.end(), {"--sumstats", "study.tsv", "--bfile", "panel"});
  return settled(options, more).message();
}

TEST(SummaryOptions, OfAFitAreAPathOfOneLambdaAndOneShrinkage) {
  PathOptions options;
  options.single = true;
  ASSERT_TRUE(settled(options, {"--sumstats", "study.tsv", "--bfile", "panel"}).ok());
  Grid grid = grid_of(options, 0.5);
  EXPECT_EQ(grid.shrinks, std::vector<double>{0.5});
  EXPECT_EQ(grid.lambdas, std::vector<double>{0.1 * 0.5});
  PathOptions given;
  given.single = true;
  ASSERT_TRUE(
      settled(given, {"--sumstats", "study.tsv", "--bfile", "panel", "--lambda", "0.3", "--shrink", "0.9"}).ok());
  grid = grid_of(given, 0.5);
  EXPECT_EQ(grid.shrinks, std::vector<double>{0.9});
  EXPECT_EQ(grid.lambdas, std::vector<double>{0.3});
  EXPECT_STREQ(command_of(given), "lasso fit --sumstats");
}

TEST(SummaryOptions, ThatCannotBeAreRefusedWithWhatToDo) {
  const std::string no_shrinkage =
      "--shrink 0: without shrinkage the problem may have no minimum, and no certificate without the study's "
      "phenotypes; "
      "give s above 0, as 0.1; with genotypes and phenotypes of the study itself use lasso path --pheno";
  EXPECT_EQ(refusal_with(false, {"--shrink", "0,0.5"}), no_shrinkage);
  EXPECT_EQ(refusal_with(true, {"--shrink", "0"}), no_shrinkage);
  EXPECT_EQ(refusal_with(true, {"--shrink", "0.5,1"}),
            "--shrink: 2 shrinkages, expected one; lasso path --sumstats takes several");
  EXPECT_EQ(refusal_with(false, {"--cases", "10"}), "--cases and --controls go together: give both");
  EXPECT_EQ(refusal_with(false, {"--n", "10", "--cases", "5", "--controls", "5"}),
            "--n and --cases with --controls: give one of the two");
  EXPECT_EQ(refusal_with(false, {"--pheno", "traits.tsv"}),
            "--pheno, --pheno-name and --validate-keep are of people who choose s and lambda: give --validate-bfile "
            "PREFIX");
  EXPECT_EQ(
      refusal_with(false, {"--pfile", "other"}),
      "no panel, or several: give one of --bfile PREFIX, --pfile PREFIX and --bpfile PREFIX, the genotypes of some "
      "hundred people of the study's ancestry");
  // Nobody chooses in a fit, and it has no grid.
  EXPECT_NE(refusal_with(true, {"--validate-bfile", "people"}).find("--validate-bfile"), std::string::npos);
  EXPECT_NE(refusal_with(true, {"--lambdas", "5"}).find("--lambdas"), std::string::npos);
  EXPECT_FALSE(refusal_with(true, {"--lambda", "0.1", "--lambda-ratio", "0.1"}).empty());
}

TEST(SummaryOptions, OfACrossValidationAreRefusedWithWhatChoosesInstead) {
  const Status refused = no_folds();
  EXPECT_EQ(refused.code(), StatusCode::usage);
  for (const char* const words : {"lasso path --sumstats", "--validate-bfile", "pseudo-validation"}) {
    EXPECT_NE(refused.message().find(words), std::string::npos) << refused.message();
  }
}

TEST(SummaryOptions, AreHelpedInOneScreen) {
  for (const bool single : {false, true}) {
    PathOptions options;
    options.single = single;
    const std::string help = option_table_of(options).help();
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

}  // namespace
}  // namespace strads::sumstats
