#include "engine/session/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::engine {
namespace {

NodeCheckpoint a_checkpoint() {
  NodeCheckpoint checkpoint;
  checkpoint.phases = 7;
  checkpoint.version = 41;
  checkpoint.verified = true;
  checkpoint.in_phase = true;
  checkpoint.phase = {PhasePlan::Verdict::go_on, PhasePlan::Mode::steady, 3, 5, 9, {{1, 2}, {0.5}, {}}};
  checkpoint.replica = {{4, 5, 6}, {1, -2, 0.25}, {SharedFloats(2)}};
  checkpoint.replica.bulk[0].writable()[0] = 1.5F;
  checkpoint.replica.bulk[0].writable()[1] = -0.25F;
  checkpoint.memories = {{{9}, {3}, {}}, {}};
  checkpoint.planning_flops = {17, 0};
  return checkpoint;
}

TEST(Snapshot, IsWhatItWasAfterAJourney) {
  const auto decoded = decode_snapshot(encode_snapshot(a_checkpoint()), 2);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(decoded.value(), a_checkpoint());
}

TEST(Snapshot, IsCutIntoPartsThatAreTheWholeAgain) {
  NodeCheckpoint large = a_checkpoint();
  large.replica.values.assign(2 * kPartBytes / sizeof(double) + 3, 0.5);
  const std::string bytes = encode_snapshot(large);
  ASSERT_EQ(parts_of(bytes.size()), 3U);
  std::string whole;
  for (std::uint32_t part = 0; part < parts_of(bytes.size()); ++part) {
    EXPECT_LE(part_of(bytes, part).size(), kPartBytes);
    whole += part_of(bytes, part);
  }
  EXPECT_EQ(decode_snapshot(whole, 2).value(), large);
}

TEST(Snapshot, IsRefusedWhereverItIsCutAndWhateverByteOfItIsChanged) {
  const std::string bytes = encode_snapshot(a_checkpoint());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_snapshot(std::string_view(bytes).substr(0, size), 2).ok()) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const auto decoded = decode_snapshot(changed, 2);
    EXPECT_FALSE(decoded.ok()) << at;
  }
}

TEST(Snapshot, IsRefusedByARunOfOtherNumbersOfSchedulers) {
  EXPECT_FALSE(decode_snapshot(encode_snapshot(a_checkpoint()), 1).ok());
  EXPECT_FALSE(decode_snapshot(encode_snapshot(a_checkpoint()), 3).ok());
}

}  // namespace
}  // namespace strads::engine
