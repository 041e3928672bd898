// The tree obeys the layer table of docs/ARCHITECTURE.md, and the check that says so can fail.
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

TEST(Layers, AreAsDocsArchitectureSays) {
  const auto result = run_script("check_layers.py", {STRADS_SOURCE_DIR});
  EXPECT_EQ(result.code, 0) << result.output;
}

/// A tree with the real table, a folder for each layer, empty public headers, and what a test puts in.
class SmallTree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "strads-layers-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    const fs::path real = STRADS_SOURCE_DIR;
    fs::create_directories(root_ / "docs");
    fs::copy_file(real / "docs/ARCHITECTURE.md", root_ / "docs/ARCHITECTURE.md");
    for (const auto& layer : fs::directory_iterator(real / "src")) {
      fs::create_directories(root_ / "src" / layer.path().filename());
    }
    fs::create_directories(root_ / "include/strads");
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void write_file(const std::string& path, const std::string& content) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }
  [[nodiscard]] ScriptResult check() const { return run_script("check_layers.py", {root_.string()}); }

  void expect_refused(const std::string& path, const std::string& content, const std::string& message) const {
    write_file(path, content);
    const auto result = check();
    EXPECT_EQ(result.code, 1) << "nobody noticed: " << content;
    EXPECT_THAT(result.output, HasSubstr(path));
    EXPECT_THAT(result.output, HasSubstr(message));
  }

 private:
  fs::path root_;
};

