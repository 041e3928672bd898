// load_dataset on arrays of bytes: where they stay, what is copied, and the missing calls that a byte cannot hold.
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using Signed = std::vector<std::int8_t>;
using Unsigned = std::vector<std::uint8_t>;

class LoadBytes : public ::testing::Test {
 protected:
  LoadBytes() { response("t\n1\nNA\n3\n"); }
  void response(const std::string& text) { options.response.y = folder.write("y.csv", text); }
  /// Three rows, two columns.
  std::shared_ptr<const Dataset> read(const std::string& type, bool fortran, const std::string& data) {
    options.source.x = folder.write("x.npy", npy(type, fortran, "(3, 2)", data));
    return load(options);
  }
  void x(bool fortran, const Signed& data) {
    options.source.x = folder.write("x.npy", npy("|i1", fortran, "(3, 2)", raw(data)));
  }

  TempFolder folder;
  InputOptions options;
};

TEST_F(LoadBytes, MapsColumnMajorArraysAndListsDroppedRows) {
  const auto with_sign = read("|i1", true, raw(Signed{1, -128, 3, 127, -9, 6}));
  EXPECT_EQ(with_sign->columns().storage, Storage::dense_i8);
  EXPECT_EQ(with_sign->columns().column_stride, 3u);
  EXPECT_THAT(with_sign->columns().dropped_rows, ::testing::ElementsAre(1));
  EXPECT_EQ(with_sign->mapped_memory().first, std::filesystem::file_size(options.source.x)) << "not copied";
  EXPECT_EQ(matrix(*with_sign), (Rows{{1, 127}, {-128, -9}, {3, 6}}));
  const auto without = read("|u1", true, raw(Unsigned{1, 255, 3, 128, 5, 6}));
  EXPECT_EQ(without->columns().storage, Storage::dense_u8);
  EXPECT_NE(without->mapped_memory().first, 0u);
  EXPECT_EQ(matrix(*without), (Rows{{1, 128}, {255, 5}, {3, 6}}));
  EXPECT_EQ(read("|b1", true, raw(Unsigned{0, 1, 1, 0, 0, 1}))->columns().storage, Storage::dense_u8);
}

TEST_F(LoadBytes, CopiesRowMajorArraysToBytesWithoutDroppedRows) {
  const auto with_sign = read("|i1", false, raw(Signed{1, 2, -128, 127, 5, -6}));
  EXPECT_EQ(with_sign->columns().storage, Storage::dense_i8);
  EXPECT_EQ(with_sign->columns().column_stride, 2u);
  EXPECT_TRUE(with_sign->columns().dropped_rows.empty());
  EXPECT_EQ(with_sign->mapped_memory().first, 0u);
  EXPECT_EQ(matrix(*with_sign), (Rows{{1, 2}, {5, -6}}));
  const auto without = read("|u1", false, raw(Unsigned{1, 200, 3, 4, 255, 6}));
  EXPECT_EQ(without->columns().storage, Storage::dense_u8);
  EXPECT_EQ(matrix(*without), (Rows{{1, 200}, {255, 6}}));
}

TEST_F(LoadBytes, ReadsBoolAsZeroAndOne) {
  EXPECT_EQ(matrix(*read("|b1", false, raw(Unsigned{0, 1, 1, 0, 1, 1}))), (Rows{{0, 1}, {1, 1}}));
}

TEST_F(LoadBytes, UnpacksGzipToBytes) {
  options.source.x = folder.write("x.npy.gz", gzipped(npy("|i1", true, "(3, 2)", raw(Signed{1, 2, 3, 4, 5, 6}))));
  const auto set = load(options);
  EXPECT_EQ(set->columns().storage, Storage::dense_i8);
  EXPECT_EQ(matrix(*set), (Rows{{1, 4}, {3, 6}}));
}

TEST_F(LoadBytes, RefusesMissingCallsAndSaysWhere) {
  for (const bool mean : {false, true}) {
    options.source.missing_mean = mean;
    x(true, {0, 1, 2, 0, 0, -9});
    EXPECT_THAT(load_dataset(options), FailsWith("x.npy: row 3, column 2: -9 among 0, 1 and 2 is a missing call"));
    EXPECT_THAT(load_dataset(options), FailsWith("--missing mean"));
    x(false, {-9, 1, 2, 0, 0, 2});
    EXPECT_THAT(load_dataset(options), FailsWith("x.npy: row 1, column 1: -9 among 0, 1 and 2 is a missing call"));
  }
}

TEST_F(LoadBytes, LeavesOutMissingCallsOfDroppedRows) {
  for (const bool fortran : {true, false}) {
    x(fortran, fortran ? Signed{0, -9, 2, 1, -9, 0} : Signed{0, 1, -9, -9, 2, 0});
    EXPECT_EQ(matrix(*load(options)), (Rows{{0, 1}, {2, 0}}));
  }
}

TEST_F(LoadBytes, RefusesAMissingCallOfTheResponseThatKeepsItsRow) {
  response("t,u\n1,1\nNA,2\n3,3\n");
  x(true, {0, -9, 2, 1, 1, 0});
  EXPECT_THAT(load_datasets(options, std::vector<std::string>{"t", "u"}),
              FailsWith("response 'u': " + options.source.x + ": row 2, column 1: -9 among"));
}

TEST_F(LoadBytes, TakesMinusNineAmongOtherNumbersAsANumber) {
  x(true, {0, 1, 2, 3, 1, -9});
  EXPECT_EQ(matrix(*load(options)), (Rows{{0, 3}, {1, 1}, {2, -9}}));
  x(true, {0, 1, 2, -1, 1, -9});
  EXPECT_EQ(matrix(*load(options)), (Rows{{0, -1}, {1, 1}, {2, -9}}));
}

TEST_F(LoadBytes, HaveAFingerprintOfTheirOwn) {
  const auto with_sign = read("|i1", true, raw(Signed{1, 2, 3, 4, 5, 6}))->fingerprint();
  EXPECT_NE(with_sign, read("|u1", true, raw(Signed{1, 2, 3, 4, 5, 6}))->fingerprint());
  EXPECT_NE(with_sign, read("|i1", true, raw(Signed{1, 2, 3, 4, 5, 7}))->fingerprint());
}

}  // namespace
}  // namespace strads::data
