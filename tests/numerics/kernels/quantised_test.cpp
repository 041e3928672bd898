// Whole numbers for vectors: the same on every processor, and never further off than they say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/columns/columns_fixture.hpp"
#include "numerics/kernels/quantised_kernels.hpp"
#include "strads/base/hash.hpp"

namespace strads::test {
namespace {

/// Copies of A2, a missing call as one; and missing calls: one row after the other.
struct PlainSums {
  std::int64_t dosages = 0, missing = 0;

  PlainSums(const std::vector<std::uint8_t>& calls, const std::vector<int>& q) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const unsigned code = calls[i / 4] >> (2 * (i % 4)) & 3;
      dosages += (code == 3 ? 2 : code == 0 ? 0 : 1) * q[i];
      missing += code == 1 ? q[i] : 0;
    }
  }
};

QuantisedVector quantised(const std::vector<double>& u, QuantisedOrder order = QuantisedOrder::calls) {
  QuantisedVector q;
  q.assign(u, {}, order);
  return q;
}

int value_at(const QuantisedVector& q, std::size_t i) {
  const QuantisedChunk::Field& field = q.planes[i / kQuantisedRows].fields[i % 4];
  const std::size_t k = i % kQuantisedRows / 4;
  return 128 * field.high[k] + field.low[k];
}

double length_of(const std::vector<double>& u) {
  return std::sqrt(plain_dot(u, u));
}

std::vector<double> rounding_left(const QuantisedVector& q, const std::vector<double>& u) {
  std::vector<double> e(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) e[i] = std::fma(-q.unit, value_at(q, i), u[i]);
  return e;
}

TEST(QuantisedVector, HoldsEveryEntryToHalfAUnit) {
  Numbers numbers(3);
  for (const std::size_t n : {1U, 3U, 255U, 256U, 257U, 1000U}) {
    std::vector<double> u(n);
    for (double& value : u) value = 1e3 * numbers.centred();
    const QuantisedVector q = quantised(u);
    EXPECT_EQ(q.rows, n);
    EXPECT_EQ(q.planes.size(), (n + 255) / 256);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(q.unit * value_at(q, i), u[i], q.unit * 0.5000001) << i;
      EXPECT_LE(std::abs(value_at(q, i)), kQuantisedMax);
      total += value_at(q, i);
    }
    EXPECT_EQ(q.total, total);
  }
}

TEST(QuantisedVector, SaysHowLongWhatRoundingLostIs) {
  Numbers numbers(4);
  std::vector<double> u(463);
  for (double& value : u) value = numbers.centred();
  const QuantisedVector q = quantised(u);
  const double lost = length_of(rounding_left(q, u));
  EXPECT_GE(q.error, lost);
  EXPECT_LE(q.error, lost * 1.000001);
  EXPECT_NEAR(q.error, q.unit * std::sqrt(463.0 / 12), 0.1 * q.error) << "as of uniform rounding errors";
  EXPECT_NEAR(q.length, length_of(u), 1e-12);
}

TEST(QuantisedVector, OfNothingIsNothing) {
  const QuantisedVector q = quantised(std::vector<double>(10, 0.0));
  EXPECT_EQ(q.unit, 0.0);
  EXPECT_EQ(q.error, 0.0);
  EXPECT_EQ(q.total, 0);
}

TEST(QuantisedVector, OfTinyNumbersIsAllError) {
  const std::vector<double> u(10, 1e-300);
  EXPECT_EQ(quantised(u).unit, 0.0);
  EXPECT_TRUE(std::isfinite(quantised(u).error));
}

TEST(QuantisedVector, SaysWhenItHoldsNothingFinite) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan(""), 1e300}) {
    EXPECT_FALSE(std::isfinite(quantised({1.0, bad, 2.0}).length)) << bad;
  }
}

