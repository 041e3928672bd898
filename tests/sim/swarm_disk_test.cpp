// What can be read from a disk on which the newest of two checkpoints was spoilt.
#include "strads_sim/swarm/swarm_disk.hpp"

#include <gtest/gtest.h>

#include <array>

namespace strads::simulator {
namespace {

using sim::DiskState;

std::shared_ptr<const RunCheckpoint> checkpoint_at(Version version) {
  auto checkpoint = std::make_shared<RunCheckpoint>();
  checkpoint->barrier.version = version;
  checkpoint->replica.values = {1.5, 2.5, 3.5};
  return checkpoint;
}

class SpoiltDisk : public testing::TestWithParam<DiskState> {};

TEST_P(SpoiltDisk, HasTheOneBefore) {
  const std::array written{checkpoint_at(3), checkpoint_at(7)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CounterRng random(seed, Purpose::tests);
    const auto found = kept_on_disk(written, GetParam(), random);
    ASSERT_NE(found, nullptr) << seed;
    EXPECT_EQ(found->barrier.version, 3) << seed;
  }
}

TEST_P(SpoiltDisk, HasNothingWhereThereWasOne) {
  const std::array written{checkpoint_at(3)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CounterRng random(seed, Purpose::tests);
    EXPECT_EQ(kept_on_disk(written, GetParam(), random), nullptr) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(States, SpoiltDisk,
                         testing::Values(DiskState::write_cut_off, DiskState::truncated, DiskState::flipped_byte));

TEST(WholeDisk, HasTheNewest) {
  const std::array written{checkpoint_at(3), checkpoint_at(7)};
  CounterRng random(1, Purpose::tests);
  EXPECT_EQ(kept_on_disk(written, DiskState::whole, random)->barrier.version, 7);
}

}  // namespace
}  // namespace strads::simulator
