// What console blocks show is what their commands print: the check finds differences, and only those that count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "support/temporary_folder.hpp"
#include "tidy/run_script.hpp"

namespace strads::test {
namespace {

using ::testing::HasSubstr;

std::string console(const std::string& lines) {
  return "```console\n" + lines + "\n```\n";
}

class PrintedOutputs : public ::testing::Test {
 protected:
  ScriptResult check(const std::string& readme, const std::string& option = "") const {
    folder_.write("README.md", readme);
    std::vector<std::string> arguments = {folder_.path("."), folder_.path("README.md")};
    if (!option.empty()) arguments.insert(arguments.begin(), option);
    return run_script("check_outputs.py", arguments);
  }
  void expect_kept(const std::string& readme) const {
    const auto result = check(readme);
    EXPECT_EQ(result.code, 0) << result.output;
  }
  void expect_refused(const std::string& readme, const std::string& message) const {
    const auto result = check(readme);
    EXPECT_EQ(result.code, 1) << "nobody noticed: " << readme;
    EXPECT_THAT(result.output, HasSubstr(message));
  }
  TemporaryFolder folder_;
};

TEST_F(PrintedOutputs, AreComparedWordByWord) {
  expect_kept(console("$ echo 18 nonzeros\n18 nonzeros\n$ echo one \\\n    two\none two"));
  expect_refused(console("$ echo 18 nonzeros\n17 nonzeros"), "README.md:3: shown, but not printed there: 17 nonzeros");
  expect_refused(console("$ echo one; echo two\none"), "(nothing) where this was printed: two");
  expect_refused(console("$ echo one\none\ntwo"), "not printed there: two");
}

TEST_F(PrintedOutputs, OfErrorsAndExitCodesCountAsWell) {
  expect_kept(console("$ echo note >&2\nnote"));
  expect_refused(console("$ echo gone; exit 3\ngone"), "exit code 3");
}

TEST_F(PrintedOutputs, HaveOtherSecondsBytesAndRatesEachTime) {
  expect_kept(console("$ echo load 0.01 s, 6.6e+06 ratings/s, memory 10.5 MiB\nload 0.5 s, 1 ratings/s, memory 9 MiB"));
  expect_kept(console("$ echo '1.5 s  round 3'; echo done\ndone"));
  expect_refused(console("$ echo load 0.01 s\nload 0.01 minutes"), "load 0.01 minutes");
  // Computed, not measured.
  expect_refused(console("$ echo strads_sim took 1.5 s\nstrads_sim took 1.6 s"), "took 1.6 s");
}

TEST_F(PrintedOutputs, MayBeLeftOutWhereThreePointsStand) {
  expect_kept(console("$ seq 9\n1\n...\n5\n6\n..."));
  expect_refused(console("$ seq 9\n1\n5\n..."), "not printed there: 5");
  expect_refused(console("$ seq 9\n...\n6\n5\n..."), "not printed there: 5");
}

TEST_F(PrintedOutputs, OfBlocksThatCannotBeRunAreListedAndAgreeWithThoseAbove) {
  const std::string above = console("$ echo size 18\nsize 18");
  const std::string marked = "<!-- not run: it needs hosts; as above: size -->\n\n";
  const auto kept = check(above + marked + console("$ no-such-program\nsize 18\ntime whatever"));
  EXPECT_EQ(kept.code, 0) << kept.output;
  EXPECT_THAT(kept.output, HasSubstr("README.md:7: not run: it needs hosts"));
  expect_refused(above + marked + console("$ no-such-program\nsize 17"), "size 17");
}

TEST_F(PrintedOutputs, AreRewritten) {
  const std::string marked = "<!-- not run: hosts; as above: size -->\n";
  EXPECT_EQ(check("Text.\n" + console("$ echo size 18; echo two\nsize 17") + marked + console("$ no\nsize 17\nold") +
                      console("$ echo first: 1; echo last: 2\n...\nlast: 1") + "End.\n",
                  "--rewrite")
                .code,
            0);
  EXPECT_EQ(folder_.read("README.md"), "Text.\n" + console("$ echo size 18; echo two\nsize 18\ntwo") + marked +
                                           console("$ no\nsize 18\nold") +
                                           console("$ echo first: 1; echo last: 2\n...\nlast: 2") + "End.\n");
}

}  // namespace
}  // namespace strads::test
