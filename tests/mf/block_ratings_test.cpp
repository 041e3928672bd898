// Each worker reads the ratings of its blocks: all of them, once, in the order of the file.
#include "mf/solvers/block_ratings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "made_up_ratings.hpp"
#include "reversed_chunks.hpp"

namespace strads::mf {
namespace {

/// The column's slot and the value of a rating.
using Entry = std::pair<std::uint32_t, float>;

struct Made {
  std::shared_ptr<MfData> data;
  Partition partition;
  std::uint32_t schedulers = 2, workers = 3;

  explicit Made(const test::Shape& shape, bool may_split = true) : data(test::made_up_data(shape)) {
    for (const Side side : {Side::users, Side::items}) {
      std::vector<std::vector<std::uint32_t>> slices(schedulers);
      for (std::uint32_t row = 0; row < data->size(side); ++row) slices[row % schedulers].push_back(row);
      partition.sides[index_of(side)] =
          cut(data->counts[index_of(side)], slices, workers, Balance::nonzeros, may_split);
    }
  }
  [[nodiscard]] const std::vector<float>& levels() const { return data->ratings->levels; }
  [[nodiscard]] SideRatings sorted(Side side, std::vector<std::uint32_t> workers_here, bool split = true,
                                   bool narrow = false) const {
    SerialChunks chunks;
    return SideRatings::sorted(*data->train, levels(), side, partition, workers_here,
                               {.split = split, .narrow = narrow}, chunks);
  }
  /// The ratings of each row in the order of the file.
  [[nodiscard]] std::vector<std::vector<Entry>> in_file(Side side) const {
    std::vector<std::vector<Entry>> rows(data->size(side));
    const Triplets& train = *data->train;
    for (std::size_t t = 0; t < train.size(); ++t) {
      const std::uint32_t row = side == Side::users ? train.users[t] : train.items[t];
      const std::uint32_t column = side == Side::users ? train.items[t] : train.users[t];
      const float value = levels().empty() ? train.values[t] : levels()[train.codes[t]];
      rows[row].emplace_back(partition.of(other(side)).slots[column], value);
    }
    return rows;
  }
};

std::vector<Entry> row_of(const RatingRows& rows, std::size_t k) {
  std::vector<Entry> entries;
  for (std::uint64_t r = rows.begins[k]; r < rows.begins[k + 1]; ++r) {
    entries.emplace_back(rows.slots[r], rows.codes.empty() ? rows.values[r] : rows.levels[rows.codes[r]]);
  }
  return entries;
}

/// What all blocks hold, by row, parts one after the other; each row must come from the page that it belongs to.
std::vector<std::vector<Entry>> all_rows(const Made& made, Side side, const SideRatings& ratings, bool split) {
  std::vector<std::vector<Entry>> rows(made.data->size(side));
  const SidePartition& own = made.partition.of(side);
  for (std::uint32_t page = 0; page < own.pages.size(); ++page) {
    for (std::uint32_t part = 0; part < (own.is_split(page) && split ? own.workers : 1); ++part) {
      const auto block = ratings.find(page, part, made.levels());
      if (!block.has_value()) continue;
      EXPECT_EQ(block->rows(), own.pages[page].size());
      for (std::size_t k = 0; k < own.pages[page].size(); ++k) {
        const auto entries = row_of(*block, k);
        auto& row = rows[own.pages[page][k]];
        row.insert(row.end(), entries.begin(), entries.end());
      }
    }
  }
  return rows;
}

const std::vector<std::uint32_t> kAll{0, 1, 2};

/// Coded or not; with a heavy item or not.
class BlockRatings : public testing::TestWithParam<std::pair<bool, double>> {
 protected:
  const Made made{{.users = 120, .items = 50, .ratings = 1500, .skew = GetParam().second, .coded = GetParam().first}};
};

TEST_P(BlockRatings, HoldEveryRatingOnceInTheOrderOfTheFile) {
  for (const Side side : {Side::users, Side::items}) {
    const auto ratings = made.sorted(side, kAll);
    EXPECT_EQ(ratings.size(), made.data->train_size);
    EXPECT_EQ(all_rows(made, side, ratings, true), made.in_file(side));
  }
}

TEST_P(BlockRatings, HaveSlotsOf16BitsWhereTheyAreWelcomeAndFit) {
  for (const Side side : {Side::users, Side::items}) {
    const auto narrow = made.sorted(side, kAll, true, true), wide = made.sorted(side, kAll);
    EXPECT_EQ(narrow.size(), made.data->train_size);
    EXPECT_EQ(all_rows(made, side, narrow, true), made.in_file(side));
    EXPECT_NE(narrow.find(0, 0, made.levels())->slots.narrow(), nullptr);
    EXPECT_EQ(wide.find(0, 0, made.levels())->slots.narrow(), nullptr);
  }
}

TEST_P(BlockRatings, OfSomeWorkersAreThoseOfTheirBlocksOnly) {
  for (const Side side : {Side::users, Side::items}) {
    const SidePartition& own = made.partition.of(side);
    for (const std::uint32_t worker : kAll) {
      const auto ratings = made.sorted(side, {worker});
      EXPECT_EQ(ratings.size(), own.ratings[worker]);
      for (std::uint32_t page = 0; page < own.pages.size(); ++page) {
        for (std::uint32_t part = 0; part < (own.is_split(page) ? own.workers : 1); ++part) {
          const std::uint32_t place = own.is_split(page) ? part : page % own.workers;
          const bool expected = own.worker_of(own.slice_of(page), place) == worker && !own.pages[page].empty();
          EXPECT_EQ(ratings.find(page, part, made.levels()).has_value(), expected) << page << ' ' << part;
        }
      }
    }
  }
}

TEST_P(BlockRatings, OfAllWorkersTogetherAreAllRatings) {
  for (const Side side : {Side::users, Side::items}) {
    std::uint64_t sum = 0;
    for (const std::uint32_t worker : kAll) sum += made.sorted(side, {worker}).size();
    EXPECT_EQ(sum, made.data->train_size);
    EXPECT_EQ(made.sorted(side, {}).size(), 0U);
  }
}

TEST_P(BlockRatings, DoNotDependOnTheOrderOfPieces) {
  test::ReversedChunks reversed;
  for (const Side side : {Side::users, Side::items}) {
    const auto other_order =
        SideRatings::sorted(*made.data->train, made.levels(), side, made.partition, kAll, {.split = true}, reversed);
    EXPECT_EQ(all_rows(made, side, other_order, true), made.in_file(side));
  }
}

TEST_P(BlockRatings, AreTheSameWhenTheTripletsAreSpentOnThem) {
  SerialChunks chunks;
  for (const Side side : {Side::users, Side::items}) {
    for (const auto& workers : {kAll, std::vector<std::uint32_t>{1}}) {
      Triplets spent = *made.data->train;
      const auto ratings = SideRatings::sorted(spent, made.levels(), side, made.partition, workers,
                                               {.split = true, .spent = &spent}, chunks);
      EXPECT_EQ(all_rows(made, side, ratings, true), all_rows(made, side, made.sorted(side, workers), true));
      EXPECT_EQ(spent.size() + spent.items.capacity() + spent.codes.capacity() + spent.values.capacity(), 0U);
    }
  }
}

TEST_P(BlockRatings, LeaveRowsOfSplitPagesWholeWhereTheyAreNotShared) {
  for (const Side side : {Side::users, Side::items}) {
    const auto ratings = made.sorted(side, kAll, false);
    EXPECT_EQ(ratings.size(), made.data->train_size);
    EXPECT_EQ(all_rows(made, side, ratings, false), made.in_file(side));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, BlockRatings,
                         testing::Values(std::pair{true, 0.5}, std::pair{false, 0.5}, std::pair{true, 1.5},
                                         std::pair{false, 1.5}));

TEST(BlockRatingsOfHeavyRows, AreOnePartForEachWorker) {
  const Made made({.users = 400, .items = 50, .ratings = 1500, .skew = 1.5});
  const SidePartition& items = made.partition.of(Side::items);
  ASSERT_TRUE(items.any_split);
  const auto ratings = made.sorted(Side::items, kAll);
  const auto in_file = made.in_file(Side::items);
  std::size_t looked_at = 0;
  for (std::uint32_t slice = 0; slice < made.schedulers; ++slice) {
    const std::uint32_t page = items.split_page(slice);
    for (std::size_t k = 0; k < items.pages[page].size(); ++k) {
      const auto& whole = in_file[items.pages[page][k]];
      for (std::uint32_t part = 0; part < made.workers; ++part) {
        const auto [begin, end] = part_of(whole.size(), part, made.workers);
        const std::vector<Entry> expected(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                                          whole.begin() + static_cast<std::ptrdiff_t>(end));
        EXPECT_EQ(row_of(*ratings.find(page, part, made.levels()), k), expected);
        ++looked_at;
      }
    }
  }
  EXPECT_GE(looked_at, 3U);
}

TEST(BlockRatingsOfOtherParts, HaveEmptyRowsWhereNothingIsHeldOut) {
  const Made made({.ratings = 900, .validation = 40});
  SerialChunks chunks;
  const auto ratings =
      SideRatings::sorted(made.data->ratings->validation, made.levels(), Side::users, made.partition, kAll, {}, chunks);
  EXPECT_EQ(ratings.size(), 40U);
  const auto rows = all_rows(made, Side::users, ratings, false);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.empty(); }));
}

}  // namespace
}  // namespace strads::mf
