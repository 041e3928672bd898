// SAP steps 2 and 3: conflict graph, blocks, balance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/planning/balancer.hpp"
#include "engine/planning/block_builder.hpp"
#include "strads/base/random.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr double kThreshold = 0.5;

/// Neighbours conflict: d(j, j + 1) = 0.6, all others 0.
double neighbours(VarId j, VarId k) {
  return j + 1 == k || k + 1 == j ? 0.6 : 0.0;
}

class BackwardChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = count; i-- > 0;) piece(i);
  }
};

std::vector<VarId> kept(std::vector<VarId> drawn, const Dependency& d, std::size_t keep_max = 100) {
  return without_conflicts(drawn, d, kThreshold, keep_max);
}

std::vector<std::vector<VarId>> connected(std::vector<VarId> drawn, const Dependency& d) {
  SerialChunks chunks;
  return connected_blocks(drawn, d, kThreshold, chunks);
}

TEST(WithoutConflicts, KeepsTheEarlierDrawn) {
  EXPECT_THAT(kept({3, 2, 4, 7}, neighbours), ElementsAre(3, 7));
  EXPECT_THAT(kept({2, 3, 4, 7}, neighbours), ElementsAre(2, 4, 7));
}

TEST(WithoutConflicts, ADroppedVariableDropsNobodyElse) {
  // 3 falls to 2; 4 conflicts with 3 only.
  EXPECT_THAT(kept({2, 3, 4}, neighbours), ElementsAre(2, 4));
}

TEST(WithoutConflicts, ACouplingAtTheThresholdIsNoConflict) {
  EXPECT_THAT(kept({0, 1}, [](VarId, VarId) { return kThreshold; }), ElementsAre(0, 1));
  EXPECT_THAT(kept({0, 1}, [](VarId, VarId) { return std::nextafter(kThreshold, 1.0); }), ElementsAre(0));
}

TEST(WithoutConflicts, StopsWhenEnoughAreKept) {
  int asked = 0;
  const auto d = [&asked](VarId, VarId) {
    ++asked;
    return 0.0;
  };
  EXPECT_THAT(kept({5, 6, 7, 8, 9}, d, 2), ElementsAre(5, 6));
  EXPECT_EQ(asked, 1) << "couplings cost a pass over two columns each";
}

TEST(WithoutConflicts, NothingDrawnKeepsNothing) {
  EXPECT_THAT(kept({}, neighbours), IsEmpty());
}

TEST(ConnectedBlocks, AreTheComponentsOfTheConflictGraph) {
  // 8 - 9   1 - 2 - 3   6
  EXPECT_THAT(connected({9, 2, 6, 1, 8, 3}, neighbours),
              ElementsAre(ElementsAre(9, 8), ElementsAre(2, 1, 3), ElementsAre(6)));
}

TEST(ConnectedBlocks, AreJoinedByALateVariable) {
  // 1 and 3 meet through 2, which is drawn last.
  EXPECT_THAT(connected({1, 3, 5, 2}, neighbours), ElementsAre(ElementsAre(1, 3, 2), ElementsAre(5)));
}

TEST(ConnectedBlocks, ACouplingAtTheThresholdJoinsNobody) {
  EXPECT_THAT(connected({0, 1}, [](VarId, VarId) { return kThreshold; }), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(ConnectedBlocks, DoNotDependOnTheOrderOfThePieces) {
  std::vector<VarId> drawn(60);
  std::iota(drawn.begin(), drawn.end(), VarId{0});
  CounterRng random(4, Purpose::tests);
  shuffle(drawn, random);
  const auto d = [](VarId j, VarId k) { return (j * 31 + k * 31) % 17 == 0 ? 1.0 : 0.0; };
  BackwardChunks backward;
  SerialChunks serial;
  const auto blocks = connected_blocks(drawn, d, kThreshold, serial);
  EXPECT_EQ(connected_blocks(drawn, d, kThreshold, backward), blocks);
  EXPECT_GT(blocks.size(), 1u);
}

TEST(ConnectedBlocks, NoTwoBlocksConflict) {
  std::vector<VarId> drawn(40);
  std::iota(drawn.begin(), drawn.end(), VarId{0});
  const auto d = [](VarId j, VarId k) { return (j * k) % 23 == 1 ? 1.0 : 0.0; };
  const auto blocks = connected(drawn, d);
  std::size_t members = 0;
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    members += blocks[a].size();
    for (std::size_t b = 0; b < a; ++b) {
      for (const VarId j : blocks[a]) {
        for (const VarId k : blocks[b]) ASSERT_LE(d(j, k), kThreshold) << j << ' ' << k;
      }
    }
  }
  EXPECT_EQ(members, drawn.size());
}

double one(VarId) {
  return 1.0;
}
double own_number(VarId j) {
  return j;
}

TEST(Balancer, GivesTheLongestToTheLeastLoaded) {
  // 7 -> a, 5 -> b, 4 -> b (9), 3 -> a (10), 2 -> b (11)
  EXPECT_THAT(balance({{7}, {5}, {4}, {3}, {2}}, 2, own_number), ElementsAre(ElementsAre(7, 3), ElementsAre(5, 4, 2)));
}

TEST(Balancer, TiesGoToTheEarlierBlockAndTheEarlierBin) {
  EXPECT_THAT(balance({{4}, {1}, {3}, {2}}, 2, one), ElementsAre(ElementsAre(4, 3), ElementsAre(1, 2)));
}

TEST(Balancer, KeepsABlockTogether) {
  EXPECT_THAT(balance({{1, 2, 3}, {4}, {5}}, 2, one), ElementsAre(ElementsAre(1, 2, 3), ElementsAre(4, 5)));
}

TEST(Balancer, MakesNoMoreBinsThanBlocks) {
  EXPECT_THAT(balance({{1}, {2}}, 8, one), ElementsAre(ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(balance({}, 8, one), IsEmpty());
}

TEST(Balancer, LeavesNoBinEmptyWhenWorkloadsAreZero) {
  const auto bins = balance({{1}, {2}, {3}}, 3, [](VarId) { return 0.0; });
  EXPECT_THAT(bins, testing::Each(Not(IsEmpty())));
}

TEST(Balancer, StaysWithinGrahamsBound) {
  // The best possible is at least the mean and the largest block: LPT is at most 4/3 - 1/(3 m) of the best. Workloads
  // are made so that the best is known: m bins of exactly 100, cut at random.
  CounterRng random(8, Purpose::tests);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t bins = 1 + static_cast<std::size_t>(random.below(6));
    std::vector<std::vector<VarId>> blocks;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      VarId left = 100;
      while (left > 0) {
        const VarId piece = 1 + static_cast<VarId>(random.below(left));
        blocks.push_back({piece});
        left -= piece;
      }
    }
    shuffle(blocks, random);
    double heaviest = 0;
    for (const auto& bin : balance(blocks, bins, own_number)) {
      heaviest = std::max(heaviest, std::accumulate(bin.begin(), bin.end(), 0.0));
    }
    ASSERT_LE(heaviest, 100 * (4.0 / 3.0 - 1.0 / (3.0 * static_cast<double>(bins))) + 1e-9);
  }
}

}  // namespace
}  // namespace strads::engine
