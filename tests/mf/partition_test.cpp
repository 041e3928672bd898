// Every row belongs to one block; blocks are of like weight.
#include "mf/problem/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strads::mf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Counts = std::vector<std::uint32_t>;
using Rows = std::vector<std::uint32_t>;

/// Row i in slice i mod S.
std::vector<Rows> deal(std::size_t rows, std::uint32_t schedulers) {
  std::vector<Rows> slices(schedulers);
  for (std::uint32_t i = 0; i < rows; ++i) slices[i % schedulers].push_back(i);
  return slices;
}

SidePartition cut_into(const Counts& counts, std::uint32_t schedulers, std::uint32_t workers,
                       Balance balance = Balance::nonzeros, bool may_split = true) {
  return cut(counts, deal(counts.size(), schedulers), workers, balance, may_split);
}

/// Row i has `most` / (i + 1)^power ratings, at least one.
Counts power_law(std::size_t rows, double most, double power) {
  Counts counts(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    counts[i] = static_cast<std::uint32_t>(std::max(1.0, most / std::pow(static_cast<double>(i + 1), power)));
  }
  return counts;
}

/// The loads of workers, counted from the pages.
std::vector<std::uint64_t> loads_of(const SidePartition& side, const Counts& counts) {
  std::vector<std::uint64_t> loads(side.workers);
  for (std::uint32_t page = 0; page < side.pages.size(); ++page) {
    const std::uint32_t slice = side.slice_of(page);
    for (const std::uint32_t row : side.pages[page]) {
      if (!side.is_split(page)) {
        loads[side.worker_of(slice, page % side.workers)] += counts[row];
        continue;
      }
      for (std::uint32_t part = 0; part < side.workers; ++part) {
        const auto [begin, end] = part_of(counts[row], part, side.workers);
        loads[side.worker_of(slice, part)] += end - begin;
      }
    }
  }
  return loads;
}

struct Cut {
  std::size_t rows;
  std::uint32_t schedulers, workers;
  Balance balance;
};

class PartitionOf : public testing::TestWithParam<Cut> {
 protected:
  const Counts counts = power_law(GetParam().rows, 500, 1.2);
  const SidePartition side = cut_into(counts, GetParam().schedulers, GetParam().workers, GetParam().balance);
};

TEST_P(PartitionOf, PutsEveryRowIntoExactlyOnePage) {
  Counts seen(counts.size());
  for (const Rows& page : side.pages) {
    for (const std::uint32_t row : page) ++seen[row];
  }
  EXPECT_EQ(seen, Counts(counts.size(), 1));
}

TEST_P(PartitionOf, KeepsRowsInPagesOfTheirSliceInAscendingOrder) {
  ASSERT_EQ(side.pages.size(), GetParam().schedulers * (GetParam().workers + 1));
  for (std::uint32_t page = 0; page < side.pages.size(); ++page) {
    EXPECT_TRUE(std::is_sorted(side.pages[page].begin(), side.pages[page].end()));
    for (const std::uint32_t row : side.pages[page]) EXPECT_EQ(row % GetParam().schedulers, side.slice_of(page));
  }
}

TEST_P(PartitionOf, HasSlotsThatInvertItsPages) {
  ASSERT_EQ(side.slots.size(), counts.size());
  for (std::uint32_t row = 0; row < counts.size(); ++row) {
    const std::uint32_t page = side.page_of_row(row);
    const std::uint32_t place = side.slots[row] & ((std::uint32_t{1} << side.shift) - 1);
    ASSERT_LT(place, side.pages[page].size());
    EXPECT_EQ(side.pages[page][place], row);
  }
}

