// Whole-number kernels on bytes against plain loops: every instruction set that this processor has.
#include "numerics/kernels/byte_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "numerics/columns/columns_fixture.hpp"

namespace strads::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(std::size_t count, std::uint64_t seed) {
  Numbers numbers(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers.bits());
  return bytes;
}

QuantisedVector quantised_bytes(const std::vector<double>& u) {
  QuantisedVector q;
  q.assign(u, {}, QuantisedOrder::bytes);
  return q;
}

/// q of row i, from where QuantisedOrder::bytes puts it.
int byte_value_at(const QuantisedVector& q, std::size_t i) {
  const QuantisedChunk::Field& field = q.planes[i / 256].fields[i % 256 / 64];
  return 128 * field.high[i % 64] + field.low[i % 64];
}

std::int64_t plain_product(const Bytes& x, std::uint8_t flip, const QuantisedVector& q) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < q.rows; ++i) sum += std::int64_t{x[i] ^ flip} * byte_value_at(q, i);
  return sum;
}

ByteSums plain_sums(const Bytes& x, std::uint8_t flip, const Bytes& mask) {
  ByteSums sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t value = mask[i] == 0 ? 0 : x[i] ^ flip;
    sums.sum += value;
    sums.squares += value * value;
  }
  return sums;
}

/// Rows up to n, and zeros up to whole registers.
Bytes mask_of(std::size_t n) {
  Bytes mask((n + kMaskRows - 1) / kMaskRows * kMaskRows, 0);
  std::fill_n(mask.begin(), n, std::uint8_t{0xFF});
  return mask;
}

void expect_products(const std::vector<Bytes>& columns, const QuantisedVector& q) {
  const std::uint8_t* places[kQuantisedColumns];
  for (std::size_t c = 0; c < kQuantisedColumns; ++c) places[c] = columns[c].data();
  for (const std::uint8_t flip : {std::uint8_t{0}, kSignedFlip}) {
    for (const ByteKernels* const kernel : all_byte_kernels()) {
      std::int64_t sums[kQuantisedColumns];
      kernel->products(places, flip, q.planes, sums);
      for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
        EXPECT_EQ(sums[c], plain_product(columns[c], flip, q)) << kernel->name << " rows " << q.rows << " column " << c;
      }
    }
  }
}

TEST(QuantisedBytes, LieInTheOrderOfTheRows) {
  std::vector<double> u(300);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i) * kQuantisedMax / 299;
  const QuantisedVector q = quantised_bytes(u);
  EXPECT_EQ(q.order, QuantisedOrder::bytes);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(q.unit * byte_value_at(q, i), u[i], 0.5000001 * q.unit) << i;
}

TEST(ByteProducts, AreTheSameWholeNumbersOnEveryProcessor) {
  Numbers numbers(5);
  for (const std::size_t n : {1U, 63U, 64U, 255U, 256U, 463U, 2048U, 2049U, 4096U, 4700U}) {
    std::vector<double> u(n);
    for (double& value : u) value = numbers.centred();
    std::vector<Bytes> columns;
    for (std::size_t c = 0; c < kQuantisedColumns; ++c) {
      // What lies behind the rows is read, but counts for nothing.
      columns.push_back(random_bytes((n + kQuantisedRows - 1) / kQuantisedRows * kQuantisedRows, n + c));
    }
    expect_products(columns, quantised_bytes(u));
  }
}

// If every term is the largest, 32 bits are full after 2,048 (SSSE3), 4,096 (AVX2) and 65,536 rows (VNNI).
TEST(ByteProducts, DoNotOverflowWhereEveryTermIsTheLargest) {
  const std::size_t n = 66000 / kQuantisedRows * kQuantisedRows + kQuantisedRows;
  const std::vector<Bytes> columns(kQuantisedColumns, Bytes(n, 0xFF));
  for (const double sign : {1.0, -1.0}) expect_products(columns, quantised_bytes(std::vector<double>(n, sign)));
}

TEST(ByteSums, AreTheSameWholeNumbersOnEveryProcessor) {
  for (const std::size_t n : {1U, 15U, 16U, 17U, 31U, 33U, 63U, 64U, 65U, 463U, 1000U}) {
    const Bytes x = random_bytes(n, n);
    Bytes mask = mask_of(n);
    for (const std::size_t dropped : {n, std::size_t{0}, n / 2, n - 1}) {
      mask[std::min(dropped, mask.size() - 1)] = 0;
      for (const std::uint8_t flip : {std::uint8_t{0}, kSignedFlip}) {
        const ByteSums expected = plain_sums(x, flip, mask);
        for (const ByteKernels* const kernel : all_byte_kernels()) {
          const ByteSums sums = kernel->sums(x.data(), flip, mask.data(), n);
          EXPECT_EQ(sums.sum, expected.sum) << kernel->name << " rows " << n;
          EXPECT_EQ(sums.squares, expected.squares) << kernel->name << " rows " << n;
        }
      }
    }
  }
}

// Squares of 32 bits are full after 131,072 (SSSE3), 262,144 (AVX2) and 65,536 rows (VNNI).
TEST(ByteSums, DoNotOverflowWhereEveryTermIsTheLargest) {
  const std::size_t n = 270000;
  const Bytes x(n, 0xFF), mask = mask_of(n);
  for (const ByteKernels* const kernel : all_byte_kernels()) {
    EXPECT_EQ(kernel->sums(x.data(), 0, mask.data(), n).sum, n * 255) << kernel->name;
    EXPECT_EQ(kernel->sums(x.data(), 0, mask.data(), n).squares, n * 255 * 255) << kernel->name;
    EXPECT_EQ(kernel->sums(x.data(), kSignedFlip, mask.data(), n).squares, n * 127 * 127) << kernel->name;
  }
}

TEST(ByteKernels, AreThoseOfTheTarget) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    EXPECT_EQ(std::string(byte_kernels().name), quantised_kernels().name);
  }
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
  EXPECT_EQ(all_byte_kernels().size(), all_quantised_kernels().size());
}

}  // namespace
}  // namespace strads::test
