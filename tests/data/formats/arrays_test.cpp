#include "strads/data/arrays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/temporary_folder.hpp"

namespace strads::data {
namespace {

using strads::test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class WrittenArrays : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(WrittenArrays, HeadersOfNpyEndAtMultiplesOf64) {
  for (const std::vector<std::uint64_t>& shape :
       {std::vector<std::uint64_t>{}, {7}, {480189, 40}, {1, 2, 3}, {18446744073709551615U, 12345678901234567890U}}) {
    const auto header = npy_header(shape);
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_THAT(header, StartsWith("\x93NUMPY\x01"));
    EXPECT_EQ(header.back(), '\n');
  }
  EXPECT_THAT(npy_header(std::vector<std::uint64_t>{7}), HasSubstr("'shape': (7,), }"));
  EXPECT_THAT(npy_header(std::vector<std::uint64_t>{2, 3}), HasSubstr("'shape': (2, 3), }"));
}

TEST_F(WrittenArrays, NpyReadsBackWithItsBits) {
  const float infinity = std::numeric_limits<float>::infinity();
  const FloatArray array{{2, 3}, {1.5F, -0.0F, 1e-40F, infinity, -infinity, 0.1F}};
  const auto path = folder_.write("a.npy", npy_bytes(array));
  const auto read = read_npy(path);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_THAT(read.value().shape, ElementsAre(2, 3));
  EXPECT_EQ(read.value().values, array.values);
  EXPECT_TRUE(std::signbit(read.value().values[1]));
}

TEST_F(WrittenArrays, NpyInFortranOrderIsTurned) {
  auto bytes = npy_bytes({{2, 3}, {1, 2, 3, 4, 5, 6}});
  const auto at = bytes.find("False");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 5, "True ");
  const auto read = read_npy(folder_.write("a.npy", bytes));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_THAT(read.value().values, ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST_F(WrittenArrays, NpyOfOtherTypesIsRefused) {
  auto bytes = npy_bytes({{2}, {1, 2}});
  bytes.replace(bytes.find("<f4"), 3, "<i4");
  const auto read = read_npy(folder_.write("a.npy", bytes));
  EXPECT_FALSE(read.ok());
  EXPECT_THAT(read.status().message(), HasSubstr("a.npy: entries are int32, expected float32"));
}

TEST_F(WrittenArrays, NpyThatIsCutOffIsRefused) {
  const auto bytes = npy_bytes({{2}, {1, 2}});
  const auto read = read_npy(folder_.write("a.npy", bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(read.ok());
  EXPECT_THAT(read.status().message(), HasSubstr("a.npy"));
  EXPECT_FALSE(read_npy(folder_.path("absent.npy")).ok());
}

TEST_F(WrittenArrays, NpzReadsBackByName) {
  const std::vector<NamedArray> arrays = {{"users", {{3}, {1, 2, 3}}}, {"mean", {{1}, {3.5F}}}, {"none", {{0}, {}}}};
  const auto bytes = npz_bytes(arrays);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  const auto path = folder_.write("b.npz", bytes.value());
  const std::string_view names[] = {"none", "mean", "users"};
  const auto read = read_npz(path, names);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read.value()[0].values.empty());
  EXPECT_THAT(read.value()[1].values, ElementsAre(3.5F));
  EXPECT_THAT(read.value()[2].values, ElementsAre(1, 2, 3));
}

TEST_F(WrittenArrays, EqualArraysGiveEqualNpz) {
  const std::vector<NamedArray> arrays = {{"users", {{3}, {1, 2, 3}}}};
  EXPECT_EQ(npz_bytes(arrays).value(), npz_bytes(arrays).value());
}

TEST_F(WrittenArrays, NpzWithoutAnArrayOrDamagedIsRefused) {
  const std::vector<NamedArray> arrays = {{"users", {{3}, {1, 2, 3}}}};
  const auto bytes = npz_bytes(arrays).value();
  const std::string_view other[] = {"items"};
  const auto missing = read_npz(folder_.write("b.npz", bytes), other);
  EXPECT_FALSE(missing.ok());
  EXPECT_THAT(missing.status().message(), HasSubstr("b.npz (items.npy): the archive holds no such array"));
  const std::string_view users[] = {"users"};
  const auto cut = read_npz(folder_.write("c.npz", bytes.substr(0, bytes.size() / 2)), users);
  EXPECT_FALSE(cut.ok());
  EXPECT_THAT(cut.status().message(), HasSubstr("c.npz"));
  auto wrong = bytes;
  const auto values = wrong.find("\n", wrong.find("NUMPY"));
  wrong[values + 1] = static_cast<char>(wrong[values + 1] ^ 1);
  const auto damaged = read_npz(folder_.write("d.npz", wrong), users);
  EXPECT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.status().message(), HasSubstr("the checksum is wrong"));
}

TEST_F(WrittenArrays, SparseRowsReadBackAsTheyWere) {
  const SparseRows matrix{.width = 4, .begins = {0, 2, 2, 3}, .columns = {1, 3, 0}, .values = {0.5F, 2.0F, 1e-7F}};
  const auto bytes = sparse_rows_bytes(matrix);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  const auto read = read_sparse_rows(folder_.write("w.npz", bytes.value()));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read.value().width, 4U);
  EXPECT_EQ(read.value().begins, matrix.begins);
  EXPECT_EQ(read.value().columns, matrix.columns);
  EXPECT_EQ(read.value().values, matrix.values);
}

TEST_F(WrittenArrays, SparseRowsThatAreNoMatrixAreRefused) {
  const SparseRows right{.width = 4, .begins = {0, 2, 2, 3}, .columns = {1, 3, 0}, .values = {0.5F, 2.0F, 1e-7F}};
  const auto refusal = [&](auto change) {
    SparseRows wrong = right;
    change(wrong);
    return read_sparse_rows(folder_.write("w.npz", sparse_rows_bytes(wrong).value())).status().message();
  };
  EXPECT_THAT(refusal([](SparseRows& m) { m.columns[1] = 1; }), HasSubstr("is no matrix by rows")) << "twice in a row";
  EXPECT_THAT(refusal([](SparseRows& m) { m.columns[1] = 4; }), HasSubstr("is no matrix by rows"))
      << "beyond the width";
  EXPECT_THAT(refusal([](SparseRows& m) { m.begins = {0, 3, 2, 3}; }), HasSubstr("is no matrix by rows"));
  EXPECT_THAT(refusal([](SparseRows& m) { m.begins.back() = 4; }), HasSubstr("is no matrix by rows"));
  EXPECT_THAT(refusal([](SparseRows& m) { m.values.pop_back(); }), HasSubstr("is no matrix by rows"));
  EXPECT_THAT(refusal([](SparseRows& m) { m.columns[0] = 0x80000000U; }), HasSubstr("below 0"));
  const auto other = npz_bytes(std::vector<NamedArray>{{"data", {{1}, {1}}}});
  EXPECT_THAT(read_sparse_rows(folder_.write("w.npz", other.value())).status().message(),
              HasSubstr("holds no such array"));
}

}  // namespace
}  // namespace strads::data
