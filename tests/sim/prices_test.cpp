// What counted work costs in virtual time.
#include <gtest/gtest.h>

#include "sim/processors.hpp"
#include "wire/size.hpp"

namespace strads::sim {
namespace {

constexpr double kNear = 1e-18;

TEST(Prices, AreThoseOfTheConstantsByKindOfWork) {
  CostConstants constants;
  constants.streamed_flop = 1e-9;
  constants.swept_flop = 2e-9;
  constants.scattered_flop = 3e-9;
  constants.tiled_flop = 4e-9;
  constants.local_flop = 5e-9;
  constants.fresh_byte = 6e-9;
  constants.gathered_byte = 7e-9;
  constants.quantised_flop = 8e-9;
  EXPECT_NEAR(price_of({.streamed = 10}, constants), 10e-9, kNear);
  EXPECT_NEAR(price_of({.streamed = 10, .swept = 10}, constants), 20e-9, kNear);
  EXPECT_NEAR(price_of({.streamed = 10, .scattered = 10}, constants), 30e-9, kNear);
  EXPECT_NEAR(price_of({.tiled = 10}, constants), 40e-9, kNear);
  EXPECT_NEAR(price_of({.local = 10}, constants), 50e-9, kNear);
  EXPECT_NEAR(price_of({.fresh = 10}, constants), 60e-9, kNear);
  EXPECT_NEAR(price_of({.gathered = 10}, constants), 70e-9, kNear);
  EXPECT_NEAR(price_of({.quantised = 10}, constants), 80e-9, kNear);
}

TEST(Prices, DoNotDependOnWhatOnlyDecisionsCount) {
  EXPECT_EQ(price_of({.flops = 1000, .bytes = 1000, .updates = 1000}, CostConstants{}), 0);
}

TEST(BulkSize, IsThatOfTheArraysThatProcessesShare) {
  wire::Deltas deltas;
  deltas.deltas.ids = {1, 2, 3};
  deltas.deltas.values = {1.0, 2.0};
  EXPECT_EQ(wire::bulk_size(deltas), 0U);
  deltas.deltas.bulk.emplace_back(100);
  deltas.deltas.bulk.emplace_back(28);
  EXPECT_EQ(wire::bulk_size(deltas), 128 * sizeof(float));
  EXPECT_GT(wire::encoded_size(deltas), wire::bulk_size(deltas));
}

}  // namespace
}  // namespace strads::sim