TEST(QuantisedKernels, AreTheSameWholeNumbersOnEveryProcessor) {
  Numbers numbers(5);
  // 8,192 rows and more: the sums in 32 bits are added up in pieces.
  for (const std::size_t chunks : {1U, 2U, 31U, 32U, 33U, 70U}) {
    const std::size_t n = chunks * kQuantisedRows;
    std::vector<double> u(n);
    for (double& value : u) value = numbers.centred();
    u[n / 2] = 1;
    const QuantisedVector q = quantised(u);
    std::vector<int> plain(n);
    for (std::size_t i = 0; i < n; ++i) plain[i] = value_at(q, i);
    std::vector<std::vector<std::uint8_t>> calls(kQuantisedColumns, std::vector<std::uint8_t>(n / 4));
    const std::uint8_t* places[kQuantisedColumns];
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
      for (std::uint8_t& byte : calls[c]) byte = static_cast<std::uint8_t>(numbers.bits());
      places[c] = calls[c].data();
    }
    for (const QuantisedKernels* const kernel : all_quantised_kernels()) {
      std::int64_t dosages[kQuantisedColumns], missing[kQuantisedColumns];
      kernel->dosages(places, q.planes, dosages);
      kernel->missing(places, q.planes, missing);
      for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
        const PlainSums expected(calls[c], plain);
        EXPECT_EQ(dosages[c], expected.dosages) << kernel->name << " chunks=" << chunks;
        EXPECT_EQ(missing[c], expected.missing) << kernel->name << " chunks=" << chunks;
      }
    }
  }
}

TEST(QuantisedKernels, DoNotOverflowWhereEveryTermIsTheLargest) {
  const std::size_t n = 40 * kQuantisedRows;
  const std::vector<std::uint8_t> twos(n / 4, 0xFF);
  const std::uint8_t* const places[kQuantisedColumns] = {twos.data(), twos.data(), twos.data(), twos.data()};
  for (const double sign : {1.0, -1.0}) {
    const QuantisedVector q = quantised(std::vector<double>(n, sign));
    for (const QuantisedKernels* const kernel : all_quantised_kernels()) {
      std::int64_t sums[kQuantisedColumns];
      kernel->dosages(places, q.planes, sums);
      EXPECT_EQ(sums[3], 2 * q.total) << kernel->name;
    }
  }
}

TEST(QuantisedKernels, WideCountsAreThoseOfWords) {
  if (wide_genotype_counts() == nullptr) return;
  Numbers numbers(6);
  ASSERT_TRUE(choose_simd(Simd::avx2).ok());
  const auto narrow = kernels().genotype_counts;
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
  for (std::size_t n : {1U, 5U, 31U, 32U, 255U, 256U, 257U, 463U, 5000U}) {
    std::vector<std::uint8_t> calls((n + 3) / 4);
    for (std::uint8_t& byte : calls) byte = static_cast<std::uint8_t>(numbers.bits());
    std::vector<std::uint64_t> keep((n + 31) / 32, ~std::uint64_t{0});
    if (n % 32 != 0) keep.back() >>= 64 - 2 * (n % 32);
    keep[numbers.below(keep.size())] &= ~(std::uint64_t{3} << 6);
    const GenotypeCounts a = wide_genotype_counts()(calls.data(), keep.data(), n),
                         b = narrow(calls.data(), keep.data(), n);
    EXPECT_EQ(a.sum, b.sum) << n;
    EXPECT_EQ(a.squares, b.squares) << n;
    EXPECT_EQ(a.missing, b.missing) << n;
  }
}

