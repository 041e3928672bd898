// Dense kernels, dispatch and gram(): every target against plain arithmetic.
#include <gtest/gtest.h>

#include <algorithm>

#include "numerics/columns/columns_fixture.hpp"
#include "numerics/kernels/kernels.hpp"

namespace strads::test {
namespace {

/// Sums of up to 5,000 terms of size 1 in double precision.
constexpr double kRelative = 1e-12;

std::vector<double> random_vector(std::size_t n, std::uint64_t seed) {
  Numbers numbers(seed);
  std::vector<double> v(n);
  for (double& value : v) value = numbers.centred();
  return v;
}

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> result;
  for (std::size_t n = 0; n <= 70; ++n) result.push_back(n);
  result.insert(result.end(), {463, 512, 513, 4097});
  return result;
}

class Kernels : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(choose_simd(Simd::automatic).ok()); }
};

TEST_F(Kernels, DotAgreesWithPlainArithmeticAtEveryLength) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const std::size_t n : lengths()) {
      const auto a = random_vector(n, n), b = random_vector(n, n + 1);
      EXPECT_NEAR(dot(a, b), plain_dot(a, b), kRelative * static_cast<double>(n + 1)) << simd_name() << " n=" << n;
    }
  }
}

TEST_F(Kernels, SumHasTheBitsOfADotWithOnes) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const std::size_t n : lengths()) {
      const auto a = random_vector(n, n);
      EXPECT_EQ(sum(a), dot(a, std::vector<double>(n, 1.0))) << simd_name() << " n=" << n;
    }
  }
}

TEST_F(Kernels, AxpyTouchesEveryEntryOnceAndNothingBehind) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const std::size_t n : lengths()) {
      const auto x = random_vector(n, n);
      std::vector<double> y(n + 1, 1.0);
      axpy(-2.0, x, std::span(y).first(n));
      for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(y[i], 1.0 - 2.0 * x[i], 1e-15) << simd_name() << " n=" << n;
      ASSERT_EQ(y[n], 1.0);
    }
  }
}

TEST_F(Kernels, DenseAddHasTheSameBitsWhereverTheRowsAreCut) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    const std::size_t n = 61;
    const auto x = random_vector(n, 3);
    std::vector<double> whole = random_vector(n, 4), cut = whole;
    kernels().dense_add_f64(x.data(), 0.3, 0.7, whole.data(), n);
    for (std::size_t begin = 0; begin < n; begin += 4) {
      kernels().dense_add_f64(x.data() + begin, 0.3, 0.7, cut.data() + begin, std::min<std::size_t>(4, n - begin));
    }
    EXPECT_TRUE(same_bits(whole, cut)) << simd_name();
  }
}

TEST_F(Kernels, AutomaticChoosesTheBestTargetThatTheProcessorHas) {
  ASSERT_TRUE(choose_simd(targets().back()).ok());
  const std::string best(simd_name());
  ASSERT_TRUE(choose_simd(targets().front()).ok());
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
  EXPECT_EQ(simd_name(), best);
}

TEST_F(Kernels, ChosenTargetIsNamed) {
  if (choose_simd(Simd::sse4).ok()) {
    EXPECT_EQ(simd_name(), "sse4");
  }
  if (choose_simd(Simd::avx2).ok()) {
    EXPECT_EQ(simd_name(), "avx2");
  }
  const Status wide = choose_simd(Simd::avx512);
  if (wide.ok()) {
    EXPECT_EQ(simd_name(), "avx512");
  } else {
    EXPECT_EQ(wide.code(), StatusCode::usage);
    EXPECT_NE(wide.message().find("avx512"), std::string::npos);
  }
}

TEST_F(Kernels, GramAgreesWithPlainArithmetic) {
  SerialChunks chunks;
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const std::size_t n : {1u, 7u, 8u, 9u, 63u, 463u, 512u, 1100u}) {
      const std::size_t left_count = 37, right_count = 5;
      const auto left = random_vector(n * left_count, n), right = random_vector(n * right_count, n + 7);
      std::vector<double> out(left_count * right_count);
      gram(left, right, n, out, chunks);
      for (std::size_t a = 0; a < left_count; ++a) {
        for (std::size_t b = 0; b < right_count; ++b) {
          long double exact = 0;
          for (std::size_t i = 0; i < n; ++i) exact += static_cast<long double>(left[a * n + i]) * right[b * n + i];
          ASSERT_NEAR(out[a * right_count + b], static_cast<double>(exact), kRelative * static_cast<double>(n));
        }
      }
    }
  }
}

TEST_F(Kernels, GramEntriesDoNotDependOnTheirTileNorOnTheOrderOfPieces) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    const std::size_t n = 515, count = 67;
    const auto columns = random_vector(n * count, 5);
    auto reversed = columns;
    for (std::size_t a = 0; a < count; ++a) {
      std::copy_n(columns.begin() + static_cast<std::ptrdiff_t>(a * n), n,
                  reversed.begin() + static_cast<std::ptrdiff_t>((count - 1 - a) * n));
    }
    std::vector<double> out(count * count), other(count * count);
    BackwardChunks backward;
    ShuffledChunks shuffled;
    gram(columns, columns, n, out, backward);
    gram(columns, reversed, n, other, shuffled);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        ASSERT_EQ(out[a * count + b], out[b * count + a]) << simd_name();
        ASSERT_EQ(out[a * count + b], other[a * count + (count - 1 - b)]) << simd_name();
      }
    }
  }
}

TEST_F(Kernels, GramOfNothingWritesZeros) {
  SerialChunks chunks;
  std::vector<double> out(0);
  gram({}, {}, 5, out, chunks);
  std::vector<double> entry(1, 7.0);
  gram({}, {}, 0, entry, chunks);
  EXPECT_EQ(entry[0], 0.0);
}

TEST_F(Kernels, GenotypeKernelsDecodeEveryCodeAtEveryLength) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const std::size_t n : lengths()) {
      Numbers numbers(n);
      std::vector<std::uint8_t> calls((n + 3) / 4);
      for (auto& byte : calls) byte = static_cast<std::uint8_t>(numbers.bits());
      const double values[4] = {0.25, 1.5, -3.0, 7.0};
      const auto u = random_vector(n, n + 5);
      std::vector<double> v(n + 1, 1.0), decoded(n);
      for (std::size_t i = 0; i < n; ++i) decoded[i] = values[(calls[i / 4] >> (2 * (i % 4))) & 3];
      EXPECT_NEAR(kernels().genotype_dot(calls.data(), values, u.data(), n), plain_dot(decoded, u),
                  kRelative * static_cast<double>(n + 1))
          << simd_name() << " n=" << n;
      kernels().genotype_add(calls.data(), values, v.data(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(v[i], 1.0 + decoded[i]) << simd_name() << " n=" << n;
      ASSERT_EQ(v[n], 1.0);
    }
  }
}

}  // namespace
}  // namespace strads::test
