// How large data are before they are read: each format's head, and pieces of long texts.
#include "strads/data/data_shape.hpp"

#include "data/fixtures.hpp"
#include "data/shape/text_pieces.hpp"
#include "data/zipped_arrays.hpp"

namespace strads::data {
namespace {

class DatasetShape : public ::testing::Test {
 protected:
  Result<DataShape> look(const std::string& name, std::string_view bytes, Look how = Look::thorough) {
    InputOptions options;
    options.source.x = folder.write(name, bytes);
    options.response.y_name = "y";
    return look_at_dataset(options, how);
  }
  DataShape shape(const std::string& name, std::string_view bytes) {
    auto found = look(name, bytes);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? found.value() : DataShape{};
  }
  TempFolder folder;
};

TEST_F(DatasetShape, OfGenotypesIsThatOfFamAndBed) {
  InputOptions options;
  options.source.bfile = folder.path("g");
  folder.write("g.fam", "F1 I1 0 0 1 1\nF2 I2 0 0 1 2\nF3 I3 0 0 1 3\nF4 I4 0 0 1 4\nF5 I5 0 0 1 5\n");
  folder.write("g.bed", std::string("\x6c\x1b\x01", 3) + std::string(2 * 7, '\0'));
  const auto found = look_at_dataset(options, Look::quick);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().storage, Storage::genotype_2bit);
  EXPECT_EQ(found.value().rows, 5U);
  EXPECT_EQ(found.value().columns, 7U);
  EXPECT_EQ(found.value().mapped_bytes, 17U);
  EXPECT_EQ(found.value().held_bytes, 0U);
}

TEST_F(DatasetShape, OfPackedVariantsHasTheirTextInMemory) {
  InputOptions options;
  options.source.bfile = folder.path("g");
  folder.write("g.fam", "F1 I1 0 0 1 1\nF2 I2 0 0 1 2\n");
  folder.write("g.bed", std::string("\x6c\x1b\x01", 3) + std::string(2, '\0'));
  const auto plain = look_at_dataset(options, Look::thorough);
  const std::string text = "1 rs1 0 5 A G\n1 rs2 0 7 A G\n";
  folder.write("g.bim.gz", gzipped(text));
  const auto packed = look_at_dataset(options, Look::thorough);
  ASSERT_TRUE(plain.ok() && packed.ok());
  EXPECT_EQ(packed.value().names_bytes, plain.value().names_bytes + text.size());
}

TEST_F(DatasetShape, OfAColumnMajorArrayStaysMapped) {
  const DataShape found = shape("x.npy", npy("<f4", true, "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(found.storage, Storage::dense_f32);
  EXPECT_EQ(found.mapped_bytes, 24U);
  EXPECT_EQ(found.reading_bytes, 0U);
}

TEST_F(DatasetShape, OfARowMajorArrayIsCopied) {
  const DataShape found = shape("x.npy", npy("<f4", false, "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(found.mapped_bytes, 0U);
  EXPECT_EQ(found.held_bytes, 24U);
}

TEST_F(DatasetShape, OfATableCountsItsNumbers) {
  const DataShape found = shape("x.csv", "IID,a,b,y\ns1,1,2,3\ns2,4,5,6\ns3,7,8,9\n");
  EXPECT_EQ(found.rows, 3U);
  EXPECT_EQ(found.columns, 2U) << "neither the ids nor the response";
  EXPECT_EQ(found.held_bytes, 3 * 2 * sizeof(double));
}

TEST_F(DatasetShape, OfLibsvmCountsItsEntries) {
  const DataShape found = shape("x.svm", "1 1:1 4:2\n2 12:1\n3 2:2 3:1\n");
  EXPECT_EQ(found.rows, 3U);
  EXPECT_EQ(found.columns, 12U);
  EXPECT_EQ(found.entries, 5U);
}

TEST_F(DatasetShape, OfMatrixMarketIsInItsHead) {
  const DataShape sparse = shape("x.mtx", "%%MatrixMarket matrix coordinate real general\n% a\n3 20 2\n1 1 1\n2 1 2\n");
  EXPECT_EQ(sparse.rows, 3U);
  EXPECT_EQ(sparse.columns, 20U);
  EXPECT_EQ(sparse.entries, 2U);
  const DataShape dense = shape("y.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  EXPECT_EQ(dense.held_bytes, 16U);
}

TEST_F(DatasetShape, OfASparseTextIsInThePrecisionOfItsNumbers) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  const DataShape whole = shape("w.mtx", head + "3 20 2\n1 1 1\n2 1 2\n");
  const DataShape tenths = shape("t.mtx", head + "3 20 2\n1 1 0.5\n2 1 0.1\n");
  EXPECT_EQ(whole.storage, Storage::sparse_f32);
  EXPECT_EQ(tenths.storage, Storage::sparse_f64);
  EXPECT_EQ(tenths.reading_bytes, whole.reading_bytes + 2 * 4);
  EXPECT_EQ(shape("w.svm", "1 1:1 4:0.5\n2 3:8\n").storage, Storage::sparse_f32);
  EXPECT_EQ(shape("t.svm", "1 1:1 4:0.1\n2 3:8\n").storage, Storage::sparse_f64);
}

std::string sparse_archive(const char* type, std::string values) {
  return zipped({{"format", npy("|S3", false, "()", "csr")},
                 {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({3, 9}))},
                 {"data", npy(type, false, "(4,)", std::move(values))},
                 {"indices", npy("<i4", false, "(4,)", raw<std::int32_t>({0, 2, 4, 8}))},
                 {"indptr", npy("<i4", false, "(4,)", raw<std::int32_t>({0, 1, 2, 4}))}});
}

TEST_F(DatasetShape, OfASparseArchiveIsKnownWithoutUnpackingIt) {
  const DataShape single = shape("x.npz", sparse_archive("<f4", raw<float>({1, 2, 3, 4})));
  EXPECT_EQ(single.storage, Storage::sparse_f32);
  EXPECT_EQ(single.rows, 3U);
  EXPECT_EQ(single.columns, 9U);
  EXPECT_EQ(single.entries, 4U);
  const DataShape twice = shape("y.npz", sparse_archive("<f8", raw<double>({1, 2, 3, 4})));
  EXPECT_EQ(twice.storage, Storage::sparse_f64);
  EXPECT_EQ(twice.reading_bytes, single.reading_bytes + 4 * 4);
}

/// A 5 x 50,000 matrix of which rows 1 and 3 have ratings, and columns 7, 8 and 49,999.
std::string ratings_with_holes(const std::string& format, bool wide) {
  const auto numbers = [&](const std::vector<std::int32_t>& values) {
    return npy(wide ? "<i8" : "<i4", false, "(" + std::to_string(values.size()) + ",)",
               wide ? raw(std::vector<std::int64_t>(values.begin(), values.end())) : raw(values));
  };
  Arrays arrays = {{"format", npy("|S3", false, "()", format)},
                   {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({5, 50'000}))},
                   {"data", npy("<f4", false, "(4,)", raw<float>({1, 2, 3, 4}))}};
  const std::vector<std::int32_t> rows = {1, 1, 3, 3}, columns = {7, 8, 7, 49'999};
  if (format == "coo") {
    arrays["row"] = numbers(rows);
    arrays["col"] = numbers(columns);
  } else if (format == "csr") {
    arrays["indices"] = numbers(columns);
    arrays["indptr"] = numbers({0, 0, 2, 2, 4, 4});
  } else {
    std::vector<std::int32_t> starts(50'001, 4);
    for (std::size_t j = 0; j < 50'000; ++j) starts[j] = j <= 7 ? 0 : j == 8 ? 2 : 3;
    arrays["indices"] = numbers({1, 3, 1, 3});
    arrays["indptr"] = numbers(starts);
  }
  return zipped(arrays);
}

TEST(RatingsAreCounted, OfAMatrixWithoutItsEmptyRowsAndColumns) {
  const TempFolder folder;
  RatingsInput input;
  for (const std::string format : {"csr", "csc", "coo"}) {
    for (const bool wide : {false, true}) {
      input.path = folder.write("ratings.npz", ratings_with_holes(format, wide));
      for (const Look look : {Look::quick, Look::thorough}) {
        const auto found = look_at_ratings(input, look);
        ASSERT_TRUE(found.ok()) << format;
        EXPECT_EQ(found.value().ratings, 4U) << format;
        EXPECT_EQ(found.value().users, 2U) << format;
        EXPECT_EQ(found.value().items, 3U) << format;
        EXPECT_GE(found.value().lines_bytes, 4U * 50'005U) << format << ": the reader numbers them all";
      }
    }
  }
}

TEST_F(DatasetShape, OfWhatIsNoDataIsAnError) {
  EXPECT_FALSE(look("x.npz", "PK\x03\x04 cut off").ok());
  EXPECT_FALSE(look("empty", "").ok());
  EXPECT_FALSE(look("x.npy", "\x93NUMPY cut off").ok());
}

TEST_F(DatasetShape, OfAGzipFileIsKnownWhenItMayBeUnpacked) {
  const std::string bytes = gzipped("a,b,y\n1,2,3\n4,5,6\n");
  EXPECT_FALSE(look("x.csv.gz", bytes, Look::quick).ok());
  EXPECT_EQ(shape("x.csv.gz", bytes).columns, 2U);
}

TEST_F(DatasetShape, OfAPipeIsNotAskedFor) {
  InputOptions options;
  options.source.x = "/dev/zero";
  EXPECT_THAT(look_at_dataset(options, Look::thorough), FailsWith("/dev/zero: is no regular file"));
}

/// 40,000 users with ten ratings of 500 items each: 5 MB, more than is read as a whole.
std::string long_ratings() {
  std::string text;
  for (int user = 0; user < 40'000; ++user) {
    for (int k = 0; k < 10; ++k) {
      text += "u" + std::to_string(user) + "\ti" + std::to_string((user * 7 + k * 50) % 500) + "\t" +
              std::to_string(1 + (user + k) % 5) + "\n";
    }
  }
  return text;
}

TEST(RatingsAreCounted, ExactlyAndTheirUsersWithinOnePercent) {
  const TempFolder folder;
  RatingsInput input;
  input.path = folder.write("ratings.tsv", long_ratings());
  const auto found = look_at_ratings(input, Look::thorough);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().ratings, 400'000U);
  EXPECT_NEAR(static_cast<double>(found.value().users), 40'000, 400);
  EXPECT_NEAR(static_cast<double>(found.value().items), 500, 5);
  EXPECT_TRUE(found.value().has_levels);
}

TEST(RatingsAreCounted, FromPiecesWithinAPercentAndUsersAtLeast) {
  const TempFolder folder;
  RatingsInput input;
  const std::string text = long_ratings();
  ASSERT_GT(text.size(), kWholeText);
  input.path = folder.write("ratings.tsv", text);
  const auto found = look_at_ratings(input, Look::quick);
  ASSERT_TRUE(found.ok());
  EXPECT_NEAR(static_cast<double>(found.value().ratings), 400'000, 4'000);
  EXPECT_LT(found.value().users, 40'000U);
}

/// Counted are the columns that a fit reads.
TEST(RatingsAreCounted, InTheColumnsThatAFitReads) {
  const TempFolder folder;
  struct Counted {
    const char* text;
    const char* columns;
  };
  constexpr Counted kFiles[] = {
      {"timestamp,item,user,rating\n91,x,a,4\n92,x,b,3\n93,y,a,4\n94,x,c,4\n", ""},
      {"91;x;a;4\n92;x;b;3\n93;y;a;4\n94;x;c;4\n", "3,2,4"},
      {"\"user\" \"item\" \"rating\"\n\"1\" \"a\" \"x\" 4\n\"2\" \"b\" \"x\" 3\n\"3\" \"a\" \"y\" 4\n\"4\" \"c\" \"x\" "
       "4\n",
       ""},
      {"\"user\",item,rating\n\"a, b\",x,4\n\"a, c\",x,3\n\"a, b\",y,4\n\"a, d\",x,4\n", ""},
      {"# what this is\nu,i,n\na,x,4\n\nb,x,3\n# a remark\na,y,4\nc,x,4\n", ""},
  };
  for (const Counted& file : kFiles) {
    RatingsInput input;
    input.path = folder.write("ratings", file.text);
    input.columns = file.columns;
    SerialChunks serial;
    const auto read = load_ratings(input, serial);
    ASSERT_TRUE(read.ok()) << read.status().message();
    for (const Look look : {Look::quick, Look::thorough}) {
      const auto found = look_at_ratings(input, look);
      ASSERT_TRUE(found.ok()) << found.status().message();
      EXPECT_EQ(found.value().ratings, read.value()->train.size()) << file.text;
      EXPECT_EQ(found.value().users, read.value()->users->size()) << file.text;
      EXPECT_EQ(found.value().items, read.value()->items->size()) << file.text;
    }
  }
}

/// 300,000 lines of 30 users, 20 items and 5 ratings, behind a time that is another one on every line.
TEST(RatingsAreCounted, InTheColumnsOfALongFile) {
  const TempFolder folder;
  std::string text = "time,rating,user,item\n";
  for (int k = 0; k < 300'000; ++k) {
    text += std::to_string(900'000'000 + k) + ",";
    text += std::to_string(1 + k % 5) + ",u" + std::to_string(k % 30) + ",i" + std::to_string(k % 20) + "\n";
  }
  ASSERT_GT(text.size(), kWholeText);
  RatingsInput input;
  input.path = folder.write("ratings", text);
  const auto found = look_at_ratings(input, Look::quick);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_NEAR(static_cast<double>(found.value().ratings), 300'000, 3'000);
  EXPECT_EQ(found.value().users, 30U);
  EXPECT_EQ(found.value().items, 20U);
  EXPECT_TRUE(found.value().has_levels);
  input.columns = "3,4";
  EXPECT_FALSE(look_at_ratings(input, Look::quick).ok()) << "as the fit refuses it";
}

TEST(RatingsAreCounted, WithSeparatorsOfOtherPrograms) {
  const TempFolder folder;
  RatingsInput input;
  for (const char* text :
       {"1::10::4\n1::11::3.5\n2::10::1\n", "1,10,4\n1,11,3.5\n2,10,1", "1 10 4\r\n1 11 3.5\r\n2 10 1\r\n"}) {
    input.path = folder.write("ratings", text);
    const auto found = look_at_ratings(input, Look::quick);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().ratings, 3U) << text;
    EXPECT_EQ(found.value().users, 2U) << text;
    EXPECT_EQ(found.value().items, 2U) << text;
  }
}

}  // namespace
}  // namespace strads::data
