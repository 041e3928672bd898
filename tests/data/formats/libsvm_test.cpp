#include "data/formats/libsvm.hpp"

#include <cmath>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

TEST(Libsvm, ReadsLabelsAndFeatures) {
  const auto data = parse_libsvm("+1 1:2 3:0.5\n-1 2:7\n", "f");
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data.value().labels, (std::vector<double>{1, -1}));
  EXPECT_EQ(data.value().entries.row_starts, (std::vector<std::uint64_t>{0, 2, 3}));
  EXPECT_EQ(data.value().entries.columns, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(data.value().entries.values, (std::vector<double>{2, 0.5, 7}));
  EXPECT_EQ(data.value().entries.column_count, 3u);
}

TEST(Libsvm, TakesRowsWithoutFeaturesCommentsAndEmptyLines) {
  const auto data = parse_libsvm("# made by hand\n1\n\n2 1:3 # the second\n3 #\n", "f");
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data.value().labels, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(data.value().entries.values, (std::vector<double>{3}));
}

TEST(Libsvm, KeepsThePlacesOfMissingValues) {
  const auto data = parse_libsvm("NA 1:1\n1 1:1 2:nan\n", "f");
  ASSERT_TRUE(data.ok());
  EXPECT_TRUE(std::isnan(data.value().labels[0]));
  ASSERT_EQ(data.value().entries.missing.size(), 1u);
  EXPECT_EQ(data.value().entries.missing[0].row, 1u);
  EXPECT_EQ(data.value().entries.missing[0].line, 2u);
  EXPECT_EQ(data.value().entries.missing[0].column, 7u);
}

TEST(Libsvm, RefusesWrongIndicesWithTheirPlace) {
  EXPECT_THAT(parse_libsvm("1 1:1\n1 2:1 0:1\n", "f"), FailsWith("f:2:7: feature index 0, expected >= 1"));
  EXPECT_THAT(parse_libsvm("1 -1:1\n", "f"), FailsWith("f:1:3: feature index '-1', expected a whole number"));
  EXPECT_THAT(parse_libsvm("1 3:1 2:1\n", "f"), FailsWith("f:1:7: feature index 2 after 3, expected increasing"));
  EXPECT_THAT(parse_libsvm("1 3:1 3:1\n", "f"), FailsWith("f:1:7: feature index 3 after 3"));
  EXPECT_THAT(parse_libsvm("1 99999999999:1\n", "f"), FailsWith("expected at most"));
  EXPECT_THAT(parse_libsvm("1 18446744073709551617:1\n", "f"), FailsWith("expected a whole number"));
}

TEST(Libsvm, RefusesWhatIsNoFeature) {
  EXPECT_THAT(parse_libsvm("1 5\n", "f"), FailsWith("f:1:3: found '5', expected index:value"));
  EXPECT_THAT(parse_libsvm("1 1:x\n", "f"), FailsWith("f:1:3: feature 1 is text 'x'"));
  EXPECT_THAT(parse_libsvm("1 1:\n", "f"), FailsWith("f:1:3: feature 1 is missing value ''"));
  EXPECT_THAT(parse_libsvm("1 1:1e999\n", "f"), FailsWith("f:1:3: feature 1 is number '1e999'"));
  EXPECT_THAT(parse_libsvm("1 qid:3 1:1\n", "f"), FailsWith("query ids"));
  EXPECT_THAT(parse_libsvm("a 1:1\n", "f"), FailsWith("f:1:1: label is text 'a'"));
  EXPECT_THAT(parse_libsvm("1,2 1:1\n", "f"), FailsWith("f:1:1: label is text '1,2'"));
}

TEST(Libsvm, RefusesFilesWithoutRowsOrFeatures) {
  EXPECT_THAT(parse_libsvm("# nothing\n\n", "f"), FailsWith("f: holds no rows"));
  EXPECT_THAT(parse_libsvm("1\n2\n", "f"), FailsWith("no row has a feature"));
}

TEST(Libsvm, AllocatesForNoColumnNumberFarBeyondTheSizeOfTheFile) {
  EXPECT_THAT(parse_libsvm("1 1:1\n1 268435456:1\n", "f"),
              FailsWith("f:2:3: feature index 268435456, expected at most 1048576 for 20 bytes of entries"));
  EXPECT_TRUE(parse_libsvm("1 1:1\n1 1048576:1\n", "f").ok());
  const std::string comment(2'000'000, '#');
  EXPECT_TRUE(parse_libsvm("1 1:1\n1 2000000:1\n" + comment, "f").ok());
}

TEST(Libsvm, PassesOverAByteOrderMark) {
  const std::string text =
      "\xef\xbb\xbf"
      "1 1:2\n-1 2:7\n";
  const auto data = parse_libsvm(text, "f");
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data.value().labels, (std::vector<double>{1, -1}));
  EXPECT_TRUE(looks_like_libsvm(text));
}

TEST(LooksLikeLibsvm, TellsItFromTables) {
  EXPECT_TRUE(looks_like_libsvm("1 1:2 3:4\n"));
  EXPECT_TRUE(looks_like_libsvm("# comment\n-1\n+1 7:1\n"));
  EXPECT_TRUE(looks_like_libsvm("1 qid:7 1:2\n"));
  EXPECT_FALSE(looks_like_libsvm("a,b\n1,2\n"));
  EXPECT_FALSE(looks_like_libsvm("1 2\n3 4\n"));
  EXPECT_FALSE(looks_like_libsvm("FID IID y\na b 1\n"));
  EXPECT_FALSE(looks_like_libsvm(""));
}

}  // namespace
}  // namespace strads::data
