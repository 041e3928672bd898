// What README.md and docs/ say is kept: links, named files, quoted code, command lines. And the check can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tidy/run_script.hpp"

namespace strads::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Documents, SayWhatTheTreeKeeps) {
  const auto result = run_script("check_documents.py", {STRADS_SOURCE_DIR, STRADS_BIN_DIR});
  EXPECT_EQ(result.code, 0) << result.output;
}

/// A tree with one source file and a README that a test writes.
class SmallDocument : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "strads-documents-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    fs::create_directories(root_ / "docs");
    fs::create_directories(root_ / "src");
    std::ofstream(root_ / "src/code.hpp") << "#pragma once\n\nint answer();\n";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  [[nodiscard]] ScriptResult check(const std::string& readme) const {
    std::ofstream(root_ / "README.md") << readme;
    return run_script("check_documents.py", {root_.string(), STRADS_BIN_DIR});
  }
  void expect_refused(const std::string& readme, const std::string& message) const {
    const auto result = check(readme);
    EXPECT_EQ(result.code, 1) << "nobody noticed: " << readme;
    EXPECT_THAT(result.output, HasSubstr(message));
  }

  fs::path root_;
};

TEST_F(SmallDocument, PassesWhenEverythingIsThere) {
  const auto result = check(
      "# Title\n[code](src/code.hpp), [up](#title), `src/code.hpp`\n```cpp\nint answer();\n```\n"
      "```sh\nlasso fit --x X.csv --y y.csv\n```\n");
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST_F(SmallDocument, FailsOnALinkToNowhere) {
  expect_refused("[gone](src/gone.hpp)\n", "no such file");
}

TEST_F(SmallDocument, FailsOnALinkOfTheResultsToNowhere) {
  fs::create_directories(root_ / "bench");
  std::ofstream(root_ / "bench/RESULTS.md") << "# Results\n\n[code](../src/code.hpp), [subject](#subject)\n";
  expect_refused("# Title\n", "bench/RESULTS.md:3: link to #subject: no such heading");
}

TEST_F(SmallDocument, FailsOnAnAnchorToNowhere) {
  expect_refused("# Title\n[gone](#other)\n", "no such heading");
}

TEST_F(SmallDocument, FailsOnANamedFileThatIsNotThere) {
  expect_refused("see `src/gone.cpp`\n", "does not exist");
}

TEST_F(SmallDocument, FailsOnACitedHeadingThatIsNotThere) {
  std::ofstream(root_ / "docs/DESIGN.md") << "# Design\n\n## Guard\n";
  EXPECT_EQ(check("see DESIGN.md, \"Guard\"\n").code, 0);
  // Over the end of a line, as comments do.
  std::ofstream(root_ / "src/code.hpp") << "// Formulas: docs/DESIGN.md,\n// \"Passes\".\n";
  expect_refused("# Title\n", "src/code.hpp: cites docs/DESIGN.md, \"Passes\": no such heading");
}

std::string sentence_of(int count) {
  std::string text = "Word";
  for (int k = 1; k < count; ++k) text += k % 10 == 0 ? "\nword" : " word";
  return text;
}

/// What says why something is done is read by people: one idea a sentence, 40 words of it at most.
TEST_F(SmallDocument, FailsOnALongSentenceOfTheDesign) {
  const auto design = [&](const std::string& text) {
    std::ofstream(root_ / "docs/DESIGN.md") << "# Design\n\n" << text << "\n";
    return check("# Title\n");
  };
  // One process for all that is short enough, and one for all that is not: starting Python takes longer than checking.
  std::string shorts =
      sentence_of(40) + ". `code` " + sentence_of(39) + ". [Link](DESIGN.md) " + sentence_of(39) + ".\n\n";
  for (const char* ends : {". ", ".) ", "? ", ".\n\n", ":\n\n    y = X b\n\n", ".\n- ", ":\n- ", ".\n### "}) {
    shorts += sentence_of(40) + ends + sentence_of(40) + ".\n\n";
  }
  const std::string cell = sentence_of(9) + " | ";
  const auto passed = design(shorts + "| " + cell + cell + cell + cell + sentence_of(9) + " |");
  EXPECT_EQ(passed.code, 0) << passed.output;
  const auto long_one = design("One.\n\nTwo. " + sentence_of(41) + ". " + sentence_of(3));
  EXPECT_EQ(long_one.code, 1);
  EXPECT_THAT(long_one.output, HasSubstr("docs/DESIGN.md:5: a sentence of 41 words, at most 40: Word word"));
  // Neither a bracket, an abbreviation nor a number ends one; nor does the end of a line.
  std::string longs = "- " + sentence_of(20) + "\n  " + sentence_of(21) + ".\n\n";  // an item of a list
  for (const char* goes_on : {", ", "; ", " (Word) ", " e.g. word ", " 1.5 "}) {
    longs += sentence_of(20) + goes_on + sentence_of(25) + ".\n\n";
  }
  const auto refused = design(longs);
  EXPECT_EQ(refused.code, 1);
  for (const char* line : {":3:", ":9:", ":14:", ":19:", ":24:", ":29:"}) {
    EXPECT_THAT(refused.output, HasSubstr("docs/DESIGN.md" + std::string(line) + " a sentence of"));
  }
  EXPECT_EQ(check("# Title\n\n" + sentence_of(99) + ".\n").code, 1) << "what was left";
  std::ofstream(root_ / "docs/DESIGN.md") << "# Design\n";
  EXPECT_EQ(check("# Title\n\n" + sentence_of(99) + ".\n").code, 0) << "only of that document";
}

TEST_F(SmallDocument, FailsOnQuotedCodeThatChanged) {
  expect_refused("`src/code.hpp`\n```cpp\nint question();\n```\n", "in no file that this document names");
}

TEST_F(SmallDocument, FailsOnCodeWithoutASource) {
  expect_refused("```cpp\nint answer();\n```\n", "in no file");
}

TEST_F(SmallDocument, FailsOnACommandLineThatIsNotUnderstood) {
  expect_refused("```sh\nlasso fit --x X.csv --lamda 0.1\n```\n", "--lamda");
}

TEST_F(SmallDocument, LooksAtConsoleBlocksAfterThePromptOnly) {
  expect_refused("```console\n$ build/release/bin/lasso fit --wrong\nlasso is output here\n```\n", "--wrong");
  EXPECT_EQ(check("```console\n$ lasso --version\nlasso fit --wrong\n```\n").code, 0);
}

}  // namespace
}  // namespace strads::test
