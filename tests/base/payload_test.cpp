#include "strads/base/payload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace strads {
namespace {

SharedFloats floats_of(const std::vector<float>& values) {
  SharedFloats floats(values.size());
  std::copy(values.begin(), values.end(), floats.writable().begin());
  return floats;
}

TEST(SharedFloats, BeginAtACacheLine) {
  for (const std::size_t size : {1U, 3U, 17U, 1000U}) {
    const SharedFloats floats(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(floats.data()) % 64, 0U) << size;
    EXPECT_EQ(floats.view().size(), size);
  }
}

TEST(SharedFloats, CopiesLieInTheSameMemory) {
  const SharedFloats first = floats_of({1, 2, 3});
  const SharedFloats second = first;
  EXPECT_EQ(second.data(), first.data());
  EXPECT_EQ(second.size(), 3U);
}

TEST(SharedFloats, OutliveTheOneTheyWereCopiedFrom) {
  SharedFloats kept;
  {
    const SharedFloats made = floats_of({4, 5});
    kept = made;
  }
  EXPECT_EQ(kept, floats_of({4, 5}));
}

TEST(SharedFloats, AreEqualIffTheirContentsAre) {
  EXPECT_EQ(floats_of({1, 2}), floats_of({1, 2}));
  EXPECT_NE(floats_of({1, 2}), floats_of({1, 3}));
  EXPECT_NE(floats_of({1, 2}), floats_of({1, 2, 3}));
  EXPECT_NE(floats_of({1, 2}), SharedFloats());
}

TEST(SharedFloats, MayBeEmpty) {
  EXPECT_EQ(SharedFloats(), SharedFloats(0));
  EXPECT_EQ(SharedFloats(0).size(), 0U);
  EXPECT_TRUE(SharedFloats().view().empty());
}

TEST(Payload, CopiesShareTheirArraysOfFloats) {
  const Payload payload{{1}, {0.5}, {floats_of({1, 2}), floats_of({3})}};
  const Payload copy = payload;
  EXPECT_EQ(copy, payload);
  EXPECT_EQ(copy.bulk[0].data(), payload.bulk[0].data());
  EXPECT_EQ(copy.bulk[1].data(), payload.bulk[1].data());
}

TEST(Payload, DiffersWhenItsArraysDo) {
  const Payload payload{{1}, {0.5}, {floats_of({1, 2}), floats_of({3})}};
  Payload other = payload;
  other.bulk[1] = floats_of({4});
  EXPECT_NE(other, payload);
  other.bulk.pop_back();
  EXPECT_NE(other, payload);
}

}  // namespace
}  // namespace strads
