#include "transport/sockets/handshake_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace strads::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kMost = static_cast<int>(HandshakeLimits::kUnprovedMax);
constexpr auto kAtOnce = static_cast<int>(HandshakeLimits::kAtOnce);

class HandshakesOfAListener : public testing::Test {
 protected:
  void come(int first, int count) {
    for (int k = first; k < first + count; ++k) limits_.accepted(k, now_);
  }
  /// Few come, at their ease.
  void come_slowly(int first, int count) {
    for (int k = first; k < first + count; ++k) {
      now_ += std::chrono::milliseconds(5);
      limits_.accepted(k, now_);
    }
  }
  HandshakeLimits::TooMany too_many() {
    return limits_.too_many(now_, [this](int descriptor) { return greeted_ == descriptor; });
  }
  HandshakeLimits limits_;
  HandshakeLimits::Clock::time_point now_ = HandshakeLimits::Clock::now();
  int greeted_ = -1;
};

TEST_F(HandshakesOfAListener, AreBorneUpToTheBound) {
  come(0, kMost);
  EXPECT_THAT(too_many().crowding, IsEmpty());
}

TEST_F(HandshakesOfAListener, TheOldestOfTooManyGoFirst) {
  come(0, kMost + 2);
  EXPECT_THAT(too_many().crowding, ElementsAre(0, 1));
  EXPECT_THAT(too_many().crowding, IsEmpty()) << "nobody is shut down twice";
}

TEST_F(HandshakesOfAListener, WhoHasBeenHeardOrHasEndedIsNotInTheWay) {
  come(0, kMost + 2);
  limits_.settled(0);
  limits_.settled(7);
  EXPECT_THAT(too_many().crowding, IsEmpty());
}

TEST_F(HandshakesOfAListener, WhoHasFinishedIsLetBeThoughNothingWasHeard) {
  come(0, kMost + 2);
  greeted_ = 0;
  EXPECT_THAT(too_many().crowding, ElementsAre(1));
}

TEST_F(HandshakesOfAListener, WhoHasOutlivedTheTimeOfAHandshakeHasFinishedIt) {
  come(0, kMost);
  now_ += HandshakeLimits::kHandshakeMax;
  come(kMost, kMost);
  EXPECT_THAT(too_many().crowding, IsEmpty());
}

TEST_F(HandshakesOfAListener, ANumberThatIsUsedAgainMeansTheLaterConnection) {
  come(0, 1);
  limits_.settled(0);
  come(1, kMost);
  come(0, 1);
  EXPECT_THAT(too_many().crowding, ElementsAre(1));
}

TEST_F(HandshakesOfAListener, MembersHaveRoomOfTheirOwn) {
  limits_.expect(10);
  come(0, kMost + 10);
  EXPECT_THAT(too_many().crowding, IsEmpty());
}

TEST_F(HandshakesOfAListener, WhoeverComesTooFastIsShutDown) {
  come(0, kAtOnce);
  EXPECT_THAT(too_many().hurrying, IsEmpty());
  come(kAtOnce, 2);
  EXPECT_THAT(too_many().hurrying, ElementsAre(kAtOnce, kAtOnce + 1));
  EXPECT_THAT(too_many().hurrying, IsEmpty()) << "nobody is shut down twice";
}

TEST_F(HandshakesOfAListener, WhoeverHasGoneMeanwhileIsNotShutDown) {
  come(0, kAtOnce + 1);
  limits_.settled(kAtOnce);
  EXPECT_THAT(too_many().hurrying, IsEmpty()) << "the number may be another's by now";
}

TEST_F(HandshakesOfAListener, TheDoorOpensAgainWithTime) {
  come(0, 2 * kAtOnce);
  (void)too_many();
  now_ += std::chrono::milliseconds(1000);
  come(0, static_cast<int>(HandshakeLimits::kPerSecond));
  EXPECT_THAT(too_many().hurrying, IsEmpty());
  come(0, 1);
  EXPECT_THAT(too_many().hurrying, ElementsAre(0));
}

