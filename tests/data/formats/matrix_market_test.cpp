#include "data/formats/matrix_market.hpp"

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, ReadsCoordinatesInAnyOrder) {
  const auto matrix = parse_matrix_market(kReal + "% a comment\n\n3 2 2\n3 1 -1.5\n1 2 4\n", "f");
  ASSERT_TRUE(matrix.ok()) << matrix.status().message();
  const SparseEntries& entries = matrix.value().entries;
  EXPECT_TRUE(matrix.value().coordinate);
  EXPECT_EQ(entries.row_count, 3u);
  EXPECT_EQ(entries.column_count, 2u);
  EXPECT_EQ(entries.rows, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(entries.columns, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(entries.values, (std::vector<double>{-1.5, 4}));
}

TEST(MatrixMarket, ReadsPatternsAsOnesAndIntegers) {
  const auto pattern = parse_matrix_market("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2\n", "f");
  ASSERT_TRUE(pattern.ok()) << pattern.status().message();
  EXPECT_EQ(pattern.value().entries.values, (std::vector<double>{1}));
  const auto whole = parse_matrix_market("%%matrixmarket MATRIX Coordinate Integer General\n2 2 1\n2 2 7\n", "f");
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_EQ(whole.value().entries.values, (std::vector<double>{7}));
}

TEST(MatrixMarket, ReadsArraysColumnAfterColumn) {
  const auto matrix = parse_matrix_market("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "f");
  ASSERT_TRUE(matrix.ok()) << matrix.status().message();
  EXPECT_FALSE(matrix.value().coordinate);
  EXPECT_EQ(matrix.value().dense, (std::vector<double>{1, 2, 3, 4}));
}

TEST(MatrixMarket, RefusesOtherKindsOfMatrices) {
  const auto header = [](const std::string& line) { return parse_matrix_market(line + "\n1 1 1\n1 1 1\n", "f"); };
  EXPECT_THAT(header("%%MatrixMarket matrix coordinate real symmetric"), FailsWith("expected general; write the full"));
  EXPECT_THAT(header("%%MatrixMarket matrix coordinate complex general"), FailsWith("found 'complex'"));
  EXPECT_THAT(header("%%MatrixMarket vector coordinate real general"), FailsWith("expected matrix"));
  EXPECT_THAT(header("%%MatrixMarket matrix array pattern general"), FailsWith("cannot be a pattern"));
  EXPECT_THAT(header("%%MatrixMarket matrix coordinate"), FailsWith("expected real or integer or pattern"));
}

TEST(MatrixMarket, RefusesSizesThatTheFileCannotHold) {
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1152921504606846976\n1 1 1\n", "f"),
              FailsWith("f:2:1: 1152921504606846976"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 99999999999999999999\n1 1 1\n", "f"), FailsWith("f:2:5: size"));
  EXPECT_THAT(parse_matrix_market(kReal + "-2 2 1\n1 1 1\n", "f"), FailsWith("f:2:1: size '-2'"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 -1\n1 1 1\n", "f"), FailsWith("size '-1'"));
  EXPECT_THAT(parse_matrix_market(kReal + "9999999999 2 1\n1 1 1\n", "f"),
              FailsWith("9999999999 rows, expected at most"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 9999999999 1\n1 1 1\n", "f"), FailsWith("9999999999 columns, expected"));
  EXPECT_THAT(parse_matrix_market(kReal + "0 2 0\n", "f"), FailsWith("without rows or columns"));
  EXPECT_THAT(parse_matrix_market("%%MatrixMarket matrix array real general\n4000000000 200000000\n1\n", "f"),
              FailsWith("bytes follow"));
}

TEST(MatrixMarket, AllocatesForNoNumberOfColumnsFarBeyondTheSizeOfTheFile) {
  EXPECT_THAT(parse_matrix_market("%%MatrixMarket matrix coordinate real general\n3 268435456 1\n1 1 1\n", "f"),
              FailsWith("268435456 columns, expected at most 1048576 for"));
}

TEST(MatrixMarket, RefusesWhatMemoryCannotHold) {
  const std::string sparse = kReal + "2 2 3\n1 1 1\n2 1 2\n2 2 3\n";
  constexpr std::uint64_t kSparseBytes = std::uint64_t{3} * 28;
  EXPECT_THAT(parse_matrix_market(sparse, "f", kSparseBytes - 1), FailsWith("f: its entries take"));
  EXPECT_TRUE(parse_matrix_market(sparse, "f", kSparseBytes).ok());
  const std::string dense = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
  constexpr std::uint64_t kDenseBytes = std::uint64_t{4} * 16;
  EXPECT_THAT(parse_matrix_market(dense, "f", kDenseBytes - 1), FailsWith("f: its entries take"));
  EXPECT_TRUE(parse_matrix_market(dense, "f", kDenseBytes).ok());
}

TEST(MatrixMarket, PassesOverAByteOrderMark) {
  const std::string text = "\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n";
  EXPECT_TRUE(is_matrix_market(text));
  EXPECT_TRUE(parse_matrix_market(text, "f").ok());
}

TEST(MatrixMarket, RefusesIndicesOutOfRange) {
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1\n3 1 1\n", "f"), FailsWith("f:3:1: row number '3', expected 1 to 2"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1\n1 0 1\n", "f"),
              FailsWith("f:3:3: column number '0', expected 1 to 2"));
}

TEST(MatrixMarket, RefusesTooFewAndTooManyEntries) {
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 2\n1 1 100000\n", "f"), FailsWith("ends after 1 of 2 entries"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1\n1 1 1\n2 2 2\n", "f"),
              FailsWith("f:4:1: found '2 2 2' after the last"));
  EXPECT_THAT(parse_matrix_market(kReal, "f"), FailsWith("ends before the line with the sizes"));
}

TEST(MatrixMarket, RefusesWrongEntries) {
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1\n1 1 abc\n", "f"), FailsWith("f:3:5: text 'abc'"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1\n1 1 1e999\n", "f"), FailsWith("f:3:5: number '1e999'"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1\n1 1 1 1\n", "f"), FailsWith("f:3:7: found '1' after the entry"));
  EXPECT_THAT(parse_matrix_market(kReal + "2 2 1\n1 1    \n", "f"), FailsWith("expected a value"));
}

}  // namespace
}  // namespace strads::data