TEST_P(PartitionOf, CountsTheRatingsOfItsWorkers) {
  EXPECT_EQ(side.ratings, loads_of(side, counts));
  EXPECT_EQ(std::accumulate(side.ratings.begin(), side.ratings.end(), std::uint64_t{0}),
            std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, PartitionOf,
                         testing::Values(Cut{300, 1, 1, Balance::nonzeros}, Cut{300, 1, 4, Balance::nonzeros},
                                         Cut{300, 3, 4, Balance::nonzeros}, Cut{300, 4, 16, Balance::nonzeros},
                                         Cut{300, 3, 4, Balance::rows}, Cut{5, 3, 8, Balance::nonzeros},
                                         Cut{5, 3, 8, Balance::rows}, Cut{2, 6, 2, Balance::nonzeros},
                                         Cut{1, 1, 3, Balance::nonzeros}));

/// The least maximum of any assignment: all of them.
std::uint64_t best_load(const Counts& counts, std::uint32_t workers, std::size_t row,
                        std::vector<std::uint64_t>& load) {
  if (row == counts.size()) return *std::max_element(load.begin(), load.end());
  std::uint64_t best = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < workers; ++i) {
    load[i] += counts[row];
    best = std::min(best, best_load(counts, workers, row + 1, load));
    load[i] -= counts[row];
  }
  return best;
}

TEST(Partition, HasLoadsWithinFourThirdsOfTheBest) {
  // The third one is where longest first is worst: 5 5 4 4 3 3 3 on 3 workers, 11 instead of 9.
  for (const Counts& counts :
       {Counts{9, 8, 7, 6, 5, 4, 3, 2, 1}, Counts{7, 7, 7, 2, 2, 2, 2, 2}, Counts{5, 5, 4, 4, 3, 3, 3}}) {
    const auto side = cut_into(counts, 1, 3, Balance::nonzeros, false);
    std::vector<std::uint64_t> load(3);
    const std::uint64_t best = best_load(counts, 3, 0, load);
    EXPECT_LE(3 * *std::max_element(side.ratings.begin(), side.ratings.end()), 4 * best);
  }
}

TEST(Partition, IsWithinATwentiethOfTheMeanOnSkewedCountsWithoutHeavyRows) {
  for (const std::uint32_t schedulers : {1U, 4U, 7U}) {
    const Counts counts = power_law(4000, 1000, 0.7);
    const auto side = cut_into(counts, schedulers, 16);
    EXPECT_FALSE(side.any_split);
    EXPECT_LT(side.imbalance(), 1.05) << schedulers;
  }
}

TEST(Partition, IsNearTheMeanWithHeavyRowsOnlyWhenTheyAreSplit) {
  // Slices are dealt one after the other: the last one's longest row, half a fair share at most, may come on top.
  const Counts counts = power_law(4000, 30000, 1.3);
  EXPECT_TRUE(cut_into(counts, 4, 16).any_split);
  EXPECT_LT(cut_into(counts, 1, 16).imbalance(), 1.05);
  EXPECT_LT(cut_into(counts, 4, 16).imbalance(), 1.25);
  EXPECT_GT(cut_into(counts, 4, 16, Balance::nonzeros, false).imbalance(), 2.0);
}

TEST(Partition, ByRowsGivesRunsOfEquallyManyRows) {
  const auto side = cut_into(power_law(107, 500, 1), 3, 4, Balance::rows);
  for (std::uint32_t slice = 0; slice < 3; ++slice) {
    std::vector<std::size_t> sizes;
    Rows all;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Rows& page = side.pages[slice * 4 + i];
      sizes.push_back(page.size());
      all.insert(all.end(), page.begin(), page.end());
    }
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1U);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end())) << "runs";
  }
  EXPECT_FALSE(side.any_split);
}

TEST(Partition, SplitsARowAboveTheHeavyShareOnly) {
  // 4 workers, 400 ratings: a fair share is 100, heavy is more than 50.
  Counts counts{50, 51};
  counts.resize(301, 1);
  const auto side = cut_into(counts, 1, 4);
  ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 400U);
  ASSERT_EQ(kHeavyShare, 0.5);
  EXPECT_THAT(side.pages[side.split_page(0)], ElementsAre(1));
  EXPECT_TRUE(side.any_split);
}

TEST(Partition, SplitsNothingForOneWorkerNorByRowsNorWhereItMayNot) {
  const Counts counts{1000, 1, 1, 1};
  for (const auto& side : {cut_into(counts, 1, 1), cut_into(counts, 1, 4, Balance::rows),
                           cut_into(counts, 1, 4, Balance::nonzeros, false)}) {
    EXPECT_FALSE(side.any_split);
    EXPECT_THAT(side.pages[side.split_page(0)], IsEmpty());
  }
}

