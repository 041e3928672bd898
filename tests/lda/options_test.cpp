// Options of `lda`: what is refused, what they mean, what the help shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lda/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lda {
namespace {

Status settled(const std::vector<std::string>& arguments, FitOptions& options) {
  OptionTable table = fit_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  return settle_fit_options(options, table);
}

std::string refusal(const std::vector<std::string>& arguments) {
  FitOptions options;
  const Status status = settled(arguments, options);
  EXPECT_EQ(status.code(), StatusCode::usage);
  return status.message();
}

TEST(OptionsOfLda, AreThoseOfTheModel) {
  FitOptions options;
  const std::vector<std::string> given = {"--corpus",    "f",         "--topics", "4",          "--alpha",
                                          "0.5",         "--sampler", "rotation", "--optimise", "on",
                                          "--documents", "columns",   "--format", "mtx"};
  ASSERT_TRUE(settled(given, options).ok());
  EXPECT_EQ(options.lda.alpha, std::vector<double>(4, 0.5));
  EXPECT_EQ(options.lda.sampler, Sampler::rotation);
  EXPECT_TRUE(options.lda.optimise);
  EXPECT_TRUE(options.corpus.input.columns);
  EXPECT_EQ(options.corpus.input.format, DocumentFormat::matrix_market);
}

TEST(OptionsOfLda, LeaveAlphaToTheModelWhereItIsNotGiven) {
  FitOptions options;
  ASSERT_TRUE(settled({"--corpus", "f"}, options).ok());
  EXPECT_TRUE(options.lda.alpha.empty());
  EXPECT_EQ(options.lda.topics, 100U);
}

TEST(OptionsOfLda, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_NE(refusal({}).find("give --corpus FILE"), std::string::npos);
  EXPECT_NE(refusal({"--corpus", "f", "--topics", "0"}).find("--topics"), std::string::npos);
  EXPECT_NE(refusal({"--corpus", "f", "--beta", "0"}).find("--beta"), std::string::npos);
  EXPECT_NE(refusal({"--corpus", "f", "--held-out", "1"}).find("--held-out"), std::string::npos);
  EXPECT_NE(refusal({"--corpus", "f", "--sampler", "gibbs"}).find("--sampler"), std::string::npos);
  EXPECT_NE(refusal({"--corpus", "f", "--max-share", "0"}).find("--max-share"), std::string::npos);
}

TEST(OptionsOfLda, HaveAHelpThatFitsOnAScreen) {
  visit_option_tables([](const OptionTable& table) {
    const std::string help = table.help();
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24) << help;
    std::size_t widest = 0, width = 0;
    for (const char c : help) widest = std::max(widest, width = c == '\n' ? 0 : width + 1);
    EXPECT_LE(widest, 100U) << help;
  });
}

}  // namespace
}  // namespace strads::lda