TEST(QuantisedKernels, WideProductsOfPlanesAreThoseOfWords) {
  if (wide_genotype_plane_pair() == nullptr) return;
  Numbers numbers(7);
  ASSERT_TRUE(choose_simd(Simd::avx2).ok());
  const strads::Kernels& narrow = kernels();
  for (const std::size_t n : {1U, 31U, 33U, 255U, 256U, 257U, 463U, 5000U}) {
    const std::size_t words = (n + 31) / 32;
    std::vector<std::uint64_t> keep(words, ~std::uint64_t{0});
    if (n % 32 != 0) keep.back() >>= 64 - 2 * (n % 32);
    keep[numbers.below(words)] &= ~(std::uint64_t{3} << 6);
    std::array<std::vector<std::uint64_t>, 2> bits;
    std::array<GenotypePlanes, 2> planes{};
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<std::uint8_t> calls((n + 3) / 4);
      for (std::uint8_t& byte : calls) byte = static_cast<std::uint8_t>(numbers.bits());
      std::vector<std::uint64_t>& own = bits[c];
      own.resize(4 * words);
      planes[c] = {own.data(), own.data() + words, own.data() + 2 * words, own.data() + 3 * words};
      narrow.genotype_planes(calls.data(), keep.data(), n, planes[c]);
    }
    for (const std::size_t begin : {std::size_t{0}, words / 3}) {
      for (const bool missing : {false, true}) {
        const GenotypeProducts a = wide_genotype_plane_pair()(planes[0], planes[1], keep.data(), begin, words, missing),
                               b = narrow.genotype_plane_pair(planes[0], planes[1], keep.data(), begin, words, missing);
        EXPECT_EQ(a.product, b.product) << n;
        EXPECT_EQ(a.left, b.left) << n;
        EXPECT_EQ(a.right, b.right) << n;
        EXPECT_EQ(a.both, b.both) << n;
      }
    }
  }
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
}

TEST(QuantisedKernels, TilesHaveTheProductsAndTheBitsOfSinglePairs) {
  const GenotypeTileKernels* const tiles = wide_genotype_tiles();
  if (tiles == nullptr) return;
  constexpr std::size_t kColumns = 14, kStride = 20;
  Numbers numbers(8);
  for (const std::size_t n : {1U, 33U, 257U, 503U, 5000U}) {
    const std::size_t words = (n + 31) / 32;
    std::vector<std::uint64_t> keep(words, ~std::uint64_t{0});
    if (n % 32 != 0) keep.back() >>= 64 - 2 * (n % 32);
    std::vector<std::uint64_t> bits(kColumns * 4 * words);
    std::vector<GenotypePlanes> planes;
    std::vector<double> copies(kColumns), norms(kColumns);
    for (std::size_t c = 0; c < kColumns; ++c) {
      std::vector<std::uint8_t> calls((n + 3) / 4);
      for (std::uint8_t& byte : calls) byte = static_cast<std::uint8_t>(numbers.bits() | 0xaa);  // no call is missing
      std::uint64_t* const first = bits.data() + 4 * words * c;
      planes.push_back({first, first + words, first + 2 * words, first + 3 * words});
      kernels().genotype_planes(calls.data(), keep.data(), n, planes.back());
      copies[c] = static_cast<double>(numbers.below(2 * n + 1));
      norms[c] = 1 + static_cast<double>(numbers.below(1000)) / 7;
    }
    for (const std::size_t lefts : {1U, 3U, 4U, 5U}) {
      for (const std::size_t rights : {1U, 4U, 9U}) {
        std::vector<std::uint64_t> sums(lefts * kStride, 0);
        const auto left = std::span(planes).first(lefts), right = std::span(planes).last(rights);
        for (const auto& [begin, end] : {std::pair(std::size_t{0}, words / 3), std::pair(words / 3, words)}) {
          tiles->products(left, right, begin, end, sums.data(), kStride);
        }
        for (std::size_t a = 0; a < lefts; ++a) {
          for (std::size_t b = 0; b < kStride; ++b) {
            const std::uint64_t expected =
                b < rights ? kernels().genotype_plane_pair(left[a], right[b], keep.data(), 0, words, false).product : 0;
            ASSERT_EQ(sums[a * kStride + b], expected) << n << ": " << a << ", " << b;
          }
          const auto samples = static_cast<double>(n);
          std::vector<double> out(kStride, -7);
          tiles->pairs(sums.data() + a * kStride, samples, copies[a], norms[a], copies.data(), norms.data(), rights,
                       out.data());
          for (std::size_t b = 0; b < rights; ++b) {
            const double spread = samples * static_cast<double>(sums[a * kStride + b]) - copies[a] * copies[b];
            EXPECT_EQ(out[b], spread / samples / (norms[a] * norms[b]));
          }
          EXPECT_EQ(out[rights], -7);
        }
      }
    }
  }
}

// --- columns ---

