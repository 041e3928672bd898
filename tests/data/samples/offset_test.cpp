// --offset: what is added to X beta at every sample.
#include <cmath>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using ::testing::ElementsAre;

std::vector<double> offset(const Dataset& set) {
  return {set.offset().begin(), set.offset().end()};
}

class Offsets : public ::testing::Test {
 protected:
  Offsets() {
    folder.write("x.bed",
                 "\x6c\x1b\x01"
                 "ab");
    folder.write("x.bim", "1 rs1 0 10 A G\n");
    folder.write("x.fam", "F1 a 0 0 1 5\nF1 b 0 0 1 6\nF2 a 0 0 2 -9\nF2 c 0 0 2 4\nF3 d 0 0 1 1\n");
    options.source.bfile = folder.path("x");
  }
  // In place of the PLINK files: a table without ids.
  void table(const std::string& text) {
    options.source.bfile.clear();
    options.source.x = folder.write("x.csv", text);
    options.response.y_name = "t";
  }
  void offsets(const std::string& text) { options.response.offset = folder.write("offset", text); }

  TempFolder folder;
  InputOptions options;
};

TEST_F(Offsets, AreNoneWhereNobodyAsks) {
  EXPECT_TRUE(load(options)->offset().empty());
}

TEST_F(Offsets, MatchByNameAndAreZeroAtDroppedRows) {
  offsets("FID IID o p\nF2 c 0 4\nF1 b -2.5 5\nF2 a 9 9\nF3 d 1e300 6\nF1 a 3 7\n");
  const auto set = load(options);
  EXPECT_EQ(offset(*set), (std::vector<double>{3, -2.5, 0, 0, 1e300}));
  EXPECT_THAT(set->columns().dropped_rows, ElementsAre(2));
  EXPECT_TRUE(set->columns().weights.empty());
  options.response.offset_name = "p";
  EXPECT_EQ(offset(*load(options)), (std::vector<double>{7, 5, 0, 4, 6}));
}

TEST_F(Offsets, LeaveSamplesOutWithTheReason) {
  offsets("FID IID o\nF1 a 2\nF1 b NA\nF2 a 1\nF3 d 0\n");
  const auto set = load(options);
  EXPECT_EQ(dropped(*set),
            (std::vector<std::string>{"1 no phenotype", "1 not in the offset table", "1 missing offset"}));
  EXPECT_THAT(set->columns().dropped_rows, ElementsAre(1, 2, 3));
  EXPECT_EQ(offset(*set), (std::vector<double>{2, 0, 0, 0, 0}));
  EXPECT_EQ(response(*set), (std::vector<double>{5, 0, 0, 0, 1}));
}

TEST_F(Offsets, PairByPositionAndAreCompactedWithParsedColumns) {
  table("a,t\n1,1\n2,NA\n3,3\n4,4\n");
  offsets("o\n0.5\n1\n-1\nNA\n");
  const auto set = load(options);
  EXPECT_EQ(offset(*set), (std::vector<double>{0.5, -1}));
  EXPECT_EQ(matrix(*set), (Rows{{1}, {3}}));
  options.response.offset = folder.write("o.npy", npy("<f4", false, "(4,)", raw<float>({1, 2, NAN, 4})));
  EXPECT_EQ(offset(*load(options)), (std::vector<double>{1, 4}));
  EXPECT_EQ(matrix(*load(options)), (Rows{{1}, {4}}));
}

TEST_F(Offsets, HaveToBeFiniteNumbersOneForEachRow) {
  table("a,t\n1,1\n2,2\n");
  offsets("o\n1\ninf\n");
  EXPECT_THAT(load_dataset(options), FailsWith("offset:3:1: number 'inf' is infinite"));
  offsets("o\n1\nlow\n");
  EXPECT_THAT(load_dataset(options), FailsWith("offset:3:1: text 'low', expected a number"));
  offsets("o\n1\n");
  EXPECT_THAT(load_dataset(options), FailsWith("offset: 1 rows, expected 2 as in X"));
  options.response.offset = folder.write("o.npy", npy("<f8", false, "(2,)", raw<double>({1, INFINITY})));
  EXPECT_THAT(load_dataset(options), FailsWith("o.npy: entry 2 is infinite"));
  options.response.offset_name = "o";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--offset-name o: "));
  offsets("p\n1\n2\n");
  EXPECT_THAT(load_dataset(options), FailsWith("no column 'o' (--offset-name)"));
}

