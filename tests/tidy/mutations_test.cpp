// Every planted bug of tests/mutations still applies, and the script that plants them sees which ones are alive.
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

TEST(Mutations, ApplyAndNameTestsThatExist) {
  const auto result = run_script("check_mutations.py", {"--apply"});
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_GT(std::distance(fs::directory_iterator(STRADS_SOURCE_DIR "/tests/mutations"), {}), 0);
}

/// A project whose only program ends with the number in a file, and what a test plants there.
class SmallProject : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "strads-mutations-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    write_file("CMakePresets.json", R"({"version": 3, "configurePresets": [{"name": "release", "generator": "Ninja",)"
                                    R"( "binaryDir": "${sourceDir}/build/release"}]})");
    write_file("CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.20)\nproject(small LANGUAGES NONE)\nadd_custom_target(small COMMAND "
               "${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/small ${CMAKE_BINARY_DIR}/bin/small)\n");
    write_file("small", "#!/bin/sh\nanswer=0\nexit $answer\n");
    fs::permissions(root_ / "small", fs::perms::owner_all);
    write_file("tests/small_test.cpp", "TEST(Small, IsRight) {}\n");
    ASSERT_EQ(std::system(("git init -q '" + root_.string() + "'").c_str()), 0);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void write_file(const std::string& path, const std::string& content) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }
  /// A plant that changes one line.
  void plant(const std::string& header, const std::string& from, const std::string& to) const {
    write_file("tests/mutations/bug.diff", header + "\n--- a/small\n+++ b/small\n@@ -1,3 +1,3 @@\n #!/bin/sh\n-" +
                                               from + "\n+" + to + "\n exit $answer\n");
  }
  [[nodiscard]] ScriptResult check(const std::string& mode) const {
    std::vector<std::string> arguments{"--root", root_.string()};
    if (!mode.empty()) arguments.push_back(mode);
    return run_script("check_mutations.py", arguments);
  }
  void expect_refused(const std::string& mode, const std::string& message) const {
    const auto result = check(mode);
    EXPECT_EQ(result.code, 1) << "nobody noticed: " << message;
    EXPECT_THAT(result.output, HasSubstr(message));
  }

  static constexpr const char* kHeader = "what: wrong\nbuilds: small\ndies: small --gtest_filter=Small.IsRight\n";

 private:
  fs::path root_;
};

TEST_F(SmallProject, ShowsThatAPlantDies) {
  plant(kHeader, "answer=0", "answer=1");
  const auto result = check("");
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("bug: dies of `small"));
}

TEST_F(SmallProject, FailsOnAPlantThatIsAlive) {
  plant(kHeader, "answer=0", "answer=00");
  expect_refused("", "bug: ALIVE");
}

TEST_F(SmallProject, FailsWhereTheTestFailsWithoutThePlant) {
  write_file("small", "#!/bin/sh\nanswer=2\nexit $answer\n");
  plant(kHeader, "answer=2", "answer=1");
  expect_refused("", "without a plant: `small --gtest_filter=Small.IsRight` fails");
}

TEST_F(SmallProject, FailsOnAPlantWithoutItsProgram) {
  plant("what: wrong\nbuilds: small\ndies: other\n", "answer=0", "answer=1");
  expect_refused("", "there is no program other");
}

TEST_F(SmallProject, LeavesTheTreeAsItIs) {
  plant(kHeader, "answer=0", "answer=1");
  EXPECT_EQ(check("").code, 0);
  EXPECT_EQ(check("--apply").code, 0) << "it is not planted here";
}

TEST_F(SmallProject, FailsOnAPlantThatDoesNotApply) {
  plant(kHeader, "answer=3", "answer=1");
  expect_refused("--apply", "bug: it does not apply any more");
}

TEST_F(SmallProject, FailsOnAPlantWhoseTestIsGone) {
  plant("what: wrong\nbuilds: small\ndies: small --gtest_filter=Small.IsGone\n", "answer=0", "answer=1");
  expect_refused("--apply", "no test is called Small.IsGone");
}

TEST_F(SmallProject, FailsOnAPlantThatNobodyLooksFor) {
  plant("what: wrong\nbuilds: small\n", "answer=0", "answer=1");
  expect_refused("--apply", "needs one `what:`, a `builds:` and a `dies:`");
}

}  // namespace
}  // namespace strads::test
