#include "wire/print.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Print, ShowsEveryFieldInOneLine) {
  const Assign assign{.round = 4,
                      .index = 1,
                      .worker = 2,
                      .base = -1,
                      .kind = 0,
                      .sweeps = 3,
                      .tolerance = 1e-9,
                      .block = {{7, 9}, {0.1, -2}}};
  EXPECT_EQ(
      to_text(assign),
      "Assign round=4 index=1 worker=2 base=-1 kind=0 sweeps=3 tolerance=1e-09 block.ids=[7 9] block.values=[0.1 -2]");
}

TEST(Print, ShortensArraysOfMoreThanEight) {
  Start start{.problem = {{1, 2, 3, 4, 5, 6, 7, 8}, {}}};
  EXPECT_EQ(to_text(start), "Start problem.ids=[1 2 3 4 5 6 7 8] problem.values=[]");
  start.problem.ids.push_back(9);
  EXPECT_EQ(to_text(start), "Start problem.ids=[1 2 3 4 5 6 7 8 ... 9] problem.values=[]");
}

TEST(Print, BytesAreNumbersNotCharacters) {
  EXPECT_EQ(to_text(Finish{.reason = 65}), "Finish scheduler=0 reason=65");
}

TEST(Print, QuotesStringsAndListsNumbers) {
  Roster roster;
  roster.number = 3;
  roster.workers = {0, 1, 0};
  EXPECT_THAT(to_text(roster), StartsWith("Roster number=3 workers=[0 1 0]"));
  roster.workers.assign(9, 2);
  EXPECT_THAT(to_text(roster), StartsWith("Roster number=3 workers=[2 2 2 2 2 2 2 2 ... 9]"));
  EXPECT_EQ(to_text(Reject{.reason = "no room"}), "Reject reason=\"no room\"");
}

TEST(Print, EscapesWhatAStringMustNotDoToALog) {
  EXPECT_EQ(to_text(Reject{.reason = "a\nb \"c\" \\ \x1b[2J \xff"}),
            "Reject reason=\"a\\nb \\\"c\\\" \\\\ \\x1b[2J \\xff\"");
}

TEST(Print, ShortensLongStrings) {
  const std::string text(100, 'x');
  EXPECT_EQ(to_text(Reject{.reason = text}), "Reject reason=\"" + text.substr(0, 64) + "\" ... 100");
}

TEST(Print, TheTableHasEveryMessageAndEscapesBars) {
  const std::string table = message_table();
  for_each_message_type([&]<class M>(std::type_identity<M>) {
    EXPECT_THAT(table, HasSubstr("| **" + std::string(M::kName) + "** (" + std::to_string(M::kType) + ") |"));
  });
  EXPECT_THAT(table, HasSubstr("| | `base` | i64 | the version that push must read |"));
  EXPECT_THAT(table, HasSubstr("max \\|x_j'y\\|"));
  EXPECT_THAT(table, HasSubstr("| | `build` | string | "));
  EXPECT_THAT(table, HasSubstr("| | `workers` | u32[] | "));
}

TEST(Print, EveryFieldOfEveryMessageHasAMeaning) {
  for_each_message_type([]<class M>(std::type_identity<M>) {
    EXPECT_THAT(M::kSays, HasSubstr("-> ")) << "who tells whom, or who <-> whom";
    const M example;
    M::fields(example, [](const char* name, const auto&, const char* meaning) {
      EXPECT_STRNE(meaning, "") << M::kName << '.' << name;
    });
  });
}

}  // namespace
}  // namespace strads::wire