TEST_F(Offsets, KeepTheirSizeBesideWeights) {
  table("a,t\n1,1\n2,2\n3,3\n");
  offsets("o\n1\n2\n3\n");
  options.response.weights = folder.write("w", "w\n1\n0\n3\n");
  const auto set = load(options);
  EXPECT_EQ(offset(*set), (std::vector<double>{1, 3}));
  EXPECT_THAT(set->columns().weights, ElementsAre(0.5, 1.5));
}

TEST_F(Offsets, AreAFileThatIsRead) {
  offsets("FID IID o\nF1 a 2\nF1 b 1\nF2 c 1\nF3 d 0\n");
  EXPECT_THAT(files_of(options), ::testing::UnorderedElementsAreArray(load(options)->files()));
  EXPECT_THAT(files_of(options), ::testing::Contains(options.response.offset));
}

TEST_F(Offsets, AreAPartOfTheFingerprintAndOtherThanWeights) {
  const std::uint64_t plain = load(options)->fingerprint();
  const std::string one = folder.write("one", "FID IID v\nF1 a 2\nF1 b 1\nF2 c 1\nF3 d 0.5\n");
  // The same numbers once they are scaled to a sum of 4.
  const std::string scaled = folder.write("scaled", "FID IID v\nF1 a 1\nF1 b 1\nF2 c 1.5\nF3 d 0.5\n");
  options.response.offset = one;
  const std::uint64_t with_one = load(options)->fingerprint();
  options.response.offset = scaled;
  const std::uint64_t with_scaled = load(options)->fingerprint();
  options.response.offset.clear();
  options.response.weights = scaled;
  const std::uint64_t weighted = load(options)->fingerprint();
  EXPECT_NE(with_one, plain);
  EXPECT_NE(with_scaled, with_one);
  EXPECT_NE(with_scaled, weighted);
}

TEST_F(Offsets, GoWithEachOfSeveralResponses) {
  options.response.pheno = folder.write("pheno", "FID IID s t\nF1 a 1 NA\nF1 b 2 2\nF2 c NA 3\nF3 d 4 4\n");
  offsets("FID IID o\nF1 a 10\nF1 b 20\nF2 c 30\nF3 d 40\n");
  const std::vector<std::string> names{"s", "t"};
  const auto sets = load_datasets(options, names);
  ASSERT_TRUE(sets.ok()) << sets.status().message();
  EXPECT_EQ(offset(*sets.value()[0]), (std::vector<double>{10, 20, 0, 0, 40}));
  EXPECT_EQ(offset(*sets.value()[1]), (std::vector<double>{0, 20, 0, 30, 40})) << "it shares the columns of the first";
  const std::uint64_t before = sets.value()[1]->fingerprint();
  offsets("FID IID o\nF1 a 10\nF1 b 20\nF2 c 31\nF3 d 40\n");
  EXPECT_NE(load_datasets(options, names).value()[1]->fingerprint(), before);
  // Not the numbers alone, but what they are.
  options.response.offset.clear();
  options.response.weights = folder.write("w", "FID IID w\nF1 a 1\nF1 b 1\nF2 c 1.5\nF3 d 0.5\n");
  const std::uint64_t weighted = load_datasets(options, names).value()[1]->fingerprint();
  options.response.offset = options.response.weights;
  options.response.weights.clear();
  EXPECT_NE(load_datasets(options, names).value()[1]->fingerprint(), weighted);
}

TEST_F(Offsets, GoWithAResponseThatSharesParsedColumns) {
  options.source.bfile.clear();
  options.source.x = folder.write("x.csv", "a,s,t,u\n1,1,1,NA\n2,2,2,2\n3,3,3,3\n");
  offsets("o\n1\n2\n3\n");
  const auto sets = load_datasets(options, std::vector<std::string>{"s", "t", "u"});
  ASSERT_TRUE(sets.ok()) << sets.status().message();
  EXPECT_EQ(offset(*sets.value()[1]), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(offset(*sets.value()[2]), (std::vector<double>{2, 3}));
}

}  // namespace
}  // namespace strads::data