TEST_F(SmallTree, PassesAsItIs) {
  const auto result = check();
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST_F(SmallTree, MayNotIncludeUpwards) {
  expect_refused("src/wire/archive.hpp", "#include \"engine/rounds/node.hpp\"\n", "`wire` may not use `engine`");
}

TEST_F(SmallTree, MayNotIncludeUpwardsThroughAPublicHeader) {
  expect_refused("src/base/hash.cpp", "#include \"strads/engine/model.hpp\"\n", "`base` may not use `engine`");
}

TEST_F(SmallTree, MayNotReachFromAPublicHeaderIntoALayer) {
  expect_refused("include/strads/engine/model.hpp", "#include \"numerics/kernels/kernels.hpp\"\n",
                 "public headers only");
}

TEST_F(SmallTree, LetsTheDaemonSeeWhatAModelOffersForIt) {
  write_file("apps/stradsd/main.cpp", "#include \"lasso/lasso_node.hpp\"\n");
  const auto result = check();
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST_F(SmallTree, MayNotReachFromTheDaemonIntoAModel) {
  expect_refused("apps/stradsd/main.cpp", "#include \"lasso/model/lasso_model.hpp\"\n", "stradsd");
}

TEST_F(SmallTree, MayNotHoldALongPassageInTwoPrograms) {
  std::string passage;
  for (int i = 0; i < 12; ++i) passage += "  call(" + std::to_string(i) + ");\n";
  write_file("apps/lasso/commands/fit_command.cpp", "// one\n" + passage + "  own();\n");
  write_file("apps/lasso/commands/cv_command.cpp", passage + "  other();\n");
  write_file("apps/mf/commands/fit_command.cpp", passage + "\n  different();\n");
  EXPECT_EQ(check().code, 0) << "twelve lines are allowed";
  expect_refused("apps/mf/commands/cv_command.cpp", "// two\n" + passage + "\n    own();\n",
                 "13 lines that stand at apps/lasso");
}

TEST_F(SmallTree, MayNotUseAThirdPartyThatTheTableDoesNotName) {
  expect_refused("src/data/formats/load.cpp", "#include <boost/program_options.hpp>\n", "`data` may not include boost");
}

TEST_F(SmallTree, MayNotUseAThirdPartyThatNobodyKnows) {
  expect_refused("src/program/output/log.cpp", "#include <curl/curl.h>\n", "may not include <curl/curl.h>");
}

TEST_F(SmallTree, MayNotShowAThirdPartyInAPublicHeader) {
  expect_refused("include/strads/base/hash.hpp", "#include <xxhash.h>\n", "public headers may not include xxhash");
}

TEST_F(SmallTree, MayNotIncludeAClockInAPureLayer) {
  expect_refused("src/engine/rounds/node.cpp", "#include <chrono>\n", "`engine` is pure");
}

TEST_F(SmallTree, MayNotReadTheEnvironmentInAPureLayer) {
  expect_refused("src/numerics/kernels/kernels.cpp", "const char* simd = std::getenv(\"SIMD\");\n",
                 "`numerics` is pure");
}

TEST_F(SmallTree, MayUseThreadsWhereTheTableAllowsIt) {
  write_file("src/transport/thread_pool.cpp", "#include <thread>\nstd::thread worker;\n");
  const auto result = check();
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST_F(SmallTree, MayMentionAForbiddenWordInACommentOrAString) {
  write_file("src/engine/rounds/node.cpp", "// no std::thread here\nconst char* text = \"getenv(\";\n");
  const auto result = check();
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST_F(SmallTree, MayNotReachFromAProgramIntoALayer) {
  expect_refused("apps/lasso/main.cpp", "#include \"engine/rounds/node.hpp\"\n", "a program includes");
}

TEST_F(SmallTree, MayNotReachFromAProgramIntoAnother) {
  expect_refused("apps/lasso/main.cpp", "#include \"other/other.hpp\"\n", "a program includes");
}

TEST_F(SmallTree, MayNotReachFromARoomIntoOneAboveIt) {
  expect_refused("src/engine/planning/more.cpp", "#include \"engine/rounds/node.hpp\"\n",
                 "room `planning` may not use `rounds`");
}

TEST_F(SmallTree, MayNotReachUpwardsInsideAnyFolderOfSeveralRooms) {
  expect_refused("apps/lasso/solver/more.cpp", "#include \"lasso/model/lasso_model.hpp\"\n",
                 "room `solver` may not use `model`");
  expect_refused("apps/lasso/study/more.hpp", "#include \"lasso/report/output.hpp\"\n",
                 "room `study` may not use `report`");
  expect_refused("apps/mf/solvers/more.cpp", "#include \"mf/model/mf_model.hpp\"\n",
                 "room `solvers` may not use `model`");
  expect_refused("src/data/text/more.cpp", "#include \"data/files/zstd.hpp\"\n", "room `text` may not use `files`");
  expect_refused("src/numerics/kernels/more.cpp", "#include \"numerics/columns/covariates.hpp\"\n",
                 "room `kernels` may not use `columns`");
  expect_refused("src/program/files/more.cpp", "#include \"program/run/together.hpp\"\n",
                 "room `files` may not use `run`");
}

TEST_F(SmallTree, MayReachFromARoomIntoOneBelowIt) {
  write_file("src/engine/rounds/more.cpp", "#include \"engine/planning/sampler.hpp\"\n");
  EXPECT_EQ(check().code, 0) << check().output;
}

TEST_F(SmallTree, MayNotHaveARoomThatTheTableDoesNotName) {
  write_file("src/engine/attic/more.cpp", "");
  const auto result = check();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("does not say where in src/engine the room `attic` is"));
}

TEST_F(SmallTree, MayNotHaveALayerThatTheTableDoesNotName) {
  write_file("src/utilities/more.cpp", "");
  const auto result = check();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("disagree about the layer `utilities`"));
}

TEST_F(SmallTree, MayNotHaveAPublicHeaderOutsideOfTheLayers) {
  write_file("include/strads/more.hpp", "");
  const auto result = check();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("a folder for each layer"));
}

TEST_F(SmallTree, MayNotReadAClockWhereANodeComputes) {
  expect_refused("apps/lasso/policies/slice_search.cpp", "#include <chrono>\n", "lasso/policies is pure");
}

TEST_F(SmallTree, MayNotEndTheProcessWhereANodeComputes) {
  expect_refused("apps/mf/solvers/als.cpp", "void f() { std::exit(1); }\n", "mf/solvers is pure");
}

TEST_F(SmallTree, MayGuardWhatThreadsShareWhereANodeComputes) {
  write_file("apps/mf/solvers/als.cpp", "#include <mutex>\nstd::mutex mutex;\n");
  EXPECT_EQ(check().code, 0);
}

TEST_F(SmallTree, MayNotHaveAFileOfMoreThan500Lines) {
  write_file("tests/engine/long_test.cpp", std::string(500, '\n'));
  EXPECT_EQ(check().code, 0);
  expect_refused("tests/engine/long_test.cpp", std::string(501, '\n'), "501 lines, expected at most 500");
}

}  // namespace
}  // namespace strads::test
