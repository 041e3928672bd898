// No class is larger than scripts/check_classes.py allows, and that check can fail.
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

TEST(Classes, AreOfThisSizeOrListedWithAReason) {
  const auto result = run_script("check_classes.py", {STRADS_SOURCE_DIR});
  EXPECT_EQ(result.code, 0) << result.output;
}

std::string repeated(const std::string& one, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += one;
  return all;
}

class SmallClass : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "strads-classes-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    for (const char* folder : {"src", "apps", "include", "scripts"}) fs::create_directories(root_ / folder);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  /// With these members, and others that do not count.
  [[nodiscard]] ScriptResult check(const std::string& members) const {
    std::ofstream(root_ / "src/small.hpp")
        << "// class Other { int a, b; };\nclass Small final : public Base {\n public:\n  Small(int a, int b);\n  "
           "~Small();\n"
           "  struct Part { int inner; void f(); };\n  using Number = int;\n  static constexpr int kMost = 3;\n"
        << members << "};\n";
    return run_script("check_classes.py", {root_.string()});
  }
  void list(const std::string& row) const {
    std::ofstream(root_ / "scripts/large_classes.tsv") << "class\tfields\tfunctions\twhy\n" << row << "\n";
  }

  fs::path root_;
};

TEST_F(SmallClass, MayHaveTwentyFields) {
  EXPECT_EQ(check(repeated("  std::map<int, std::string> a = {};\n", 20)).code, 0);
  const auto result = check(repeated("  std::function<void(int, int)> a, b{};\n", 10) + "  int last;\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("src/small.hpp: Small: 21 fields and 0 functions, expected at most 20 and 25"));
}

TEST_F(SmallClass, MayHaveTwentyFiveFunctions) {
  EXPECT_EQ(check(repeated("  [[nodiscard]] int f(int a = 0) const { if (a) { return 1; } return 2; }\n", 25)).code, 0);
  const auto result = check(repeated("  virtual std::vector<int> f(int a, int b) = 0;\n", 26));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("0 fields and 26 functions"));
}

TEST_F(SmallClass, MayBeLargerWhereItIsListedButNotGrow) {
  list("Small\t21\t0\tplain record");
  EXPECT_EQ(check(repeated("  int a;\n", 21)).code, 0);
  EXPECT_THAT(check(repeated("  int a;\n", 22)).output, HasSubstr("expected at most 21 and 25"));
}

TEST_F(SmallClass, MayNotBeListedWhereItIsNotLarge) {
  list("Small\t21\t0\tplain record");
  EXPECT_THAT(check("  int a;\n").output, HasSubstr("Small is listed and is not large: take it out"));
  list("Small\t30\t0\tplain record");
  EXPECT_THAT(check(repeated("  int a;\n", 22)).output, HasSubstr("Small has 22 fields and 0 functions now: say so"));
}

}  // namespace
}  // namespace strads::test
