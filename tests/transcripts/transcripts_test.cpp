// Every story in this folder is a test. STRADS_REWRITE=1 in the environment writes what the stories show now into their
// files, to be reviewed as a diff. CONTRIBUTING.md, "Transcripts".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "support/transcript.hpp"
#include "support/transcript_player.hpp"

namespace strads::support {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::size_t kStoriesMin = 25;
constexpr std::size_t kProseCharactersMin = 100;  // what the story shows, and why it must be so

std::filesystem::path folder() {
  return std::filesystem::path(STRADS_SOURCE_DIR) / "tests" / "transcripts";
}

/// File names without their ends, in order.
std::vector<std::string> story_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path path_of(const std::string& name) {
  return folder() / (name + ".txt");
}

std::string file_text(const std::string& name) {
  std::ifstream file(path_of(name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool rewriting() {
  return std::getenv("STRADS_REWRITE") != nullptr;
}

class Transcripts : public testing::TestWithParam<std::string> {};

TEST_P(Transcripts, ShowWhatTheySay) {
  const std::string expected = file_text(GetParam());
  const auto story = read_story(GetParam() + ".txt", expected);
  ASSERT_TRUE(story.ok()) << story.status().message();
  const Story shown = played(story.value());
  EXPECT_THAT(errors_of(shown), IsEmpty()) << "commands that cannot be carried out";
  if (rewriting()) std::ofstream(path_of(GetParam())) << shown.text();
  EXPECT_EQ(difference(rewriting() ? shown.text() : expected, shown.text()), "")
      << "tests/transcripts/" << GetParam() << ".txt shows something else (-: written, +: now). If that is meant:\n"
      << "STRADS_REWRITE=1 build/release/bin/test_transcripts --gtest_filter='*/" << GetParam()
      << "' && git diff tests/transcripts";
}

INSTANTIATE_TEST_SUITE_P(Story, Transcripts, testing::ValuesIn(story_names()),
                         [](const auto& parameter) { return parameter.param; });

TEST(TranscriptFolder, HoldsAtLeastTwentyFiveStories) {
  EXPECT_GE(story_names().size(), kStoriesMin);
}

TEST(TranscriptFolder, TellsInEveryStoryWhatItShowsAndWhy) {
  for (const std::string& name : story_names()) {
    const auto story = read_story(name, file_text(name));
    ASSERT_TRUE(story.ok()) << story.status().message();
    std::size_t characters = 0;
    for (const std::string& line : story.value().prose) characters += line.size();
    EXPECT_GE(characters, kProseCharactersMin) << name << " needs a few lines of prose below its title";
    EXPECT_NE(story.value().title.find(' '), std::string::npos) << name << " has no sentence as its title";
  }
}

TEST(TranscriptFolder, HoldsNoStoryThatSaysNothingOfACommand) {
  for (const std::string& name : story_names()) {
    const auto story = read_story(name, file_text(name));
    ASSERT_TRUE(story.ok()) << story.status().message();
    for (const StoryStep& step : story.value().steps) {
      EXPECT_FALSE(step.expected.empty()) << name << ": " << step.commands.front();
    }
  }
}

// ---- the runner itself ----

constexpr const char* kStory =
    "# A title.\n"
    "# Prose of one line.\n"
    "\n"
    "cluster nodes=1 variables=2\n"
    "----\n"
    "node 0: scheduler 0 of [0 1], worker 0, coordinator\n"
    "\n"
    "# The scan.\n"
    "start\n"
    "----\n"
    "node 0\n"
    "  scan\n"
    "  coordinator <- Ready scheduler=0 summary=[0 1]\n";

Story story_of(const std::string& text) {
  auto story = read_story("story", text);
  EXPECT_TRUE(story.ok()) << story.status().message();
  return story.ok() ? std::move(story).value() : Story{};
}

std::string played_text(const std::string& text) {
  return played(story_of(text)).text();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(TranscriptRunner, ReadsTitleAndProse) {
  const Story story = story_of(kStory);
  EXPECT_EQ(story.title, "A title.");
  EXPECT_THAT(story.prose, ElementsAre("Prose of one line."));
}

TEST(TranscriptRunner, WritesAStoryAsItReadIt) {
  EXPECT_EQ(story_of(kStory).text(), kStory);
}

TEST(TranscriptRunner, LeavesAStoryThatHoldsAsItIs) {
  EXPECT_EQ(played_text(kStory), kStory);
}

TEST(TranscriptRunner, FindsALineThatIsWrong) {
  const std::string wrong = replaced(kStory, "summary=[0 1]", "summary=[0 2]");
  EXPECT_EQ(difference(wrong, played_text(wrong)),
            "  node 0\n"
            "    scan\n"
            "-   coordinator <- Ready scheduler=0 summary=[0 2]\n"
            "+   coordinator <- Ready scheduler=0 summary=[0 1]\n");
}

TEST(TranscriptRunner, FindsALineThatIsMissing) {
  const std::string wrong = replaced(kStory, "  scan\n", "");
  EXPECT_THAT(difference(wrong, played_text(wrong)), HasSubstr("+   scan\n"));
}

TEST(TranscriptRunner, FindsALineTooMany) {
  const std::string wrong = replaced(kStory, "  scan\n", "  scan\n  plan\n");
  EXPECT_THAT(difference(wrong, played_text(wrong)), HasSubstr("-   plan\n"));
}

TEST(TranscriptRunner, ShowsNoLinesFarFromADifference) {
  EXPECT_EQ(difference("1\n2\n3\n4\n5\n6\n7\n8\n9\nx\n", "y\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            "- 1\n+ y\n  2\n  3\n  ...\n  8\n  9\n- x\n");
}

TEST(TranscriptRunner, RefusesATextWithoutATitle) {
  const auto story = read_story("s.txt", "start\n----\n");
  ASSERT_FALSE(story.ok());
  EXPECT_THAT(story.status().message(), StartsWith("s.txt:1: expected a title"));
}

TEST(TranscriptRunner, RefusesCommandsWithoutExpectations) {
  const auto story = read_story("s.txt", "# A title.\n\nstart\n\nquiet\n----\n");
  ASSERT_FALSE(story.ok());
  EXPECT_THAT(story.status().message(), StartsWith("s.txt:4: commands without a line ----"));
}

TEST(TranscriptRunner, RefusesACommandThatStandsAmongExpectations) {
  const auto story = read_story("s.txt", "# A title.\n\nstart\n----\nquiet\n----\n");
  ASSERT_FALSE(story.ok());
  EXPECT_THAT(story.status().message(), StartsWith("s.txt:6: expected an empty line"));
}

std::vector<std::string> errors_after_start(const std::string& command) {
  return errors_of(played(story_of("# A title.\n\ncluster\nstart\n" + command + "\n----\n")));
}

TEST(TranscriptRunner, TellsCommandsThatCannotBeCarriedOut) {
  EXPECT_THAT(errors_after_start("show"), IsEmpty());
  for (const char* command : {"dance",
                              "deliver Commit",
                              "deliver Letter",
                              "deliver Ready color=1",
                              "deliver Ready 1",
                              "lose Commit",
                              "again Ready",
                              "release Ready",
                              "run push",
                              "resume push",
                              "pause dreams",
                              "show node 1",
                              "crash node 7",
                              "wait long",
                              "wait",
                              "show driver",
                              "forge worker 1 <- Assign",
                              "forge worker 0 <- Assign round=x",
                              "forge Assign",
                              "roster node 0 workers=0",
                              "settle slowly",
                              "phase rounds=2",
                              "cluster",
                              "show replicas"}) {
    EXPECT_THAT(errors_after_start(command), ElementsAre(StartsWith(std::string("error: ") + command))) << command;
  }
}

TEST(TranscriptRunner, TellsAClusterThatCannotBe) {
  for (const char* cluster : {"cluster depth=2", "cluster nodes=0", "cluster color=1", "cluster workers_on=[1]",
                              "cluster schedulers_on=[0 0]", "cluster nodes=x"}) {
    const Story story = played(story_of(std::string("# A title.\n\n") + cluster + "\n----\n"));
    EXPECT_THAT(errors_of(story), ElementsAre(StartsWith(std::string("error: ") + cluster))) << cluster;
  }
}

TEST(TranscriptText, LeavesDefaultsOut) {
  EXPECT_EQ(short_text(wire::Message(wire::Start{})), "Start");
  EXPECT_EQ(short_text(message_of("Assign", {{"round", "3"}, {"block", "[4 7]"}})),
            "Assign round=3 index=0 base=-1 block=[4 7]");
}

TEST(TranscriptText, ReadsWhatItWrites) {
  for (const char* payload : {"[1 2]", "[1:0.5 2:-1]", "[1 2 | 0.5]"}) {
    const auto message = message_of("Deltas", {{"deltas", payload}});
    EXPECT_EQ(short_text(message), std::string("Deltas round=0 index=0 deltas=") + payload);
  }
  EXPECT_EQ(short_text(message_of("Phase", {{"verdict", "stop"}})), "Phase phase=0 version=-1 verdict=stop");
  EXPECT_EQ(short_text(message_of("Phase", {{"verdict", "9"}})), "Phase phase=0 version=-1 verdict=9");
}

TEST(TranscriptText, NamesAMessageByWhatItIsAbout) {
  EXPECT_EQ(name_text(message_of("Assign", {{"round", "3"}, {"block", "[4 7]"}})), "Assign round=3 index=0");
}

TEST(TranscriptText, KeepsListsAndQuotesTogether) {
  EXPECT_THAT(words_of("a  b=[1 2] c=\"d e\""), ElementsAre("a", "b=[1 2]", "c=\"d e\""));
}

}  // namespace
}  // namespace strads::support
