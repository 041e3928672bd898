#include "data/formats/table.hpp"

#include <cmath>
#include <optional>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

Result<std::vector<double>> column(std::string_view text, const std::string& name,
                                   MinusNine minus_nine = MinusNine::number) {
  const auto table = Table::parse(text, "t");
  if (!table.ok()) return table.status();
  const auto index = table.value().find(name, "--y-name");
  if (!index.ok()) return index.status();
  return table.value().numbers(index.value(), minus_nine);
}

Rows all(std::string_view text, bool missing_mean = false) {
  const auto table = Table::parse(text, "t");
  EXPECT_TRUE(table.ok()) << table.status().message();
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < table.value().header().size(); ++j) columns.push_back(j);
  const std::vector<std::uint8_t> kept(table.value().rows(), 1);
  const auto dense = read_columns(table.value(), columns, kept, missing_mean);
  EXPECT_TRUE(dense.ok()) << dense.status().message();
  Rows out;
  for (std::uint64_t i = 0; dense.ok() && i < dense.value().rows; ++i) {
    out.emplace_back();
    for (std::size_t j = 0; j < columns.size(); ++j) out[i].push_back(dense.value().values[j * dense.value().rows + i]);
  }
  return out;
}

TEST(Table, FindsTheDelimiterByContent) {
  const Rows expected{{1, 2}, {3, 4}};
  EXPECT_EQ(all("a,b\n1,2\n3,4\n"), expected);
  EXPECT_EQ(all("a\tb\n1\t2\n3\t4\n"), expected);
  EXPECT_EQ(all("  a   b\n  1   2\n  3\t 4 \n"), expected);
}

TEST(Table, TakesWindowsEndsByteOrderMarkAndAMissingLastEnd) {
  EXPECT_EQ(all("\xef\xbb\xbf"
                "a,b\r\n1,2\r\n3,4"),
            (Rows{{1, 2}, {3, 4}}));
}

TEST(Table, IgnoresEmptyLinesAtTheEnd) {
  EXPECT_EQ(all("a,b\n1,2\n\n\n"), (Rows{{1, 2}}));
}

TEST(Table, ReadsQuotedHeadersAndFields) {
  const auto table = Table::parse("\"a, b\",\"say \"\"c\"\"\"\n\"1\", 2 \n", "t");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table.value().header(), (std::vector<std::string>{"a, b", "say \"c\""}));
  EXPECT_EQ(all("\"a, b\",\"c\"\n\"1\", 2 \n"), (Rows{{1, 2}}));
}

TEST(Table, TakesAnEmptyLineOfASingleColumnAsMissing) {
  const auto values = column("y\n1\n\n3\n", "y");
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values.value().size(), 3u);
  EXPECT_TRUE(std::isnan(values.value()[1]));
}

TEST(Table, AcceptsNumberedHeadersAsPandasWritesThem) {
  EXPECT_EQ(all("0,1,2\n5,6,7\n"), (Rows{{5, 6, 7}}));
}

TEST(Table, RefusesAFirstLineOfNumbers) {
  EXPECT_THAT(Table::parse("1.5,2,3\n4,5,6\n", "t"), FailsWith("t:1:1: the first line holds numbers only"));
  EXPECT_THAT(Table::parse("1\n0\n", "t"), FailsWith("expected a header"));
}

TEST(Table, RefusesEmptyFilesHeadersWithoutRowsAndUnnamedColumns) {
  EXPECT_THAT(Table::parse("", "t"), FailsWith("t: is empty"));
  EXPECT_THAT(Table::parse("a,b\n", "t"), FailsWith("a header and no rows"));
  EXPECT_THAT(Table::parse("a,b\n\n\n", "t"), FailsWith("a header and no rows"));
  EXPECT_THAT(Table::parse("\n1,2\n", "t"), FailsWith("t:1:1: column 1 has no name"));
  EXPECT_THAT(Table::parse("\"\",a\n1,2\n", "t"), FailsWith("row.names=FALSE"));
}

TEST(Table, RefusesBinaryBytes) {
  EXPECT_THAT(Table::parse(std::string_view("a,b\n1,\0\n", 8), "t"), FailsWith("byte 6 is zero"));
}