struct QuantisedCase {
  Recipe recipe;
  Standardization how;
  std::size_t covariates = 0;
  bool weighted = false;
};

std::vector<QuantisedCase> quantised_cases() {
  const Storage calls = Storage::genotype_2bit;
  return {
      {{.storage = calls}, {}},
      {{.storage = calls, .rows = 463, .columns = 30}, {}},
      {{.storage = calls, .rows = 463, .columns = 30, .missing = 0.1}, {}},
      {{.storage = calls, .rows = 301, .columns = 9, .missing = 0.3, .dropped = 17}, {}},
      {{.storage = calls, .rows = 130, .columns = 23, .missing = 0.1}, {.center = true, .scale = false}},
      {{.storage = calls, .rows = 130, .columns = 23, .missing = 0.1}, {.center = false, .scale = true}},
      {{.storage = calls, .rows = 130, .columns = 23, .missing = 0.1, .dropped = 5}, {.center = false, .scale = false}},
      {{.storage = calls, .rows = 200, .columns = 13, .missing = 0.1, .dropped = 5}, {}, 3},
      {{.storage = calls, .rows = 200, .columns = 13}, {.center = true, .scale = false}, 2},
      {{.storage = calls, .rows = 200, .columns = 13, .missing = 0.1, .dropped = 5}, {}, 0, true},
      {{.storage = calls, .rows = 130, .columns = 13, .missing = 0.1}, {.center = false, .scale = false}, 0, true},
      {{.storage = calls, .rows = 200, .columns = 13, .missing = 0.1}, {}, 2, true},
      {{.storage = calls, .rows = 9000, .columns = 5, .missing = 0.02}, {}}};
}

std::vector<QuantisedCase> byte_cases() {
  const Storage i8 = Storage::dense_i8, u8 = Storage::dense_u8;
  return {{{.storage = i8}, {}},
          {{.storage = u8, .rows = 463, .columns = 30}, {}},
          {{.storage = i8, .rows = 301, .columns = 9, .dropped = 17}, {}},
          {{.storage = u8, .rows = 130, .columns = 23}, {.center = true, .scale = false}},
          {{.storage = i8, .rows = 130, .columns = 23}, {.center = false, .scale = true}},
          {{.storage = u8, .rows = 130, .columns = 23, .dropped = 5}, {.center = false, .scale = false}},
          {{.storage = i8, .rows = 200, .columns = 13, .dropped = 5}, {}, 3},
          {{.storage = u8, .rows = 200, .columns = 13}, {.center = true, .scale = false}, 2},
          {{.storage = i8, .rows = 200, .columns = 13, .dropped = 5}, {}, 0, true},
          {{.storage = u8, .rows = 130, .columns = 13}, {.center = false, .scale = false}, 0, true},
          {{.storage = u8, .rows = 200, .columns = 13}, {}, 2, true},
          {{.storage = i8, .rows = 9000, .columns = 5}, {}},
          {{.storage = u8, .rows = 7, .columns = 300}, {}}};
}

std::vector<QuantisedCase> all_cases() {
  std::vector<QuantisedCase> all = quantised_cases();
  for (const QuantisedCase& one : byte_cases()) all.push_back(one);
  return all;
}

struct Made {
  Matrix matrix;
  StandardizedColumns columns;

  explicit Made(const QuantisedCase& wanted)
      : matrix(weighed(wanted)), columns(matrix.view(), wanted.how, vectors(matrix, wanted.covariates)) {}

  static Matrix weighed(const QuantisedCase& wanted) {
    Matrix matrix(wanted.recipe);
    if (wanted.weighted) matrix.weigh(5);
    return matrix;
  }
  static std::vector<std::vector<double>> vectors(const Matrix& matrix, std::size_t count) {
    std::vector<std::vector<double>> result;
    for (std::size_t k = 0; k < count; ++k) result.push_back(matrix.vector(100 + k));
    return result;
  }
  /// The largest share of its bound that an approximate product is off.
  [[nodiscard]] double worst(const std::vector<double>& u) const {
    SerialChunks serial;
    QuantisedVector q;
    q.assign(u, columns.roots(), columns.quantised_order());
    std::vector<double> exact(columns.size()), near(columns.size());
    columns.dots(matrix.all(), u, exact, serial);
    columns.approximate_dots(matrix.all(), q, near, serial);
    double share = 0;
    for (VarId j = 0; j < columns.size(); ++j) {
      const double bound = columns.length_bound(j) * (q.error + columns.rounding_bound(j) * q.length);
      if (exact[j] != near[j]) share = std::max(share, std::abs(near[j] - exact[j]) / bound);
    }
    return share;
  }
};

