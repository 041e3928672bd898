#include "data/formats/npy.hpp"

#include <cmath>

#include "data/fixtures.hpp"
#include "data/formats/dense_columns.hpp"

namespace strads::data {
namespace {

const std::vector<std::uint8_t> kTwoRows{1, 1};

TEST(Npy, ReadsTypeOrderAndShape) {
  const std::string bytes = npy("<f8", true, "(2, 3)", raw<double>({1, 2, 3, 4, 5, 6}));
  const auto array = parse_npy(bytes, "f");
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_TRUE(array.value().is('f', 8));
  EXPECT_TRUE(array.value().fortran);
  EXPECT_EQ(array.value().shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(array.value().data_offset % 64, 0u);
  EXPECT_TRUE(is_column_major(array.value()));
}

TEST(Npy, RefusesEveryTruncation) {
  const std::string whole = npy("<f4", false, "(2, 2)", raw<float>({1, 2, 3, 4}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_npy(std::string_view(whole).substr(0, size), "f").ok()) << size;
  }
  EXPECT_THAT(parse_npy(std::string_view(whole).substr(0, whole.size() - 1), "f"),
              FailsWith("f: shape (2, 2) of float32 needs 16 bytes, but 15 follow"));
  EXPECT_THAT(parse_npy(whole + "x", "f"), FailsWith("needs 16 bytes, but 17 follow"));
}

TEST(Npy, RefusesShapesBeyondAllMemory) {
  EXPECT_THAT(parse_npy(npy("<f8", false, "(1152921504606846976, 1)", "12345678"), "f"),
              FailsWith("cut off or damaged"));
  EXPECT_THAT(parse_npy(npy("<f8", false, "(4611686018427387904, 4611686018427387904)", ""), "f"),
              FailsWith("more than 2^64 bytes"));
  EXPECT_THAT(parse_npy(npy("<f8", false, "(-1, 2)", ""), "f"), FailsWith(".npy header"));
}

TEST(Npy, RefusesForeignTypesAndDamagedHeaders) {
  EXPECT_THAT(parse_npy(npy(">f8", false, "(1,)", raw<double>({1})), "f"), FailsWith("expected little-endian"));
  EXPECT_THAT(parse_npy(npy("|O", false, "(1,)", raw<double>({1})), "f"), FailsWith(".npy header"));
  EXPECT_THAT(parse_npy(npy("<c8", false, "(1,)", raw<double>({1})), "f"), FailsWith("entries of type '<c8'"));
  EXPECT_THAT(parse_npy(npy("<f8", false, "(1,", raw<double>({1})), "f"), FailsWith(".npy header"));
  std::string version = npy("<f8", false, "(1,)", raw<double>({1}));
  version[6] = 9;
  EXPECT_THAT(parse_npy(version, "f"), FailsWith("format version 9"));
}

TEST(NpyVector, ReadsAnyNumberTypeAndOneColumn) {
  EXPECT_EQ(read_npy_vector(npy("<i4", false, "(2,)", raw<std::int32_t>({-3, 4})), "f").value(),
            (std::vector<double>{-3, 4}));
  EXPECT_EQ(read_npy_vector(npy("|b1", false, "(2,)", raw<std::uint8_t>({1, 0})), "f").value(),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(read_npy_vector(npy("<f4", false, "(2, 1)", raw<float>({1, 2})), "f").value(), (std::vector<double>{1, 2}));
}

TEST(NpyVector, RefusesMatricesHalfFloatsAndInfinity) {
  EXPECT_THAT(read_npy_vector(npy("<f4", false, "(1, 2)", raw<float>({1, 2})), "f"),
              FailsWith("expected one dimension"));
  EXPECT_THAT(read_npy_vector(npy("<f2", false, "(1,)", "ab"), "f"), FailsWith("float16"));
  EXPECT_THAT(read_npy_vector(npy("<f8", false, "(1,)", raw<double>({INFINITY})), "f"),
              FailsWith("entry 1 is infinite"));
}

TEST(CopyColumns, TransposesRowMajorArraysOfAnyWidth) {
  std::vector<float> values(2 * 37);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k);
  const std::string bytes = npy("<f4", false, "(2, 37)", raw(values));
  const auto copied = copy_columns(parse_npy(bytes, "f").value(), kTwoRows, false, "f");
  ASSERT_TRUE(copied.ok());
  for (std::size_t j = 0; j < 37; ++j) {
    EXPECT_EQ(copied.value().f32[2 * j], static_cast<float>(j));
    EXPECT_EQ(copied.value().f32[2 * j + 1], static_cast<float>(37 + j));
  }
}

TEST(CopyColumns, SaysWhereNumbersAreMissingOrInfinite) {
  const std::string missing = npy("<f8", false, "(2, 2)", raw<double>({1, 2, 3, NAN}));
  EXPECT_THAT(copy_columns(parse_npy(missing, "f").value(), kTwoRows, false, "f"),
              FailsWith("f: row 2, column 2: missing value"));
  const std::string infinite = npy("<f8", true, "(2, 2)", raw<double>({1, 2, INFINITY, 3}));
  EXPECT_THAT(copy_columns(parse_npy(infinite, "f").value(), kTwoRows, true, "f"),
              FailsWith("f: row 1, column 2: infinite"));
}

TEST(AllFinite, FindsOneBadEntryAnywhere) {
  std::vector<double> values(10'000, 1.0);
  const auto check = [&] {
    const std::string bytes = npy("<f8", true, "(100, 100)", raw(values));
    return all_finite(parse_npy(bytes, "f").value(), [](std::uint64_t) {});
  };
  EXPECT_TRUE(check());
  values.back() = NAN;
  EXPECT_FALSE(check());
  values.back() = 1;
  values[4096] = -INFINITY;
  EXPECT_FALSE(check());
}

}  // namespace
}  // namespace strads::data
