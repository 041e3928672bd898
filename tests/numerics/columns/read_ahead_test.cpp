// Columns of a file that memory cannot hold: what passes ask for, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "columns_fixture.hpp"
#include "numerics/columns/read_ahead.hpp"

namespace strads::test {
namespace {

using ColumnRange = Part<std::size_t>;
using ByteRange = Part<std::uint64_t>;

TEST(ReadAhead, FirstPieceAsksForAllThatComesSoon) {
  EXPECT_EQ(asked_for(1000, 10, 0, 7), (ColumnRange{0, (1 + kWindowsAhead) * 10}));
}

TEST(ReadAhead, PieceInTheMiddleOfAWindowAsksForNothing) {
  EXPECT_EQ(asked_for(1000, 10, 7, 10), (ColumnRange{0, 0}));
}

TEST(ReadAhead, PieceInWhichAWindowBeginsAsksForTheOneSomeWindowsLater) {
  EXPECT_EQ(asked_for(1000, 10, 28, 35), (ColumnRange{(3 + kWindowsAhead) * 10, (4 + kWindowsAhead) * 10}));
}

TEST(ReadAhead, NothingIsAskedForBehindTheEnd) {
  EXPECT_EQ(asked_for(45, 10, 0, 7), (ColumnRange{0, 45}));
  EXPECT_EQ(asked_for(45, 10, 28, 35), (ColumnRange{45, 45}));
}

TEST(ReadAhead, PiecesAskForEachColumnOnceAndInTime) {
  for (const std::size_t size : {0U, 1U, 13U, 200U, 1000U}) {
    for (const std::size_t window : {1U, 7U, 16U, 300U}) {
      for (const std::size_t piece : {1U, 5U, 16U, 99U}) {
        std::vector<std::size_t> asked(size, 0);
        for (std::size_t begin = 0; begin < size; begin += piece) {
          const std::size_t end = std::min(size, begin + piece);
          const ColumnRange wanted = asked_for(size, window, begin, end);
          for (std::size_t k = wanted.begin; k < wanted.end; ++k) ++asked[k];
          const std::size_t soon = std::min(size, end + (kWindowsAhead - 1) * window);
          EXPECT_TRUE(std::all_of(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(soon),
                                  [](std::size_t times) { return times == 1; }))
              << size << " columns, windows of " << window << ", pieces of " << piece << " at " << begin;
        }
      }
    }
  }
}

TEST(ReadAhead, PassBackwardsAsksForEachColumnOnceAndInTime) {
  for (const std::size_t size : {1U, 45U, 1000U, 1003U}) {
    for (const std::size_t per_piece : {1U, 7U, 64U}) {
      const PassOrder order{size, per_piece, true};
      std::vector<int> asked(size, 0);
      std::size_t read_to = size;
      for (std::size_t k = 0; k < order.pieces(); ++k) {
        const ColumnRange piece = order.piece(k);
        EXPECT_EQ(piece.end, read_to) << "pieces follow each other from the end";
        const ColumnRange wanted = order.asked_by(10, piece);
        for (std::size_t i = wanted.begin; i < wanted.end; ++i) ++asked[i];
        for (std::size_t i = piece.begin; i < piece.end; ++i) EXPECT_EQ(asked[i], 1) << "column " << i;
        read_to = piece.begin;
      }
      EXPECT_EQ(read_to, 0U);
    }
  }
}

TEST(ReadAhead, NeighboursAreOnePart) {
  const std::vector<VarId> list = {3, 4, 5, 7, 1000, 2, 3};
  EXPECT_EQ(parts_of(list, 100), (std::vector<ByteRange>{{300, 800}, {100000, 100100}, {200, 400}}));
}

TEST(ReadAhead, GapsThatCostMoreThanARequestAreNotRead) {
  const VarId far = 1 + kGapBytes / 4096;
  EXPECT_EQ(parts_of(std::vector<VarId>{0, far}, 4096).size(), 1U);
  EXPECT_EQ(parts_of(std::vector<VarId>{0, far + 1}, 4096).size(), 2U);
}

/// Remembers which bytes were announced.
class Listener final : public ReadAhead {
 public:
  void expect(std::uint64_t begin, std::uint64_t end) const override { parts.push_back({begin, end}); }
  mutable std::vector<ByteRange> parts;
};

struct Announced {
  Matrix matrix{{.storage = Storage::genotype_2bit, .rows = 40'000, .columns = 400}};  // 10,000 bytes a column
  Listener listener;
  StandardizedColumns columns{view(), {}};
  SerialChunks chunks;

  ColumnsView view() {
    ColumnsView view = matrix.view();
    view.read_ahead = &listener;
    return view;
  }
  /// Sorted and joined.
  std::vector<ByteRange> bytes() const {
    std::vector<ByteRange> sorted = listener.parts, joined;
    std::sort(sorted.begin(), sorted.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    for (const ByteRange& part : sorted) {
      if (!joined.empty() && part.begin == joined.back().end) {
        joined.back().end = part.end;
      } else {
        joined.push_back(part);
      }
    }
    return joined;
  }
};

TEST(ReadAhead, EveryPassAnnouncesAllOfItsColumnsOnceAndChangesNoBit) {
  Announced announced;
  const StandardizedColumns silent(announced.matrix.view(), {});
  const std::vector<double> u = announced.matrix.vector(3);
  const std::vector<VarId> all = announced.matrix.all();
  const std::vector<ByteRange> everything = {{0, 400 * 10'000}};
  std::vector<double> expected(all.size()), found(all.size());
  QuantisedVector q;
  q.assign(u);

  announced.columns.scan(all, announced.chunks);
  EXPECT_EQ(announced.bytes(), everything) << "scan";
  announced.listener.parts.clear();
  announced.columns.dots(all, u, found, announced.chunks);
  EXPECT_EQ(announced.bytes(), everything) << "dots";
  EXPECT_LE(announced.listener.parts.size(), 4U) << "windows, not columns";
  silent.dots(all, u, expected, announced.chunks);
  EXPECT_TRUE(same_bits(expected, found));
  announced.listener.parts.clear();
  announced.columns.approximate_dots(all, q, found, announced.chunks);
  EXPECT_EQ(announced.bytes(), everything) << "approximate_dots";
}

TEST(ReadAhead, EveryOtherLongPassBeginsWhereTheOneBeforeEnded) {
  constexpr VarId kColumns = 2'000;
  constexpr std::uint64_t kStride = 10'000, kEnd = kColumns * kStride;  // 20 MB
  std::vector<std::byte> calls(kEnd);
  Numbers numbers(5);
  for (std::byte& four : calls) four = static_cast<std::byte>(numbers.bits() & 0xffU);
  const Listener listener;
  ColumnsView view;
  view.storage = Storage::genotype_2bit;
  view.rows = 4 * kStride;
  view.columns = kColumns;
  view.values = calls.data();
  view.column_stride = kStride;
  view.read_ahead = &listener;
  const StandardizedColumns columns(view, {});
  std::vector<VarId> all(kColumns);
  std::iota(all.begin(), all.end(), VarId{0});
  std::vector<double> u(view.rows), first(kColumns), found(kColumns);
  for (double& value : u) value = numbers.centred();
  QuantisedVector q;
  q.assign(u);
  SerialChunks chunks;
  columns.scan(all, chunks);
  columns.approximate_dots(all, q, first, chunks);
  for (const bool backwards : {false, true, false}) {
    listener.parts.clear();
    columns.approximate_dots(all, q, found, chunks);
    EXPECT_EQ(listener.parts.front().begin == 0, !backwards);
    EXPECT_EQ(listener.parts.front().end == kEnd, backwards);
    EXPECT_TRUE(same_bits(first, found));
  }
}

TEST(ReadAhead, ColumnsOfABlockAreAnnouncedBeforeTheyAreRead) {
  Announced announced;
  const std::vector<VarId> block = {7, 300};
  const std::vector<ByteRange> theirs = {{70'000, 80'000}, {3'000'000, 3'010'000}};
  announced.columns.prepare(block, announced.chunks);
  announced.listener.parts.clear();
  std::vector<double> products(4), v(announced.matrix.recipe.rows);
  announced.columns.gram(block, products, announced.chunks);
  EXPECT_EQ(announced.listener.parts, theirs) << "gram";
  announced.listener.parts.clear();
  announced.columns.combine(block, std::vector<double>{1, 1}, v, announced.chunks);
  EXPECT_EQ(announced.listener.parts, theirs) << "combine";
  announced.listener.parts.clear();
  StandardizedColumns::Pairs pairs(announced.columns);
  pairs.prepare(block, announced.chunks);
  EXPECT_EQ(announced.listener.parts, theirs) << "pairs";
}

}  // namespace
}  // namespace strads::test
