// Words that must not be in the tree: work left undone, and places that exist on one machine only.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace strads::test {
namespace {

namespace fs = std::filesystem;

/// Put together here, so that this file does not hold them.
std::vector<std::string> forbidden() {
  std::vector<std::string> words;
  for (const char* word : {"TO-DO", "FIX-ME", "/wo-rk/", "/ro-ot/", "/ho-me/"}) {
    std::string whole = word;
    whole.erase(whole.find('-'), 1);
    words.push_back(std::move(whole));
  }
  return words;
}

std::vector<fs::path> text_files(const fs::path& root) {
  std::vector<fs::path> files;
  for (const char* top : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json"}) {
    files.push_back(root / top);
  }
  for (const char* folder :
       {".ci", "apps", "bench", "cmake", "configs", "docs", "include", "packaging", "scripts", "src", "tests"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().string(), suffix = entry.path().extension();
      const bool data = path.find("/tests/datasets/") != std::string::npos;
      // What scripts/test_cluster has installed there is not of the tree.
      if (path.find("/node_modules/") != std::string::npos) continue;
      if (entry.is_regular_file() && suffix != ".pyc" && (!data || suffix == ".cpp" || suffix == ".md")) {
        files.push_back(entry.path());
      }
    }
  }
  return files;
}

/// First line of the file with a forbidden word, as "line: word"; empty if there is none.
std::string forbidden_in(const fs::path& file) {
  static const std::vector<std::string> words = forbidden();
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (const auto& word : words) {
      if (line.find(word) != std::string::npos) return std::to_string(number) + ": " + word;
    }
  }
  return {};
}

TEST(Words, OfUnfinishedWorkAndOfOneMachineAreNotInTheTree) {
  const auto files = text_files(STRADS_SOURCE_DIR);
  EXPECT_GT(files.size(), 100U) << "the tree was not found";
  for (const auto& file : files) EXPECT_EQ(forbidden_in(file), "") << file;
}

TEST(Words, AreFoundWhereTheyAre) {
  const fs::path file = fs::temp_directory_path() / "strads-words-test.txt";
  std::ofstream(file) << "fine\nnot fine: " << forbidden().front() << "\n";
  EXPECT_EQ(forbidden_in(file), "2: " + forbidden().front());
  fs::remove(file);
}

}  // namespace
}  // namespace strads::test
