#include "data/formats/npz.hpp"

#include <cmath>
#include <numeric>

#include "data/fixtures.hpp"
#include "data/formats/sparse_columns.hpp"
#include "data/zipped_arrays.hpp"

namespace strads::data {
namespace {

// 1 0 2
// 0 3 0
Arrays csr() {
  return {{"format", npy("|S3", false, "()", "csr")},
          {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({2, 3}))},
          {"data", npy("<f8", false, "(3,)", raw<double>({1, 2, 3}))},
          {"indices", npy("<i4", false, "(3,)", raw<std::int32_t>({0, 2, 1}))},
          {"indptr", npy("<i4", false, "(3,)", raw<std::int32_t>({0, 2, 3}))}};
}

// The same matrix by columns.
Arrays csc() {
  return {{"format", npy("<U3", false, "()", std::string("c\0\0\0s\0\0\0c\0\0\0", 12))},
          {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({2, 3}))},
          {"data", npy("<f4", false, "(3,)", raw<float>({1, 3, 2}))},
          {"indices", npy("<i8", false, "(3,)", raw<std::int64_t>({0, 1, 0}))},
          {"indptr", npy("<i8", false, "(4,)", raw<std::int64_t>({0, 1, 2, 3}))}};
}

Result<SparseEntries> with(Arrays arrays, const std::string& name, const std::string& bytes) {
  arrays[name] = bytes;
  return parse_npz(zipped(arrays), "f");
}

const std::vector<std::uint8_t> kBothRows{1, 1};

TEST(Npz, ReadsRowsAndColumnsToTheSameMatrix) {
  const auto by_row = parse_npz(zipped(csr()), "f");
  const auto by_column = parse_npz(zipped(csc()), "f");
  ASSERT_TRUE(by_row.ok()) << by_row.status().message();
  ASSERT_TRUE(by_column.ok()) << by_column.status().message();
  EXPECT_FALSE(by_row.value().single_precision);
  EXPECT_TRUE(by_column.value().single_precision);
  const auto left = to_columns(by_row.value(), kBothRows, false, "f");
  const auto right = to_columns(by_column.value(), kBothRows, false, "f");
  EXPECT_EQ(left.value().starts, (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(left.value().rows, right.value().rows);
  EXPECT_EQ(left.value().f32, (std::vector<float>{1, 3, 2}));
  EXPECT_EQ(right.value().f32, (std::vector<float>{1, 3, 2}));
}

TEST(Npz, ReadsIntegerValues) {
  const auto entries = with(csr(), "data", npy("<i8", false, "(3,)", raw<std::int64_t>({-5, 2, 3})));
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  EXPECT_EQ(entries.value().values[0], -5);
}

TEST(Npz, RefusesOtherFormatsAndForeignArchives) {
  EXPECT_THAT(with(csr(), "format", npy("|S3", false, "()", "coo")),
              FailsWith("sparse format 'coo', expected csr or csc"));
  Arrays dense{{"x", npy("<f8", false, "(1,)", raw<double>({1}))}};
  EXPECT_THAT(parse_npz(zipped(dense), "f"), FailsWith("holds no array 'format'"));
}

TEST(Npz, RefusesEveryTruncation) {
  const std::string whole = zipped(csr());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_FALSE(parse_npz(std::string_view(whole).substr(0, size), "f").ok()) << size;
  }
}

TEST(Npz, RefusesSizesThatTheArchiveCannotHold) {
  std::string bytes = zipped(csr());
  // The directory at the end says the sizes, packed and unpacked, 20 bytes into each entry.
  for (std::size_t i = bytes.find("PK\x01\x02"); i != std::string::npos; i = bytes.find("PK\x01\x02", i + 1)) {
    bytes.replace(i + 20, 8, std::string("\xf0\xff\xff\0\xf0\xff\xff\0", 8));
  }
  EXPECT_THAT(parse_npz(bytes, "f"), FailsWith("f (format.npy): claims 16777200 bytes, more than the file can hold"));
}

TEST(Npz, RefusesWhatMemoryCannotHold) {
  const std::vector<double> values(10, 1.0);
  std::vector<std::int32_t> indices(10);
  std::iota(indices.begin(), indices.end(), 0);
  const Arrays arrays = {{"format", npy("|S3", false, "()", "csr")},
                         {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({1, 10}))},
                         {"data", npy("<f8", false, "(10,)", raw(values))},
                         {"indices", npy("<i4", false, "(10,)", raw(indices))},
                         {"indptr", npy("<i4", false, "(2,)", raw<std::int32_t>({0, 10}))}};
  const std::string bytes = zipped(arrays);
  const std::uint64_t unpacked = arrays.at("data").size(), entries = 10 * 24;
  EXPECT_THAT(parse_npz(bytes, "f", unpacked - 1), FailsWith("f (data.npy): unpacked, the array takes"));
  EXPECT_THAT(parse_npz(bytes, "f", unpacked), FailsWith("f: its entries take"));
  EXPECT_THAT(parse_npz(bytes, "f", entries - 1), FailsWith("f: its entries take"));
  EXPECT_TRUE(parse_npz(bytes, "f", entries).ok());
  const TempFolder folder;
  InputOptions options;
  options.source.x = folder.write("x.npz", bytes);
  options.response.y = folder.write("y.csv", "y\n1\n");
  options.source.memory = entries - 1;
  EXPECT_THAT(load_dataset(options), FailsWith("x.npz: its entries take"));
}

