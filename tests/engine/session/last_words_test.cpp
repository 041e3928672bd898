#include "engine/session/last_words.hpp"

#include <gtest/gtest.h>

namespace strads::engine {
namespace {

class AtTheEnd : public testing::Test {
 protected:
  AtTheEnd() {
    EXPECT_TRUE(words_.due(10));
    words_.said(7);
  }
  LastWords words_;
};

TEST(BeforeTheEnd, NothingHasBegun) {
  EXPECT_FALSE(LastWords().begun());
}

TEST_F(AtTheEnd, TheyAreSaidAgainFiveTimesASecond) {
  EXPECT_TRUE(words_.begun());
  EXPECT_FALSE(words_.due(10.1));
  EXPECT_TRUE(words_.due(10.25));
  EXPECT_FALSE(words_.due(10.35));
}

TEST_F(AtTheEnd, AnAnswerToThemIsTheEnd) {
  EXPECT_FALSE(words_.over(true, 10));
  words_.answered(7);
  EXPECT_TRUE(words_.over(true, 10));
}

TEST_F(AtTheEnd, AnAnswerToARepetitionIsTheEndAsWell) {
  words_.said(8);
  words_.answered(8);
  EXPECT_TRUE(words_.over(true, 10.3));
}

TEST_F(AtTheEnd, AnAnswerThatComesAfterARepetitionIsStillOne) {
  words_.said(8);
  words_.answered(7);
  EXPECT_TRUE(words_.over(true, 10.3));
}

TEST_F(AtTheEnd, AnAnswerToAnEarlierBeatSaysNothing) {
  words_.said(8);
  words_.answered(6);
  EXPECT_FALSE(words_.over(true, 10));
}

TEST_F(AtTheEnd, AClosedConnectionMayComeBack) {
  EXPECT_FALSE(words_.over(false, 10));
  EXPECT_FALSE(words_.over(false, 10.4));
  EXPECT_FALSE(words_.over(true, 10.6));
  EXPECT_FALSE(words_.over(false, 10.7));
  EXPECT_FALSE(words_.over(false, 11.1));
  EXPECT_TRUE(words_.over(false, 11.3));
}

TEST_F(AtTheEnd, ADriverThatNeverAnswersIsNotWaitedForLongerThanItWaits) {
  EXPECT_FALSE(words_.over(true, 11.9));
  EXPECT_TRUE(words_.over(true, 12.1));
}

}  // namespace
}  // namespace strads::engine
