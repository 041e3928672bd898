// Ratings as sparse matrices of scipy: the three formats, types, and what is refused.
#include <limits>

#include "data/zipped_arrays.hpp"
#include "ratings_fixtures.hpp"

namespace strads::data {
namespace {

std::string shape(std::size_t count) {
  return "(" + std::to_string(count) + ",)";
}
std::string ints(const std::vector<std::int32_t>& values) {
  return npy("<i4", false, shape(values.size()), raw(values));
}
std::string floats(const std::vector<float>& values) {
  return npy("<f4", false, shape(values.size()), raw(values));
}

// 4 . 0    row 1 is empty; the zero is stored
// . . .
// . 2 3.5
Arrays ratings_csr() {
  return {{"format", npy("|S3", false, "()", "csr")},
          {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({3, 3}))},
          {"data", floats({4, 0, 2, 3.5})},
          {"indices", ints({0, 2, 1, 2})},
          {"indptr", ints({0, 2, 2, 4})}};
}
const List kByRow = {"0 0 4", "0 2 0", "2 1 2", "2 2 3.5"};

// The same by columns, in wide types.
Arrays ratings_csc() {
  return {{"format", npy("<U3", false, "()", std::string("c\0\0\0s\0\0\0c\0\0\0", 12))},
          {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({3, 3}))},
          {"data", npy("<f8", false, "(4,)", raw<double>({4, 2, 0, 3.5}))},
          {"indices", npy("<i8", false, "(4,)", raw<std::int64_t>({0, 2, 0, 2}))},
          {"indptr", npy("<i8", false, "(4,)", raw<std::int64_t>({0, 1, 2, 4}))}};
}
const List kByColumn = {"0 0 4", "2 1 2", "0 2 0", "2 2 3.5"};

Arrays coo() {
  return {{"format", npy("|S3", false, "()", "coo")},
          {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({3, 3}))},
          {"data", floats({3.5, 4, 0, 2})},
          {"row", ints({2, 0, 0, 2})},
          {"col", ints({2, 0, 2, 1})}};
}

Arrays ratings_with(Arrays arrays, const std::string& name, const std::string& bytes) {
  arrays[name] = bytes;
  return arrays;
}

TEST(RatingsNpz, ReadsAllThreeFormats) {
  EXPECT_EQ(read(zipped(ratings_csr())), kByRow);
  EXPECT_EQ(read(zipped(ratings_csc())), kByColumn);
  EXPECT_EQ(read(zipped(coo())), (List{"2 2 3.5", "0 0 4", "0 2 0", "2 1 2"}));
}

TEST(RatingsNpz, NumbersRowsAndColumnsInTheOrderOfTheEntries) {
  const auto ratings = load_text(zipped(coo())).value();
  EXPECT_EQ(ratings->users->size(), 2u);
  EXPECT_EQ(ratings->users->name(0), "2");
  EXPECT_EQ(ratings->items->name(0), "2");
  EXPECT_EQ(ratings->items->find("1"), 2u);
  EXPECT_EQ(ratings->train.users, (std::vector<std::uint32_t>{0, 1, 1, 0}));
}

TEST(RatingsNpz, ReadsWholeNumbersAndBools) {
  EXPECT_EQ(read(zipped(ratings_with(ratings_csr(), "data", ints({4, 0, 2, -3})))),
            (List{"0 0 4", "0 2 0", "2 1 2", "2 2 -3"}));
  EXPECT_EQ(read(zipped(ratings_with(ratings_csr(), "data", npy("|b1", false, "(4,)", std::string("\1\0\1\1", 4))))),
            (List{"0 0 1", "0 2 0", "2 1 1", "2 2 1"}));
}

TEST(RatingsNpz, MergesEntriesOfOnePlace) {
  const RatingsInput refuse{.duplicates = Duplicates::refuse};
  const Arrays twice = ratings_with(ratings_csr(), "indices", ints({2, 2, 1, 2}));
  EXPECT_EQ(read(zipped(twice)), (List{"0 2 2", "2 1 2", "2 2 3.5"}));
  EXPECT_THAT(load_text(zipped(twice), refuse), FailsWith("f: entry 2: user '0' rates item '2' again (first at "));
}

TEST(RatingsNpz, DoesNotDependOnPiecesOrThreads) {
  std::vector<std::int32_t> rows, columns;
  std::vector<float> values;
  for (int k = 0; k < 5000; ++k) {
    rows.push_back(k * 7 % 300);
    columns.push_back(k * 11 % 70);
    values.push_back(static_cast<float>(k % 300));
  }
  Arrays arrays =
      ratings_with(ratings_with(ratings_with(coo(), "row", ints(rows)), "col", ints(columns)), "data", floats(values));
  arrays["shape"] = npy("<i8", false, "(2,)", raw<std::int64_t>({300, 70}));
  const TempFolder folder;
  const RatingsInput input{.path = folder.write("f", zipped(arrays)), .holdout = 0.1};
  FourThreads threads;
  const auto one = load_file(input);
  const auto many = load_ratings(input, threads, {}, {.npz_ratings = 7});
  ASSERT_TRUE(one.ok() && many.ok());
  EXPECT_EQ(one.value()->fingerprint, many.value()->fingerprint);
  EXPECT_EQ(one.value()->users->size(), 300u);
}