TEST(ApproximateDots, AreNeverFurtherOffThanTheirBound) {
  for (const QuantisedCase& wanted : all_cases()) {
    const Made made(wanted);
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      std::vector<double> u = made.matrix.vector(seed);
      // One large entry makes the unit large for all others.
      if (seed % 3 == 0) u[made.matrix.keeps(1) ? 1 : 2] *= 1000;
      made.columns.project(u);
      EXPECT_LE(made.worst(u), 1.0) << "rows " << wanted.recipe.rows << " seed " << seed;
    }
  }
}

TEST(ApproximateDots, HoldTheirBoundWhereRoundingLosesAsMuchAsItCan) {
  for (const QuantisedCase& wanted : all_cases()) {
    if (wanted.how.center || wanted.weighted) continue;  // projecting would move the entries off their halves
    const Made made(wanted);
    std::vector<double> u(wanted.recipe.rows, 0.0), x(u.size());
    made.columns.decode(2, x);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = x[i] != 0 ? 7 + 0.499 : 0;
    u[0] = x[0] != 0 ? kQuantisedMax : 0;
    EXPECT_LE(made.worst(u), 1.0);
  }
}

TEST(ApproximateDots, ComeCloseToTheirBoundForAColumnAlongTheRounding) {
  // One row differs: x~ is nearly a unit vector, and the error of that row is nearly all there is.
  QuantisedCase wanted{{.storage = Storage::genotype_2bit, .rows = 64, .columns = 4}, {.center = false, .scale = true}};
  Matrix matrix(wanted.recipe);
  for (std::size_t i = 0; i < 64; ++i) matrix.raw[i] = i == 5 ? 2 : 0;
  matrix.store();
  const StandardizedColumns columns(matrix.view(), wanted.how);
  std::vector<double> u(64, 0.0);
  u[0] = kQuantisedMax;
  u[5] = 0.5 - 1e-9;
  SerialChunks serial;
  const QuantisedVector q = quantised(u);
  std::vector<double> near(1);
  columns.approximate_dots(std::vector<VarId>{0}, q, near, serial);
  EXPECT_EQ(near[0], 0.0);
  EXPECT_NEAR(columns.dot(0, u, 0), q.error, 1e-6) << "the bound is met: nothing smaller would do";
}

TEST(ApproximateDots, HaveTheSameBitsOnEveryTargetAndInAnyOrderOfPieces) {
  for (const QuantisedCase& wanted : all_cases()) {
    const Made made(wanted);
    const QuantisedVector q = quantised(made.matrix.vector(8), made.columns.quantised_order());
    SerialChunks serial;
    BackwardChunks backward;
    std::vector<double> expected(made.columns.size()), found(made.columns.size());
    made.columns.approximate_dots(made.matrix.all(), q, expected, serial);
    for (const Simd simd : targets()) {
      ASSERT_TRUE(choose_simd(simd).ok());
      made.columns.approximate_dots(made.matrix.all(), q, found, backward);
      EXPECT_TRUE(same_bits(expected, found)) << simd_name();
    }
    ASSERT_TRUE(choose_simd(Simd::automatic).ok());
  }
}

// Ran on x86 and, by scripts/test_neon, on emulated ARM. The number changes with the test's matrices or the format of
// q.
TEST(ApproximateDots, HaveTheseBitsOnEveryArchitecture) {
  Hash64 hash;
  for (const QuantisedCase& wanted : quantised_cases()) {
    // Statistics of columns are whole numbers too, but not with weights, and not what covariates leave of a length.
    if (wanted.weighted || wanted.covariates > 0) continue;
    const Made made(wanted);
    const QuantisedVector q = quantised(made.matrix.vector(8));
    SerialChunks chunks;
    std::vector<double> found(made.columns.size());
    made.columns.approximate_dots(made.matrix.all(), q, found, chunks);
    for (const double value : found) hash.update_f64(value);
  }
  EXPECT_EQ(hash.digest(), 5410532171062790077U);
}

