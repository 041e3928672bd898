// sgd: every rating lies in the cell of its user's and its item's page.
#include "mf/solvers/grid_ratings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "made_up_ratings.hpp"
#include "reversed_chunks.hpp"

namespace strads::mf {
namespace {

using Rating = std::tuple<std::uint32_t, std::uint32_t, float>;  // user, item, value

struct MadeGrid {
  std::shared_ptr<MfData> data;
  Partition partition;

  explicit MadeGrid(bool coded, std::uint32_t schedulers = 2, std::uint32_t workers = 2, std::uint32_t of_users = 700)
      : data(test::made_up_data({.users = of_users, .items = 30, .ratings = 5000, .coded = coded})) {
    for (const Side side : {Side::users, Side::items}) {
      std::vector<std::vector<std::uint32_t>> slices(schedulers);
      for (std::uint32_t row = 0; row < data->size(side); ++row) slices[row % schedulers].push_back(row);
      partition.sides[index_of(side)] = cut(data->counts[index_of(side)], slices, workers, Balance::nonzeros, false);
    }
  }
  [[nodiscard]] const std::vector<float>& levels() const { return data->ratings->levels; }
  [[nodiscard]] GridRatings sorted(std::vector<std::uint32_t> workers_here, std::uint64_t seed = 1) const {
    SerialChunks chunks;
    return GridRatings::sorted(*data->train, levels(), partition, workers_here, seed, chunks);
  }
  /// The ratings of a cell in its order, by number of user and item.
  [[nodiscard]] std::vector<Rating> cell(const GridRatings& grid, std::uint32_t users, std::uint32_t items) const {
    std::vector<Rating> found;
    const CellRatings cell = grid.find(users)->cell(items, levels());
    for (std::size_t t = 0; t < cell.rows.size(); ++t) {
      found.emplace_back(partition.of(Side::users).pages[users].at(cell.rows[t]),
                         partition.of(Side::items).pages[items].at(cell.columns[t]),
                         cell.codes.empty() ? cell.values[t] : cell.levels[cell.codes[t]]);
    }
    return found;
  }
  [[nodiscard]] std::vector<Rating> all(const GridRatings& grid) const {
    std::vector<Rating> found;
    for (std::uint32_t users = 0; users < partition.of(Side::users).pages.size(); ++users) {
      if (grid.find(users) == nullptr) continue;
      for (std::uint32_t items = 0; items < partition.of(Side::items).pages.size(); ++items) {
        const auto here = cell(grid, users, items);
        found.insert(found.end(), here.begin(), here.end());
      }
    }
    return found;
  }
  [[nodiscard]] std::vector<Rating> in_file() const {
    std::vector<Rating> ratings;
    const Triplets& train = *data->train;
    for (std::size_t t = 0; t < train.size(); ++t) {
      ratings.emplace_back(train.users[t], train.items[t],
                           levels().empty() ? train.values[t] : levels()[train.codes[t]]);
    }
    return ratings;
  }
};

std::vector<Rating> sorted(std::vector<Rating> ratings) {
  std::sort(ratings.begin(), ratings.end());
  return ratings;
}

class Grid : public testing::TestWithParam<bool> {};

TEST_P(Grid, HoldsEveryRatingOnceInTheCellOfItsPages) {
  const MadeGrid made(GetParam());
  const auto grid = made.sorted({0, 1});
  EXPECT_EQ(grid.size(), made.data->train_size);
  EXPECT_EQ(sorted(made.all(grid)), sorted(made.in_file())) << "cell() looks names up in the pages of its cell";
}

TEST_P(Grid, HasWidePlacesWhereAPageHasMoreThan16BitsOfUsers) {
  const MadeGrid made(GetParam(), 1, 1, 70'000), small(GetParam());
  const auto grid = made.sorted({0}), small_grid = small.sorted({0, 1});
  EXPECT_EQ(grid.find(0)->cell(0, made.levels()).rows.narrow(), nullptr);
  EXPECT_NE(small_grid.find(0)->cell(0, small.levels()).rows.narrow(), nullptr);
  EXPECT_EQ(sorted(made.all(grid)), sorted(made.in_file()));
}

TEST_P(Grid, HasTheSameOrderForTheSameSeedOnly) {
  const MadeGrid made(GetParam());
  EXPECT_EQ(made.all(made.sorted({0, 1}, 7)), made.all(made.sorted({0, 1}, 7)));
  EXPECT_NE(made.all(made.sorted({0, 1}, 7)), made.all(made.sorted({0, 1}, 8)));
}

TEST_P(Grid, HasTheSameOrderForAnyOrderOfPieces) {
  const MadeGrid made(GetParam());
  test::ReversedChunks reversed;
  const std::vector<std::uint32_t> workers{0, 1};
  const auto other_order = GridRatings::sorted(*made.data->train, made.levels(), made.partition, workers, 7, reversed);
  EXPECT_EQ(made.all(other_order), made.all(made.sorted({0, 1}, 7)));
}

TEST_P(Grid, IsTheSameWhenTheTripletsAreSpentOnIt) {
  const MadeGrid made(GetParam());
  for (const auto& workers : {std::vector<std::uint32_t>{0, 1}, std::vector<std::uint32_t>{1}}) {
    SerialChunks chunks;
    Triplets spent = *made.data->train;
    const auto grid = GridRatings::sorted(spent, made.levels(), made.partition, workers, 7, chunks, &spent);
    EXPECT_EQ(made.all(grid), made.all(made.sorted(workers, 7)));
    EXPECT_EQ(spent.size() + spent.items.capacity() + spent.codes.capacity() + spent.values.capacity(), 0U);
  }
}

TEST_P(Grid, HasTheSameCellsWhoeverElseIsHere) {
  const MadeGrid made(GetParam());
  const auto both = made.sorted({0, 1});
  for (const std::uint32_t worker : {0U, 1U}) {
    const auto one = made.sorted({worker});
    for (std::uint32_t page = 0; page < 4; ++page) {
      const SidePartition& users = made.partition.of(Side::users);
      ASSERT_EQ(one.find(page) != nullptr, users.worker_of(users.slice_of(page), page % 2) == worker);
      for (std::uint32_t items = 0; one.find(page) != nullptr && items < 4; ++items) {
        EXPECT_EQ(made.cell(one, page, items), made.cell(both, page, items));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Values, Grid, testing::Bool(),
                         [](const auto& coded) { return coded.param ? "Coded" : "Floats"; });

TEST(GridRatingsOrder, KeepsGroupsOfSixtyFourUsersTogetherAndShufflesThem) {
  const MadeGrid made(true);
  const auto grid = made.sorted({0, 1});
  std::size_t groups = 0, steps_back = 0;
  for (std::uint32_t page = 0; page < 4; ++page) {
    ASSERT_GT(made.partition.of(Side::users).pages[page].size(), 128U);
    for (std::uint32_t items = 0; items < 4; ++items) {
      const CellRatings cell = grid.find(page)->cell(items, made.levels());
      for (std::size_t t = 1; t < cell.rows.size(); ++t) {
        ASSERT_GE(cell.rows[t] / 64, cell.rows[t - 1] / 64);
        groups += cell.rows[t] / 64 != cell.rows[t - 1] / 64 ? 1 : 0;
        steps_back += cell.rows[t] < cell.rows[t - 1] ? 1 : 0;
      }
    }
  }
  EXPECT_GT(groups, 16U);
  EXPECT_GT(steps_back, 1000U) << "in the order of the file or of users neighbours would share records";
}

TEST(GridRatingsOrder, HasNothingForPagesThatAreNotThere) {
  const MadeGrid made(true);
  const auto grid = made.sorted({0});
  EXPECT_EQ(grid.find(1000), nullptr);
  EXPECT_EQ(made.sorted({}).size(), 0U);
}

}  // namespace
}  // namespace strads::mf