TEST(Npz, RefusesOffsetsThatDoNotFit) {
  const auto offsets = [](const std::vector<std::int32_t>& values) {
    const std::string shape = values.size() == 2 ? "(2,)" : "(3,)";
    return with(csr(), "indptr", npy("<i4", false, shape, raw(values)));
  };
  EXPECT_THAT(offsets({0, 3}), FailsWith("2 offsets, expected 3"));
  EXPECT_THAT(offsets({1, 2, 3}), FailsWith("runs from 1 to 3, expected 0 to 3"));
  EXPECT_THAT(offsets({0, 2, 4}), FailsWith("runs from 0 to 4"));
  EXPECT_THAT(offsets({0, -2, 3}), FailsWith("entry 2 is negative"));
  EXPECT_THAT(offsets({0, 4, 3}), FailsWith("offset 3 is smaller"));
}

TEST(Npz, RefusesIndicesAndShapesOutOfRange) {
  EXPECT_THAT(with(csr(), "indices", npy("<i4", false, "(3,)", raw<std::int32_t>({0, 3, 1}))),
              FailsWith("index 3, expected less than 3"));
  EXPECT_THAT(with(csr(), "indices", npy("<i4", false, "(2,)", raw<std::int32_t>({0, 1}))),
              FailsWith("2 indices for 3"));
  EXPECT_THAT(with(csr(), "shape", npy("<i8", false, "(2,)", raw<std::int64_t>({-2, 3}))), FailsWith("negative"));
  EXPECT_THAT(with(csr(), "shape", npy("<i8", false, "(2,)", raw<std::int64_t>({2, std::int64_t{1} << 60}))),
              FailsWith("expected at most"));
  EXPECT_THAT(with(csr(), "shape", npy("<i8", false, "(1,)", raw<std::int64_t>({2}))), FailsWith("expected two sizes"));
}

TEST(Npz, RefusesInfinityAndNotesMissing) {
  EXPECT_THAT(with(csr(), "data", npy("<f8", false, "(3,)", raw<double>({1, INFINITY, 3}))),
              FailsWith("entry 2 is infinite"));
  const auto entries = with(csr(), "data", npy("<f8", false, "(3,)", raw<double>({1, NAN, 3})));
  ASSERT_TRUE(entries.ok());
  EXPECT_THAT(to_columns(entries.value(), kBothRows, false, "f"), FailsWith("f: row 1, column 3: missing value"));
}

TEST(SparseColumns, RefusesEntriesGivenTwice) {
  const auto entries = with(csr(), "indices", npy("<i4", false, "(3,)", raw<std::int32_t>({2, 2, 1})));
  ASSERT_TRUE(entries.ok());
  EXPECT_THAT(to_columns(entries.value(), kBothRows, false, "f"), FailsWith("entry (row 1, column 3) is given twice"));
}

TEST(SparseColumns, CountsZerosInTheMeanOfAColumn) {
  SparseEntries entries;
  entries.row_count = 4;
  entries.column_count = 1;
  entries.rows = {3, 0, 2};
  entries.columns = {0, 0, 0};
  entries.values = {NAN, 4, 100};
  entries.missing = {{3, 1, 1}};
  // Rows 0, 1 and 3 are kept: 4, 0 and a missing entry, which becomes (4 + 0) / 2.
  const auto columns = to_columns(entries, std::vector<std::uint8_t>{1, 1, 0, 1}, true, "f");
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ(columns.value().rows, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(columns.value().f64, (std::vector<double>{4, 2}));
  EXPECT_EQ(columns.value().missing_imputed, 1u);
}

TEST(SparseColumns, UsesFloatsOnlyWithoutLoss) {
  SparseEntries entries;
  entries.row_count = 1;
  entries.column_count = 2;
  entries.rows = {0, 0};
  entries.columns = {0, 1};
  entries.values = {0.5, 16777217};
  const auto columns = to_columns(entries, std::vector<std::uint8_t>{1}, false, "f");
  EXPECT_TRUE(columns.value().f32.empty());
  EXPECT_EQ(columns.value().f64, (std::vector<double>{0.5, 16777217}));
  entries.values = {0.5, 1e300};
  EXPECT_TRUE(to_columns(entries, std::vector<std::uint8_t>{1}, false, "f").value().f32.empty());
}

TEST(SparseColumns, LeavesStoredZerosOut) {
  SparseEntries entries;
  entries.row_count = 2;
  entries.column_count = 1;
  entries.rows = {0, 1};
  entries.columns = {0, 0};
  entries.values = {0, 3};
  EXPECT_EQ(to_columns(entries, kBothRows, false, "f").value().rows, (std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace strads::data