TEST(ApproximateDots, OfAListAreThoseOfItsColumns) {
  for (const QuantisedCase& wanted : {quantised_cases()[2], byte_cases()[1]}) {
    const Made made(wanted);
    const QuantisedVector q = quantised(made.matrix.vector(9), made.columns.quantised_order());
    SerialChunks serial;
    std::vector<double> all(made.columns.size());
    made.columns.approximate_dots(made.matrix.all(), q, all, serial);
    const std::vector<VarId> list = {29, 3, 3, 17, 0, 28, 1};
    std::vector<double> found(list.size());
    made.columns.approximate_dots(list, q, found, serial);
    for (std::size_t k = 0; k < list.size(); ++k) EXPECT_EQ(found[k], all[list[k]]) << k;
  }
}

TEST(ApproximateDots, OfColumnsTakenTogetherAreThoseOfEachAlone) {
  // More columns than are taken together, in stores that end within a kernel's reach of many of them.
  for (const QuantisedCase& wanted :
       {QuantisedCase{{.storage = Storage::genotype_2bit, .rows = 5, .columns = 301}, {}},
        QuantisedCase{{.storage = Storage::genotype_2bit, .rows = 41, .columns = 150, .missing = 0.01}, {}},
        QuantisedCase{{.storage = Storage::dense_i8, .rows = 3, .columns = 203}, {}}}) {
    const Made made(wanted);
    const QuantisedVector q = quantised(made.matrix.vector(4), made.columns.quantised_order());
    SerialChunks serial;
    std::vector<double> together(made.columns.size()), alone(1);
    made.columns.approximate_dots(made.matrix.all(), q, together, serial);
    std::size_t zeros = 0;
    for (const VarId j : made.matrix.all()) {
      made.columns.approximate_dots(std::vector<VarId>{j}, q, alone, serial);
      EXPECT_EQ(together[j], alone[0]) << "column " << j << " of " << wanted.recipe.columns;
      EXPECT_FALSE(std::signbit(together[j]) && together[j] == 0) << "column " << j;
      const bool kept = made.columns.state(j) == ColumnState::kept;
      EXPECT_TRUE(kept || together[j] == 0) << "column " << j;
      zeros += together[j] == 0 ? 1 : 0;
    }
    EXPECT_LT(zeros, made.columns.size() / 2);
  }
}

TEST(ApproximateDots, OfDroppedColumnsAreZero) {
  Matrix matrix({.storage = Storage::genotype_2bit, .rows = 40, .columns = 6});
  matrix.excluded.assign(6, 0);
  matrix.excluded[4] = 1;
  for (std::size_t i = 0; i < 40; ++i) matrix.raw[40 + i] = 1;
  matrix.store();
  const StandardizedColumns columns(matrix.view(), {});
  SerialChunks serial;
  std::vector<double> found(6);
  columns.approximate_dots(matrix.all(), quantised(matrix.vector(3)), found, serial);
  EXPECT_EQ(found[1], 0.0) << "constant";
  EXPECT_EQ(found[4], 0.0) << "excluded";
  EXPECT_NE(found[0], 0.0);
}

TEST(LengthBound, IsThatOfTheColumnBeforeProjection) {
  for (const QuantisedCase& wanted : all_cases()) {
    const Made made(wanted);
    for (VarId j = 0; j < made.columns.size(); ++j) {
      if (made.columns.state(j) != ColumnState::kept) continue;
      const double length = length_of(Reference(made.matrix, j, wanted.how).column);
      EXPECT_GE(made.columns.length_bound(j), length * (1 - 1e-15)) << j;
      EXPECT_NEAR(made.columns.length_bound(j), length, 1e-9 * length) << j;
    }
  }
}

}  // namespace
}  // namespace strads::test