TEST(RatingsNpz, DoesNotBelieveAHugeShape) {
  const auto loaded = load_text(
      zipped(ratings_with(coo(), "shape", npy("<i8", false, "(2,)", raw<std::int64_t>({4000000000, 4000000000})))));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded.value()->users->size(), 2u);
}

TEST(RatingsNpz, RefusesValuesThatAreNotFinite) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "data", floats({4, 0, kNan, 1})))),
              FailsWith("f (data.npy): entry 3 is missing, infinite or too large"));
  EXPECT_THAT(
      load_text(zipped(ratings_with(ratings_csr(), "data", npy("<f8", false, "(4,)", raw<double>({1, 1e300, 1, 1}))))),
      FailsWith("f (data.npy): entry 2 is missing, infinite or too large"));
}

TEST(RatingsNpz, RefusesIndicesOutsideTheShape) {
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "indices", ints({0, 3, 1, 2})))),
              FailsWith("f (indices.npy): entry 2, expected 0 to 2"));
  EXPECT_THAT(load_text(zipped(ratings_with(coo(), "row", ints({0, 1, 2, -1})))),
              FailsWith("f (row.npy): entry 4, expected 0 to 2"));
}

TEST(RatingsNpz, RefusesOffsetsThatDoNotFit) {
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "indptr", ints({0, 3, 2, 4})))), FailsWith("indptr.npy"));
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "indptr", ints({0, 2, 2, 3})))),
              FailsWith("expected offsets from 0 to 4"));
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "indptr", ints({0, 2, 4})))),
              FailsWith("3 entries of int32, expected 4"));
}

TEST(RatingsNpz, RefusesListsOfDifferentLength) {
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "indices", ints({0, 1})))),
              FailsWith("2 entries of int32, expected 4"));
  EXPECT_THAT(load_text(zipped(ratings_with(coo(), "col", floats({0, 1, 2, 1})))),
              FailsWith("expected 4 of int32 or int64"));
}

TEST(RatingsNpz, RefusesOtherFormatsAndMissingArrays) {
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "format", npy("|S3", false, "()", "bsr")))),
              FailsWith("f: sparse format 'bsr', expected csr, csc or coo"));
  Arrays without = ratings_csr();
  without.erase("indices");
  EXPECT_THAT(load_text(zipped(without)), FailsWith("f: holds no array 'indices'"));
  EXPECT_THAT(load_text(zipped({{"arr_0", floats({1})}})), FailsWith("f: holds no array 'format'"));
}

TEST(RatingsNpz, RefusesMatricesWithoutEntries) {
  Arrays empty = ratings_with(ratings_with(ratings_csr(), "data", floats({})), "indices", ints({}));
  EXPECT_THAT(load_text(zipped(ratings_with(empty, "indptr", ints({0, 0, 0, 0})))), FailsWith("f: holds no ratings"));
}

TEST(RatingsNpz, RefusesDamagedArchives) {
  const std::string whole = zipped(ratings_csr());
  EXPECT_THAT(load_text(whole.substr(0, whole.size() / 2)), FailsWith("cut off or damaged"));
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "data", "not an array"))),
              FailsWith("f (data.npy): no .npy array"));
  EXPECT_THAT(load_text(zipped(ratings_with(ratings_csr(), "data", ""))), FailsWith("f (data.npy): no .npy array"));
}

TEST(RatingsNpz, NamesTheArrayWhoseBytesAreDamaged) {
  Arrays large = ratings_csr();
  std::vector<float> values;
  std::vector<std::int32_t> indices;
  for (int k = 0; k < 3000; ++k) {
    values.push_back(static_cast<float>(k * 37 % 1009));
    indices.push_back(k % 1000);
  }
  large["data"] = floats(values);
  large["indices"] = ints(indices);
  large["indptr"] = ints({0, 1000, 2000, 3000});
  large["shape"] = npy("<i8", false, "(2,)", raw<std::int64_t>({3, 1000}));
  std::string bytes = zipped(large);
  ASSERT_TRUE(load_text(bytes).ok());
  bytes[bytes.find("data.npy") + 2000] = static_cast<char>(bytes[bytes.find("data.npy") + 2000] ^ 0x55);
  EXPECT_THAT(load_text(bytes), FailsWith("f (data.npy): "));
}

TEST(RatingsNpz, IsNoListOfPairs) {
  const TempFolder folder;
  EXPECT_THAT(load_pairs({.path = folder.write("p", zipped(ratings_csr()))}),
              FailsWith("p: is a zip archive, expected pairs"));
}

}  // namespace
}  // namespace strads::data
