#include "engine/rounds/early.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/offences.hpp"
#include "wire/messages.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

wire::Commit commit_of_size(Version version, std::size_t changes = 0) {
  wire::Commit commit;
  commit.version = version;
  commit.changes.ids.resize(changes);
  return commit;
}

TEST(EarlyMessages, ComeInTheOrderOfTheirTime) {
  Early<Version, wire::Commit> early;
  for (const Version version : {5, 3, 4}) early.keep(version, commit_of_size(version));
  EXPECT_TRUE(early.contains(4));
  EXPECT_FALSE(early.contains(6));
  for (const Version version : {3, 4, 5}) {
    EXPECT_EQ(early.next(), version);
    EXPECT_EQ(early.take_next().version, version);
  }
  EXPECT_TRUE(early.empty());
  EXPECT_EQ(early.dropped(), 0U);
}

TEST(EarlyMessages, WhenThereAreTooManyTheFurthestGoAndAreCounted) {
  Early<Version, wire::Commit> early(2);
  for (const Version version : {9, 4, 7, 5}) early.keep(version, commit_of_size(version));
  EXPECT_EQ(early.dropped(), 2U);
  EXPECT_EQ(early.take_next().version, 4);
  EXPECT_EQ(early.take_next().version, 5);
  EXPECT_TRUE(early.empty());
}

TEST(EarlyMessages, AreBoundedInBytesAndTheNextIsAlwaysKept) {
  Early<Version, wire::Commit> early(100, 4000);
  early.keep(8, commit_of_size(8, 500));
  early.keep(9, commit_of_size(9, 500));
  EXPECT_EQ(early.size(), 1U) << "two of them take more than 4,000 bytes";
  early.keep(2, commit_of_size(2, 5000));
  EXPECT_EQ(early.size(), 1U);
  EXPECT_EQ(early.dropped(), 2U);
  EXPECT_EQ(early.take_next().version, 2) << "whatever its size: without it nothing would go on";
  for (int again = 0; again < 3; ++again) {  // bytes of what was taken do not count any more
    early.keep(3, commit_of_size(3, 500));
    EXPECT_EQ(early.take_next().version, 3);
  }
  EXPECT_EQ(early.dropped(), 2U);
}

TEST(EarlyMessages, ThoseThatAreDueAreTakenAndTheOthersStay) {
  Early<Version, wire::Commit> early;
  for (const Version version : {1, 2, 3, 4}) early.keep(version, commit_of_size(version));
  const auto due = early.take_due([](const wire::Commit& commit) { return commit.version % 2 == 0; });
  ASSERT_THAT(due, SizeIs(2));
  EXPECT_EQ(due[0].version, 2);
  EXPECT_EQ(due[1].version, 4);
  EXPECT_EQ(early.size(), 2U);
}

TEST(Offences, TheThirdOfARankAccusesItOnce) {
  Offences offences;
  EXPECT_FALSE(offences.count_offence(4, Refusal::damaged));
  EXPECT_FALSE(offences.count_offence(2, Refusal::damaged));
  EXPECT_FALSE(offences.count_offence(4, Refusal::impossible));
  EXPECT_THAT(offences.accused(), IsEmpty());
  EXPECT_TRUE(offences.count_offence(4, Refusal::unacceptable));
  EXPECT_FALSE(offences.count_offence(4, Refusal::damaged)) << "it is known already";
  ASSERT_THAT(offences.accused(), SizeIs(1));
  EXPECT_EQ(offences.accused()[0].rank, 4U);
  EXPECT_EQ(offences.accused()[0].last, Refusal::unacceptable);
}

TEST(Offences, AreToldInWords) {
  EXPECT_EQ(
      expulsion_text("the driver", Refusal::misplaced),
      "it sent the driver 3 messages that no process of this run sends; the last one speaks for a role that it has "
      "not");
  EXPECT_THAT(expulsion_text("rank 1", Refusal::damaged), HasSubstr("the last one is none"));
  EXPECT_THAT(expulsion_text("rank 1", static_cast<Refusal>(200)), HasSubstr("cannot be")) << "from another process";
}

TEST(Refusals, OfAnotherProcessAreReadUpToTheKindsThatAreKnown) {
  Refusals own;
  own.add(Refusal::stranger);
  own.add(Refusal::early, 7);
  EXPECT_EQ(own.total(), 8U);
  EXPECT_THAT(own.list(), SizeIs(kRefusalKinds));
  EXPECT_EQ(Refusals(own.list())[Refusal::early], 7U);
  EXPECT_EQ(Refusals({1, 2}).total(), 3U);
  EXPECT_EQ(Refusals(std::vector<std::uint64_t>(100, 1)).total(), kRefusalKinds);
  EXPECT_THAT(Refusals({3}).list(), ElementsAre(3, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace strads::engine
