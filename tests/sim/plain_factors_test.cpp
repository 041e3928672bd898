// What the audit of factorizations goes by: blocks by hand, and how far sums of floats may be off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mf/made_up_ratings.hpp"
#include "strads/base/random.hpp"
#include "strads_sim/audit/plain_factors.hpp"
#include "strads_sim/audit/plain_pages.hpp"

namespace strads::simulator {
namespace {

using testing::ElementsAre;

/// User i has rated the first of four items: 4, 3, 2, 1 and 1 of them.
std::shared_ptr<const Ratings> staircase() {
  auto ratings = std::make_shared<Ratings>();
  ratings->users = std::make_shared<mf::test::NumberedIds>("u", 5);
  ratings->items = std::make_shared<mf::test::NumberedIds>("i", 4);
  for (const auto& [user, count] : {std::pair{0U, 4U}, {1U, 3U}, {2U, 2U}, {3U, 1U}, {4U, 1U}}) {
    for (std::uint32_t item = 0; item < count; ++item) {
      ratings->train.users.push_back(user);
      ratings->train.items.push_back(item);
      ratings->train.values.push_back(3);
    }
  }
  return ratings;
}

AuditedMf two_workers(const char* solver) {
  AuditedMf asked;
  asked.solver = solver;
  asked.engine.workers = 2;
  return asked;
}

const std::vector<std::vector<VarId>> kOneSlice = {{0, 1, 2, 3, 4, 5, 6, 7, 8}};

TEST(PlainPages, DealLongestFirst) {
  const PlainPages pages(PlainRatings(staircase(), two_workers("ccd")), kOneSlice, 2);
  EXPECT_THAT(pages.of_slice[0],
              ElementsAre(ElementsAre(0, 3, 4), ElementsAre(1, 2), ElementsAre(5, 8), ElementsAre(6, 7)));
  EXPECT_DOUBLE_EQ(pages.imbalance, 6 / 5.5);
}

TEST(PlainPages, CountThePartsOfSplitRows) {
  const PlainPages pages(PlainRatings(staircase(), two_workers("cd")), kOneSlice, 2);
  EXPECT_THAT(pages.of_slice[0], ElementsAre(ElementsAre(2, 4), ElementsAre(3), ElementsAre(0, 1), ElementsAre(7),
                                             ElementsAre(8), ElementsAre(5, 6)));
}

TEST(PlainPages, GoOnWithWhatWorkersHaveFromEarlierSlices) {
  // Slice 0 leaves 4 ratings to worker 0 and none to worker 1, whose block is the first one of slice 1.
  const PlainPages pages(PlainRatings(staircase(), two_workers("ccd")), {{0}, {1, 2, 3, 4, 5, 6, 7, 8}}, 2);
  EXPECT_THAT(pages.of_slice[0], ElementsAre(ElementsAre(0)));
  EXPECT_THAT(pages.of_slice[1],
              ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4), ElementsAre(5, 8), ElementsAre(6, 7)));
}

/// Factors that predict the training ratings up to `noise`: floats, as the solvers keep them.
struct Case {
  std::shared_ptr<Ratings> ratings;
  AuditedMf asked;
  PlainFactors factors;

  Case(const char* solver, double noise)
      : ratings(std::make_shared<Ratings>(*staircase())), asked(two_workers(solver)) {
    asked.rank = 3;
    asked.mean = false;
    CounterRng random(1, Purpose::tests);
    const auto any = [&] { return static_cast<double>(static_cast<float>(2 * random.unit() - 1)); };
    factors.rows.resize(9);
    for (auto& row : factors.rows) row = {any(), any(), any(), any()};
    for (std::size_t t = 0; t < ratings->train.size(); ++t) {
      ratings->train.values[t] = static_cast<float>(in_floats(t) + noise * any());
    }
    ratings->lowest = -10;
    ratings->highest = 10;
  }
  /// The prediction of a training rating as a loop over floats gives it.
  [[nodiscard]] double in_floats(std::size_t t) const {
    const auto& user = factors.rows[ratings->train.users[t]];
    const auto& item = factors.rows[5 + ratings->train.items[t]];
    float sum = static_cast<float>(user[3]) + static_cast<float>(item[3]);
    for (std::size_t k = 0; k < 3; ++k) sum += static_cast<float>(user[k]) * static_cast<float>(item[k]);
    return static_cast<double>(sum);
  }
  [[nodiscard]] double squares_in_floats() const {
    double squares = 0;
    for (std::size_t t = 0; t < ratings->train.size(); ++t) {
      squares += std::pow(static_cast<double>(ratings->train.values[t]) - in_floats(t), 2);
    }
    return squares;
  }
};

TEST(PlainSquares, MayDifferByTheRoundingOfFloatsAndByLittleMore) {
  for (const double noise : {1.0, 1e-3, 1e-6}) {
    const Case one("ccd", noise);
    const PlainRatings plain(one.ratings, one.asked);
    const PlainSquares held_out = plain.held_out(one.ratings->train, one.factors);
    EXPECT_LE(std::abs(one.squares_in_floats() - held_out.sum), held_out.rounding) << noise;
    constexpr double kOff = 1e-6;  // some roundings of terms of about 1
    EXPECT_LE(held_out.rounding, 11 * (2 * noise * kOff + kOff * kOff)) << noise;
  }
}

TEST(PlainSquares, OfSplitRowsAndOfFeaturesMayDifferHoweverWellTheyFit) {
  const auto rounding = [](const char* solver, double noise, bool cut = false) {
    const Case one(solver, noise);
    return PlainRatings(one.ratings, one.asked).training(one.factors, cut).rounding;
  };
  EXPECT_GT(rounding("ccd", 1e-6), 0.1 * rounding("ccd", 1.0)) << "quadratics: terms of the ratings' size cancel";
  EXPECT_GT(rounding("cd", 1e-6), 0.1 * rounding("cd", 1.0)) << "two of the items are split";
  EXPECT_LT(rounding("ccd", 1.0), 1e-3);
  EXPECT_GT(rounding("cd", 1e-6, true), 2 * rounding("cd", 1e-6));
}

TEST(PlainSquares, OfRowsThatNobodySplitsDifferTheLessTheBetterTheyFit) {
  Case well("cd", 1e-3), badly("cd", 1.0);
  for (Case* one : {&well, &badly}) one->asked.engine.workers = 1;
  const double of_good = PlainRatings(well.ratings, well.asked).training(well.factors, false).rounding;
  EXPECT_LT(of_good, 0.01 * PlainRatings(badly.ratings, badly.asked).training(badly.factors, false).rounding);
}

}  // namespace
}  // namespace strads::simulator
