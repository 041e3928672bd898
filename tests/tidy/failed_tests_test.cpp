// What CI shows last of tests that failed: the end of what each printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/temporary_folder.hpp"
#include "tidy/run_script.hpp"

namespace strads::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// As ctest 3.25 writes it to LastTest.log.
std::string logged_test(const std::string& name, const std::string& output, const std::string& verdict,
                        const std::string& command = "\"/bin/sh\"") {
  const std::string line(58, '-');
  return "1/9 Testing: " + name + "\n1/9 Test: " + name + "\nCommand: " + (command.empty() ? "\"\"" : command) +
         "\nDirectory: /tmp\n\"" + name + "\" start time: Nov 27 05:01 UTC\nOutput:\n" + line + "\n" + output +
         "<end of output>\nTest time =   0.01 sec\n" + line + "\nTest " + verdict + ".\n\"" + name +
         "\" end time: Nov 27 05:01 UTC\n" + line + "\n\n";
}

class FailedTests : public ::testing::Test {
 protected:
  std::string shown(const std::string& log) const {
    const auto result = run_script("failed_tests.py", {folder_.write("LastTest.log", log)});
    EXPECT_EQ(result.code, 0) << result.output;
    return result.output;
  }
  TemporaryFolder folder_;
};

TEST_F(FailedTests, AreShownWithTheirLastSixtyLines) {
  std::string lines;
  for (int i = 100; i < 200; ++i) lines += "line " + std::to_string(i) + "\n";
  const std::string text = shown(logged_test("good", "fine\n", "Passed") + logged_test("bad", lines, "Failed"));
  EXPECT_THAT(text, HasSubstr("---- bad printed at its end:\nline 140\n"));
  EXPECT_THAT(text, HasSubstr("line 199\n==== 1 failed: bad\n"));
  EXPECT_THAT(text, Not(HasSubstr("fine")));
}

TEST_F(FailedTests, ShareTheRoomThatIsLeft) {
  std::string log;
  for (const char* name : {"a", "b", "c"}) {
    std::string lines;
    for (int i = 0; i < 50; ++i) lines += std::string(400, *name) + "\n";
    log += logged_test(name, lines + "reason " + name + "\n", "Failed");
  }
  const std::string text = shown(log);
  EXPECT_LT(text.size(), 6500U);
  for (const char* reason : {"reason a\n", "reason b\n", "reason c\n"}) EXPECT_THAT(text, HasSubstr(reason));
}

TEST_F(FailedTests, ThatWereNotBegunOrDidNotEndCountToo) {
  const std::string cut = "1/9 Testing: cut\n1/9 Test: cut\nCommand: \"/bin/sh\"\nOutput:\n----\nso far\n";
  const std::string text = shown(logged_test("missing", "", "Passed", "") + cut);
  EXPECT_THAT(text, HasSubstr("missing printed at its end:\nits program is missing\n"));
  EXPECT_THAT(text, HasSubstr("so far\n"));
  EXPECT_THAT(text, HasSubstr("==== 2 failed: missing cut\n"));
}

TEST_F(FailedTests, AreNotSpokenOfWhereNoneIs) {
  EXPECT_EQ(shown(logged_test("good", "fine\n", "Passed")), "");
}

}  // namespace
}  // namespace strads::test
