#include "strads/program/kept_data.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/standing_node.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;

/// Data whose life can be watched.
using Data = std::shared_ptr<const std::string>;

class KeptDataTest : public testing::Test {
 protected:
  KeptDataTest() {
    fs::create_directory(folder_);
    write("x", "first");
  }
  ~KeptDataTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(path(name)) << text; }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Another content, in the same place: as soon as the system's clock has gone on.
  void change(const std::string& name, const std::string& text) {
    const auto before = identities({path(name)});
    do write(name, text);
    while (identities({path(name)}) == before);
  }
  Data get(const std::string& key, std::vector<std::string> names = {"x"}) {
    for (auto& name : names) name = path(name);
    return kept_
        .get(key, names,
             [&]() -> Result<Data> {
               ++readings_;
               reads_while_held_ = reads_while_held_ || !last_.expired();
               std::ostringstream text;
               text << std::ifstream(names.front()).rdbuf();
               auto data = std::make_shared<const std::string>(text.str());
               last_ = data;
               return Data(data);
             })
        .value();
  }

  fs::path folder_ = fs::temp_directory_path() / ("strads-kept-" + std::to_string(::getpid()));
  std::vector<std::string> lines_;
  static constexpr std::int64_t kHour = 3'600'000'000'000;
  std::int64_t later_ = kHour;  ///< how long after it was written a file is read
  KeptData kept_{[this](const std::string& line) { lines_.push_back(line); },
                 [this] { return nanoseconds_since_1970() + later_; }};
  std::weak_ptr<const std::string> last_;
  int readings_ = 0;
  bool reads_while_held_ = false;
};

TEST_F(KeptDataTest, AreNotReadTwice) {
  const auto first = get("options");
  EXPECT_EQ(get("options"), first);
  EXPECT_EQ(readings_, 1);
  EXPECT_EQ(lines_, (std::vector<std::string>{"has read the data, and keeps them for the next run",
                                              "goes on with the data kept from an earlier run"}));
}

TEST_F(KeptDataTest, AreReadAnewWithOtherOptions) {
  (void)get("options");
  (void)get("others");
  EXPECT_EQ(readings_, 2);
  (void)get("options");
  EXPECT_EQ(readings_, 3) << "one data set is kept";
}

TEST_F(KeptDataTest, AreGivenBackBeforeOthersAreRead) {
  (void)get("options");
  EXPECT_FALSE(last_.expired());
  (void)get("others");
  EXPECT_FALSE(reads_while_held_);
}

TEST_F(KeptDataTest, AreReadAnewWhenAFileWasWritten) {
  (void)get("options");
  change("x", "other");  // of the same size
  EXPECT_EQ(*get("options"), "other");
}

TEST_F(KeptDataTest, AreReadAnewWhenAFileWasWrittenAndItsTimeSetBack) {
  const auto before = fs::last_write_time(path("x"));
  (void)get("options");
  change("x", "other");
  fs::last_write_time(path("x"), before);
  EXPECT_EQ(*get("options"), "other");
}

TEST_F(KeptDataTest, AreReadAnewWhenAnotherFileTookThePlace) {
  write("y", "other");
  fs::last_write_time(path("y"), fs::last_write_time(path("x")));
  (void)get("options");
  fs::rename(path("y"), path("x"));
  EXPECT_EQ(*get("options"), "other");
}

TEST_F(KeptDataTest, AreReadAnewWhenAnyOfTheirFilesHasChanged) {
  write("covariates", "1");
  (void)get("options", {"x", "covariates"});
  (void)get("options", {"x", "covariates"});
  EXPECT_EQ(readings_, 1);
  change("covariates", "2");
  (void)get("options", {"x", "covariates"});
  EXPECT_EQ(readings_, 2);
}

TEST_F(KeptDataTest, OfAFileThatWasWrittenJustNowAreNotKept) {
  later_ = 0;
  (void)get("options");
  (void)get("options");
  EXPECT_EQ(readings_, 2);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(KeptDataTest, OfAPipeAreNotKeptAndItsBytesAreLeftToTheReader) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(identities({path("pipe")}).has_value());
}

TEST_F(KeptDataTest, ThatChangedWhileTheyWereReadAreNotKept) {
  const auto read_and_change = [&]() -> Result<Data> {
    ++readings_;
    change("x", "other");
    auto data = std::make_shared<const std::string>("first");
    last_ = data;
    return Data(std::move(data));
  };
  (void)kept_.get(std::string("options"), {path("x")}, read_and_change);
  EXPECT_TRUE(lines_.empty()) << "nobody is told that they are kept";
  EXPECT_TRUE(last_.expired()) << "nor is their memory held";
  EXPECT_EQ(*get("options"), "other");
}

TEST_F(KeptDataTest, ThatCannotBeReadAreAskedForAgain) {
  const auto fail = [&]() -> Result<Data> { return Status::input("damaged"); };
  EXPECT_FALSE(kept_.get(std::string("options"), {path("x")}, fail).ok());
  EXPECT_EQ(*get("options"), "first");
}

TEST_F(KeptDataTest, OfAnotherModelAreOthers) {
  (void)get("options");
  const auto number = kept_.get(std::string("options"), {path("x")}, []() -> Result<int> { return 7; });
  EXPECT_EQ(number.value(), 7);
}

TEST_F(KeptDataTest, AreNotKeptByANodeThatLeaves) {
  KeptData nothing;
  const auto count = [&]() -> Result<int> { return ++readings_; };
  (void)nothing.get(std::string("options"), {path("x")}, count);
  (void)nothing.get(std::string("options"), {path("x")}, count);
  EXPECT_EQ(readings_, 2);
  EXPECT_FALSE(nothing.keeps());
}

TEST(JoinPauses, GrowToFiveSecondsAndBeginAnewAfterARun) {
  JoinPauses pauses;
  std::vector<double> taken;
  for (int k = 0; k < 6; ++k) taken.push_back(pauses.after_failure());
  EXPECT_EQ(taken, (std::vector<double>{0.5, 1, 2, 4, 5, 5}));
  EXPECT_EQ(pauses.after_run(), 0.5);
  EXPECT_EQ(pauses.after_failure(), 0.5);
}

}  // namespace
}  // namespace strads