TEST(Table, RefusesRaggedRowsWithTheirPlace) {
  EXPECT_THAT(column("a,b\n1,2\n3\n", "a"), FailsWith("t:3:1: 1 fields, expected 2"));
  EXPECT_THAT(column("a,b\n1,2,\n", "a"), FailsWith("t:2:1: 3 fields, expected 2"));
  EXPECT_THAT(column("a,b\n1,2\n\n3,4\n", "a"), FailsWith("t:3:1: an empty line between rows, expected 2 fields"));
  EXPECT_THAT(column("a b\n1 2\n \n3 4\n", "a"), FailsWith("t:3:1: an empty line between rows"));
}

TEST(Table, RefusesQuotesThatDoNotEnd) {
  EXPECT_THAT(column("a,b\n1,\"2\n", "a"), FailsWith("t:2:3: quotes"));
  EXPECT_THAT(column("a,b\n\"1\"x,2\n", "a"), FailsWith("t:2:1: quotes"));
}

TEST(Table, NamesTheColumnsWhenOneIsNotFound) {
  EXPECT_THAT(column("a,b\n1,2\n", "c"), FailsWith("no column 'c' (--y-name); the 2 columns are a, b"));
  EXPECT_THAT(column("a,a\n1,2\n", "a"), FailsWith("two columns are called 'a'"));
}

TEST(TableNumbers, TakesMinusNineAsMissingOnlyWhenAsked) {
  EXPECT_EQ(column("y\n-9\n", "y").value()[0], -9);
  EXPECT_TRUE(std::isnan(column("y\n-9\n", "y", MinusNine::missing).value()[0]));
  EXPECT_TRUE(std::isnan(column("y\n-9.0\n", "y", MinusNine::missing).value()[0]));
  EXPECT_EQ(column("y\n-9.5\n", "y", MinusNine::missing).value()[0], -9.5);
}

TEST(TableNumbers, PointsAtTextAndInfinity) {
  EXPECT_THAT(column("a,y\n1,x\n", "y"), FailsWith("t:2:3: text 'x', expected a number"));
  EXPECT_THAT(column("a,y\n1,2\n10,1e999\n", "y"), FailsWith("t:3:4: number '1e999' is infinite or too large"));
}

TEST(TableNumbers, IgnoresTextInOtherColumns) {
  EXPECT_EQ(column("a,y\nhello,2\n", "y").value()[0], 2);
}

TEST(ReadColumns, RefusesMissingEntriesWithTheirPlace) {
  const auto table = Table::parse("a,b\n1,2\n3,NA\n", "t");
  const std::vector<std::size_t> columns{0, 1};
  const std::vector<std::uint8_t> kept{1, 1};
  EXPECT_THAT(read_columns(table.value(), columns, kept, false), FailsWith("t:3:3: missing value 'NA'"));
}

TEST(ReadColumns, PutsTheMeanOfKeptRowsWhereEntriesAreMissing) {
  const auto table = Table::parse("a,b\n1,2\n3,NA\n100,4\n5,NA\n7,8\n", "t");
  const std::vector<std::size_t> columns{1};
  const std::vector<std::uint8_t> kept{1, 1, 0, 1, 1};
  const auto dense = read_columns(table.value(), columns, kept, true);
  ASSERT_TRUE(dense.ok());
  EXPECT_EQ(dense.value().values, (std::vector<double>{2, 5, 5, 8}));
  EXPECT_EQ(dense.value().missing_imputed, 2u);
}

TEST(ReadColumns, PutsZeroWhereAWholeColumnIsMissing) {
  EXPECT_EQ(all("a,b\n1,\n2,\n", true), (Rows{{1, 0}, {2, 0}}));
}

TEST(ReadColumns, ChecksTheWidthOfRowsThatAreNotKept) {
  const auto table = Table::parse("a,b\n1,2\n3\n", "t");
  const std::vector<std::size_t> columns{0, 1};
  const std::vector<std::uint8_t> kept{1, 0};
  EXPECT_THAT(read_columns(table.value(), columns, kept, false), FailsWith("t:3:1: 1 fields"));
}

TEST(FindIdColumns, KnowsTheHeadersOfPlink) {
  const auto find = [](std::string_view header) {
    const auto table = Table::parse(std::string(header) + "\n1 2 3\n", "t");
    return find_id_columns(table.value(), "", false).value();
  };
  EXPECT_EQ(find("FID IID y").individual, 1u);
  EXPECT_EQ(find("#FID IID y").family, 0u);
  EXPECT_EQ(find("#IID y z").individual, 0u);
  EXPECT_EQ(find("IID y z").family, std::nullopt);
  EXPECT_FALSE(find("a y z").any());
}

}  // namespace
}  // namespace strads::data
