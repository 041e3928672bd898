#include "engine/session/speaker.hpp"

#include <gtest/gtest.h>

namespace strads::engine {
namespace {

/// Two schedulers on ranks 0 and 2, the driver is rank 3.
const Roster kRoster{3, 3, {0, 2}, {0, 1, 2}};

std::vector<std::uint32_t> speakers_of(const wire::Message& message) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    if (may_say(rank, message, kRoster)) ranks.push_back(rank);
  }
  return ranks;
}

using Ranks = std::vector<std::uint32_t>;

template <class Message, class Number>
Message with(Number Message::*field, Number value) {
  Message message;
  message.*field = value;
  return message;
}

TEST(AMessage, OfASchedulerIsSaidByWhereItLives) {
  EXPECT_EQ(speakers_of(with(&wire::Ready::scheduler, 1U)), Ranks{2});
  EXPECT_EQ(speakers_of(with(&wire::SliceStatus::scheduler, 0U)), Ranks{0});
  EXPECT_EQ(speakers_of(with(&wire::SliceStatus::scheduler, 2U)), Ranks{}) << "there is none";
}

TEST(AMessage, OfARoundIsSaidByWhoseTurnItIs) {
  EXPECT_EQ(speakers_of(with(&wire::Commit::version, Version{4})), Ranks{0});
  EXPECT_EQ(speakers_of(with(&wire::Commit::version, Version{5})), Ranks{2});
  EXPECT_EQ(speakers_of(with(&wire::Assign::round, std::int64_t{7})), Ranks{2});
  EXPECT_EQ(speakers_of(with(&wire::Commit::version, Version{-1})), Ranks{});
}

TEST(AMessage, OfTheCoordinatorIsSaidByTheDriver) {
  EXPECT_EQ(speakers_of(wire::Start{}), Ranks{3});
  EXPECT_EQ(speakers_of(wire::Phase{}), Ranks{3});
  EXPECT_EQ(speakers_of(wire::Finish{}), Ranks{3});
}

TEST(AMessage, ThatAsksIsSaidByWhoAsks) {
  EXPECT_EQ(speakers_of(with(&wire::Resend::node, 1U)), Ranks{1});
  EXPECT_EQ(speakers_of(with(&wire::Resend::node, 3U)), Ranks{3}) << "the driver's coordinator asks as well";
}

TEST(AMessage, WithDeltasIsSaidByAnyNode) {
  EXPECT_EQ(speakers_of(wire::Deltas{}), (Ranks{0, 1, 2}));
}

TEST(AMessage, OfTheControlChannelIsNoneOfTheRoundProtocol) {
  EXPECT_EQ(speakers_of(wire::Hello{}), Ranks{});
  EXPECT_EQ(speakers_of(wire::Leave{}), Ranks{});
}

TEST(BeforeTheStart, SchedulersReportAndNodesAskForWhatTheyLack) {
  EXPECT_TRUE(may_precede_start(wire::Ready{}));
  EXPECT_TRUE(may_precede_start(wire::Resend{})) << "a node that waits long for START asks for it";
  EXPECT_FALSE(may_precede_start(wire::Commit{}));
  EXPECT_FALSE(may_precede_start(wire::SliceStatus{}));
}

}  // namespace
}  // namespace strads::engine