TEST(Partition, PartsOfARowCoverItWithoutOverlap) {
  for (const std::uint64_t count : {0U, 1U, 3U, 7U, 1000U, 4'000'000'000U}) {
    for (const std::uint32_t parts : {1U, 3U, 8U}) {
      std::uint64_t next = 0;
      for (std::uint32_t part = 0; part < parts; ++part) {
        const auto [begin, end] = part_of(count, part, parts);
        EXPECT_EQ(begin, next);
        EXPECT_LE(end - begin, count / parts + 1);
        next = end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Partition, SharesTheRatingsOfASplitRowOutToAllWorkers) {
  const auto side = cut_into({1000, 1, 1, 1}, 1, 4);
  for (const std::uint64_t ratings : side.ratings) EXPECT_GE(ratings, 250U);
}

TEST(Partition, GivesPlacesToOtherWorkersInEverySlice) {
  const auto side = cut_into(power_law(60, 10, 1), 3, 4);
  EXPECT_EQ(side.worker_of(0, 0), 0U);
  EXPECT_EQ(side.worker_of(1, 0), 1U);
  EXPECT_EQ(side.worker_of(2, 3), 1U);
}

TEST(Partition, HasAnImbalanceOfTheBusiestWorkerOverTheMean) {
  SidePartition side;
  side.ratings = {6, 2, 4};
  EXPECT_DOUBLE_EQ(side.imbalance(), 1.5);
  side.ratings = {0, 0};
  EXPECT_DOUBLE_EQ(side.imbalance(), 1);
}

TEST(Partition, TakesSlicesWithoutRows) {
  const std::vector<Rows> slices{{}, {0, 1, 2}, {}};
  const auto side = cut(Counts{5, 1, 1}, slices, 2, Balance::nonzeros, true);
  EXPECT_THAT(side.pages[side.split_page(1)], ElementsAre(0));
  for (const std::uint32_t page : {0U, 1U, 4U, 5U}) EXPECT_THAT(side.pages[page], IsEmpty());
}

TEST(Partition, HasNoEmptyBlockBeforeAnotherOne) {
  // The engine sends no empty blocks: those after one would go to a worker that has not read their ratings.
  for (const Balance balance : {Balance::nonzeros, Balance::rows}) {
    const Counts counts{5, 4, 3, 3, 2, 2, 1, 1, 1};
    const auto side = cut_into(counts, 3, 8, balance);
    for (std::uint32_t slice = 0; slice < 3; ++slice) {
      for (std::uint32_t i = 1; i < 8; ++i) {
        EXPECT_TRUE(side.pages[slice * 8 + i].empty() || !side.pages[slice * 8 + i - 1].empty()) << slice << ' ' << i;
      }
    }
    EXPECT_EQ(side.ratings, loads_of(side, counts));
  }
}

TEST(Partition, GivesEveryWorkerABlockOfEverySliceThatHasRowsEnough) {
  // Also to one that earlier slices have given too much.
  Counts counts(80, 1);
  counts[0] = 1000;
  const auto side = cut_into(counts, 4, 5, Balance::nonzeros, false);
  for (std::uint32_t page = 0; page < 4 * 5; ++page) EXPECT_THAT(side.pages[page], testing::Not(IsEmpty())) << page;
}

TEST(Partition, OfNoRowsAtAllIsEmpty) {
  const auto side = cut(Counts{}, std::vector<Rows>(2), 3, Balance::nonzeros, true);
  EXPECT_EQ(side.pages.size(), 8U);
  EXPECT_DOUBLE_EQ(side.imbalance(), 1);
}

TEST(Partition, HasAShiftThatTheLargestPageFits) {
  for (const std::size_t rows : {1U, 2U, 64U, 65U, 129U}) {
    const auto side = cut_into(Counts(rows, 1), 1, 1);
    EXPECT_GE(std::size_t{1} << side.shift, rows);
    EXPECT_LT(std::size_t{1} << side.shift, 2 * rows) << "no larger than needed";
  }
}

}  // namespace
}  // namespace strads::mf