TEST_F(HandshakesOfAListener, AtTheirEaseAnyNumberMayCome) {
  for (int round = 0; round < 20; ++round) {
    come_slowly(0, 200);
    EXPECT_THAT(too_many().hurrying, IsEmpty());
  }
}

TEST_F(HandshakesOfAListener, AllMembersMayComeAgainAtOnceAfterAQuietTime) {
  limits_.expect(1000);
  come(0, 1);
  now_ += std::chrono::hours(1);
  come(0, kAtOnce + 2 * 1000);
  EXPECT_THAT(too_many().hurrying, IsEmpty());
}

TEST_F(HandshakesOfAListener, FewerMembersOpenNoDoor) {
  limits_.expect(10);
  come(0, kAtOnce + 2 * 10);
  limits_.expect(9);
  come(5000, 1);
  EXPECT_THAT(too_many().hurrying, ElementsAre(5000));
}

/// All nodes come to the driver in the same moment, with the key to join and then with their own.
TEST_F(HandshakesOfAListener, AThousandNodesThatJoinAtOnceAreNotHeldBack) {
  constexpr int kNodes = 1000;
  int rejected = 0;
  const auto come_and_greet = [&](int first, bool joining) {
    for (int node = first; node < first + 100; ++node) {
      limits_.accepted(node, now_);
      const auto shut = too_many();
      rejected += static_cast<int>(shut.crowding.size() + shut.hurrying.size());
    }
    for (int node = first; node < first + 100; ++node) {
      if (joining) limits_.expect(static_cast<std::size_t>(node) + 1);
      limits_.settled(node);
    }
  };
  for (int first = 0; first < kNodes; first += 100) come_and_greet(first, true);
  for (int first = 0; first < kNodes; first += 100) come_and_greet(first, false);
  EXPECT_EQ(rejected, 0);
}

/// Those of a thousand that know the others first come to one that does not know them yet.
TEST_F(HandshakesOfAListener, AThousandThatComeToANodeBeforeItKnowsThemGetInSoonAfterwards) {
  come(0, 999);
  EXPECT_EQ(too_many().crowding.size(), 999U - HandshakeLimits::kUnprovedMax);
  limits_.expect(1000);
  come(0, 999 - kMost);
  const auto shut = too_many();
  EXPECT_THAT(shut.crowding, IsEmpty());
  EXPECT_THAT(shut.hurrying, IsEmpty());
}

/// An honest node that comes again every 100 to 200 ms gets in among 5,000 strangers a second.
TEST_F(HandshakesOfAListener, AnHonestNodeGetsInAmongStrangersWithoutEnd) {
  std::mt19937 random(1);
  int in_after = -1;
  int next_try = 2000;
  for (int ms = 0; ms < 30000 && in_after < 0; ++ms) {
    now_ += std::chrono::milliseconds(1);
    const auto honest_place = static_cast<int>(random() % 5);
    const bool comes = ms == next_try;
    for (int k = 0; k < 5; ++k) {
      if (comes && k == honest_place) limits_.accepted(100'000, now_);
      limits_.accepted(ms * 5 + k + 200'000, now_);
    }
    const auto shut = too_many();
    const auto hit = [](const std::vector<int>& all) {
      return std::find(all.begin(), all.end(), 100'000) != all.end();
    };
    ASSERT_FALSE(hit(shut.crowding)) << "it needs milliseconds, and whoever is let in stays for a second";
    if (!comes) continue;
    if (!hit(shut.hurrying)) in_after = ms - 2000;
    next_try = ms + 100 + static_cast<int>(random() % 100);
  }
  EXPECT_GE(in_after, 0);
  EXPECT_LT(in_after, 20000) << "one in twenty gets in";
}

}  // namespace
}  // namespace strads::transport
