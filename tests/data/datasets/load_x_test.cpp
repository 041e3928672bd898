// load_dataset on --x: tables, libsvm, Matrix Market, .npy; how X and y meet.
#include <cmath>
#include <thread>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

class LoadX : public ::testing::Test {
 protected:
  void x(const std::string& name, const std::string& bytes) { options.source.x = folder.write(name, bytes); }
  void y(const std::string& text) { options.response.y = folder.write("y.csv", text); }

  TempFolder folder;
  InputOptions options;
};

TEST_F(LoadX, ReadsATableAndItsResponseByPosition) {
  x("x.csv", "a,b\n1,2\n3,4\n5,6\n");
  y("y,class\n10,A\nNA,B\n30,C\n");
  const auto set = load(options);
  EXPECT_EQ(set->columns().storage, Storage::dense_f64);
  EXPECT_EQ(matrix(*set), (Rows{{1, 2}, {5, 6}}));
  EXPECT_EQ(response(*set), (std::vector<double>{10, 30}));
  EXPECT_EQ(ids(*set), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(set->columns().dropped_rows.empty());
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 no response"}));
  EXPECT_EQ(set->response_name(), "y");
  EXPECT_FALSE(set->has_alleles());
}

TEST_F(LoadX, TakesMinusNineInAResponseAsANumber) {
  x("x.csv", "a\n1\n2\n");
  y("y\n-9\n1\n");
  EXPECT_EQ(response(*load(options)), (std::vector<double>{-9, 1}));
}

TEST_F(LoadX, TakesAColumnOfXAsResponse) {
  x("x.tsv", "a\tt\tb\n1\t10\t2\n3\t\t4\n");
  options.response.y_name = "t";
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{1, 2}}));
  EXPECT_EQ(response(*set), (std::vector<double>{10}));
  EXPECT_EQ(ids(*set), (std::vector<std::string>{"a", "b"}));
}

TEST_F(LoadX, DoesNotMindMissingEntriesOfDroppedRows) {
  x("x.csv", "a,t\nNA,\n3,4\n");
  options.response.y_name = "t";
  EXPECT_EQ(matrix(*load(options)), (Rows{{3}}));
}

TEST_F(LoadX, RefusesOrImputesMissingEntries) {
  x("x.csv", "a,t\n1,1\nNA,2\n5,3\n");
  options.response.y_name = "t";
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv:3:1: missing value 'NA', expected a number in column 'a'"));
  options.source.missing_mean = true;
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{1}, {3}, {5}}));
  EXPECT_EQ(set->missing_imputed(), 1u);
}

TEST_F(LoadX, MatchesBySampleIdWhenBothFilesHaveThem) {
  x("x.csv", "id,a\ns1,1\ns2,2\ns3,3\n");
  y("t,id\n30,s3\n10,s1\n90,s9\n");
  options.samples.id_column = "id";
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{1}, {3}}));
  EXPECT_EQ(response(*set), (std::vector<double>{10, 30}));
  EXPECT_EQ(set->sample(1).individual, "s3");
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 not in the response table"}));
}

TEST_F(LoadX, PairsByPositionWhenOnlyOneFileHasIds) {
  x("x.csv", "id,a\ns1,1\ns2,2\n");
  y("t\n10\n20\n");
  options.samples.id_column = "id";
  EXPECT_EQ(response(*load(options)), (std::vector<double>{10, 20}));
  y("t\n10\n");
  EXPECT_THAT(load_dataset(options), FailsWith("y.csv: 1 rows, expected 2 as in X"));
}

TEST_F(LoadX, KnowsFidAndIidColumnsOfX) {
  x("x.tsv", "FID\tIID\ta\nF\ts1\t1\nF\ts2\t2\n");
  y("IID,t\ns2,20\ns1,10\n");
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{10, 20}));
  EXPECT_EQ(set->sample(0).family, "F");
  EXPECT_EQ(ids(*set), (std::vector<std::string>{"a"}));
}

TEST_F(LoadX, RefusesDuplicateSampleIds) {
  x("x.csv", "id,a,t\ns1,1,1\ns1,2,2\n");
  options.samples.id_column = "id";
  options.response.y_name = "t";
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv: sample 's1' twice, as samples 1 and 2"));
}

TEST_F(LoadX, AsksForAnIdColumnWhenTheFirstIsText) {
  x("x.csv", "who,a,t\ns1,1,1\n");
  options.response.y_name = "t";
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv:2:1: text 's1', expected a number"));
  EXPECT_THAT(load_dataset(options), FailsWith("if these are sample ids: --id-column who"));
  x("x.csv", "a,id,t\n1,s1,1\n");
  EXPECT_THAT(load_dataset(options), FailsWith("column 2, 'id', holds ids or row numbers"));
  EXPECT_THAT(load_dataset(options), FailsWith("if these are sample ids: --id-column id"));
}

TEST_F(LoadX, PointsAtTextInOtherColumns) {
  x("x.csv", "a,b,t\n1,low,1\n");
  options.response.y_name = "t";
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv:2:3: text 'low', expected a number"));
}

TEST_F(LoadX, RefusesOverflowWithItsPlace) {
  x("x.csv", "a,t\n1,1\n1e999,2\n");
  options.response.y_name = "t";
  options.source.missing_mean = true;
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv:3:1: number '1e999' is infinite or too large"));
}

TEST_F(LoadX, AsksForAResponse) {
  x("x.csv", "a,b\n1,2\n");
  EXPECT_THAT(load_dataset(options), FailsAsUsage("needs a response: --y FILE, or --y-name COLUMN"));
  options.response.y_name = "c";
  EXPECT_THAT(load_dataset(options), FailsWith("no column 'c' (--y-name)"));
}

TEST_F(LoadX, ReadsXAloneForPrediction) {
  x("x.csv", "a,t\n1,2\n3,oops\n");
  options.response.required = false;
  options.response.y_name = "t";
  const auto set = load(options);
  EXPECT_TRUE(set->response().empty());
  EXPECT_EQ(matrix(*set), (Rows{{1}, {3}}));
  options.response.y_name = "unknown";
  x("x.csv", "a,b\n1,2\n");
  EXPECT_EQ(matrix(*load(options)), (Rows{{1, 2}}));
}

TEST_F(LoadX, RefusesAnXWithoutColumns) {
  x("x.csv", "t\n1\n2\n");
  options.response.y_name = "t";
  EXPECT_THAT(load_dataset(options), FailsWith("no columns left for X"));
}

TEST_F(LoadX, KeepsAndExtractsByName) {
  x("x.csv", "id,a,b,t\ns1,1,2,1\ns2,3,4,2\n");
  options.samples.id_column = "id";
  options.response.y_name = "t";
  options.samples.keep = folder.write("keep", "s2\n");
  options.variables.extract = folder.write("names", "b\n");
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{2}));
  EXPECT_THAT(set->columns().excluded, ::testing::ElementsAre(1, 0));
}

TEST_F(LoadX, PairsWeightsByPositionWithoutIdsAndLeavesOutRowsOfWeight0) {
  x("x.csv", "a,t\n1,1\n2,2\n3,3\n");
  options.response.y_name = "t";
  options.response.weights = folder.write("w.csv", "w\n3\n0\n1\n");
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{1}, {3}}));
  EXPECT_THAT(set->columns().weights, ::testing::ElementsAre(1.5, 0.5));
}

// Weights 3, 2, 1 of 1, -, 5: (3 x 1 + 1 x 5) / 4 = 2, where the plain mean is 3.
TEST_F(LoadX, FillsInWeightedMeansWhereThereAreWeights) {
  options.source.missing_mean = true;
  options.response.weights = folder.write("w.csv", "w\n3\n2\n1\n");
  x("x.csv", "a,t\n1,1\nNA,2\n5,3\n");
  options.response.y_name = "t";
  EXPECT_EQ(matrix(*load(options)), (Rows{{1}, {2}, {5}}));
  options.response.y_name.clear();
  options.response.y = folder.write("y.csv", "t\n1\n2\n3\n");
  x("x.npy", npy("<f8", true, "(3, 1)", raw(std::vector<double>{1, NAN, 5})));
  EXPECT_EQ(matrix(*load(options)), (Rows{{1}, {2}, {5}}));
  x("x32.npy", npy("<f4", false, "(3, 1)", raw(std::vector<float>{1, NAN, 5})));
  EXPECT_EQ(matrix(*load(options)), (Rows{{1}, {2}, {5}}));
}

// Weights 3, 4, 1, 2 of 1, -, 5, 0: (3 x 1 + 1 x 5 + 2 x 0) / 6; weights are scaled to a sum of 4.
TEST_F(LoadX, CountsTheWeightsOfZerosThatSparseFormatsLeaveOut) {
  options.source.missing_mean = true;
  options.response.weights = folder.write("w.csv", "w\n3\n4\n1\n2\n");
  x("x.libsvm", "1 1:1\n2 1:nan\n3 1:5\n4 2:1\n");
  const auto set = load(options);
  ASSERT_EQ(matrix(*set).size(), 4U);
  EXPECT_DOUBLE_EQ(matrix(*set)[1][0], 8.0 / 6);
  EXPECT_EQ(matrix(*set)[3][0], 0);
}

TEST_F(LoadX, RefusesWeightsOfAnotherNumberOfRowsAndNegativeOnes) {
  x("x.csv", "a,t\n1,1\n2,2\n");
  options.response.y_name = "t";
  options.response.weights = folder.write("w.csv", "w\n3\n");
  EXPECT_THAT(load_dataset(options), FailsWith("1 rows, expected 2 as in X"));
  options.response.weights = folder.write("w.csv", "w\n3\n-1\n");
  EXPECT_THAT(load_dataset(options), FailsWith("the weight of row 2 is -1"));
  options.response.weights = folder.write("w.csv", "w\n0\n0\n");
  EXPECT_THAT(load_dataset(options), FailsWith("no samples left of 2: 2 weight 0"));
}

TEST_F(LoadX, RefusesKeepWithoutIdsAndChromosomesWithoutPlink) {
  x("x.csv", "a,t\n1,1\n");
  options.response.y_name = "t";
  options.samples.keep = folder.write("keep", "s2\n");
  EXPECT_THAT(load_dataset(options), FailsAsUsage("name a column of X with --id-column"));
  options.samples.keep.clear();
  options.variables.chromosomes = {"1"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--chr goes with --bfile"));
  options.variables.chromosomes.clear();
  options.response.pheno = "p";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("go with --bfile"));
}

TEST_F(LoadX, ReadsCompressedTablesUnderAnyName) {
  x("x.dat", gzipped("a,t\n1,2\n"));
  options.response.y_name = "t";
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{1}}));
}

TEST_F(LoadX, GivesTheSameFingerprintCompressedOrNot) {
  options.response.y_name = "t";
  x("x.csv", "a,t\n1,2\n3,4\n");
  const std::uint64_t plain = load(options)->fingerprint();
  x("x.csv.gz", gzipped("a,t\n1,2\n3,4\n"));
  EXPECT_EQ(load(options)->fingerprint(), plain);
  x("x.csv", "a,t\n1,2\n3,5\n");
  EXPECT_NE(load(options)->fingerprint(), plain);
}

TEST_F(LoadX, ComputesTheFingerprintOnceForAllThreads) {
  options.response.y_name = "t";
  x("x.csv", "a,t\n1,2\n3,4\n");
  const auto set = load(options);
  std::vector<std::uint64_t> seen(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& value : seen) threads.emplace_back([&] { value = set->fingerprint(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t value : seen) EXPECT_EQ(value, set->fingerprint());
}

TEST_F(LoadX, ReadsLibsvmWithItsLabels) {
  x("train", "+1 1:0.5 3:2\n-1\nNA 2:9\n3 1:1\n");
  const auto set = load(options);
  EXPECT_EQ(set->columns().storage, Storage::sparse_f32);
  EXPECT_EQ(matrix(*set), (Rows{{0.5, 0, 2}, {0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(response(*set), (std::vector<double>{1, -1, 3}));
  EXPECT_EQ(set->response_name(), "label");
  EXPECT_EQ(ids(*set), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 no response"}));
}

TEST_F(LoadX, PrefersAResponseTableToLibsvmLabels) {
  x("train.libsvm", "1 1:0.1\n2 1:2\n");
  y("a,b\n5,6\n7,8\n");
  options.response.y_name = "b";
  const auto set = load(options);
  EXPECT_EQ(set->columns().storage, Storage::sparse_f64) << "0.1 is no float";
  EXPECT_EQ(response(*set), (std::vector<double>{6, 8}));
}

TEST_F(LoadX, ImputesMissingLibsvmValues) {
  x("train.libsvm", "1 1:4\n2 1:NA\n3 2:1\n");
  EXPECT_THAT(load_dataset(options), FailsWith("train.libsvm:2:3: missing value"));
  options.source.missing_mean = true;
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{4, 0}, {2, 0}, {0, 1}}));
  EXPECT_EQ(set->missing_imputed(), 1u);
}

TEST_F(LoadX, RefusesNamesWhereColumnsHaveNone) {
  x("train.libsvm", "1 1:4\n");
  options.response.y_name = "t";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("has no named columns"));
  options.response.y_name.clear();
  options.samples.id_column = "id";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--id-column id"));
}

TEST_F(LoadX, NumbersColumnsFromOneThroughAllLengths) {
  x("train.libsvm", "1 1:1 120:1\n");
  const auto names = ids(*load(options));
  ASSERT_EQ(names.size(), 120u);
  for (std::size_t j = 0; j < names.size(); ++j) EXPECT_EQ(names[j], std::to_string(j + 1));
}

TEST_F(LoadX, ReadsMatrixMarketCoordinatesAndArrays) {
  y("t\n1\nNA\n3\n");
  x("x.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 3\n3 2 5\n1 1 4\n2 1 7\n");
  EXPECT_EQ(matrix(*load(options)), (Rows{{4, 0}, {0, 5}}));
  x("x.mtx", "%%MatrixMarket matrix array real general\n3 2\n1\nNA\n3\n4\n5\n6\n");
  const auto set = load(options);
  EXPECT_EQ(set->columns().storage, Storage::dense_f64);
  EXPECT_EQ(matrix(*set), (Rows{{1, 4}, {3, 6}}));
}

TEST_F(LoadX, RefusesRepeatedMatrixMarketEntries) {
  y("t\n1\n2\n");
  x("x.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 5\n2 1 4\n");
  EXPECT_THAT(load_dataset(options), FailsWith("x.mtx: entry (row 2, column 1) is given twice"));
}

TEST_F(LoadX, MapsColumnMajorArraysAndListsDroppedRows) {
  y("t\n1\nNA\n3\n");
  x("x.npy", npy("<f4", true, "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6})));
  const auto set = load(options);
  EXPECT_EQ(set->columns().storage, Storage::dense_f32);
  EXPECT_EQ(set->columns().rows, 3u);
  EXPECT_THAT(set->columns().dropped_rows, ::testing::ElementsAre(1));
  EXPECT_EQ(response(*set), (std::vector<double>{1, 0, 3}));
  EXPECT_EQ(matrix(*set), (Rows{{1, 4}, {2, 5}, {3, 6}}));
}

TEST_F(LoadX, CopiesRowMajorArraysWithoutDroppedRows) {
  y("t\n1\nNA\n3\n");
  x("x.npy", npy("<f8", false, "(3, 2)", raw<double>({1, 2, 3, 4, 5, 6})));
  const auto set = load(options);
  EXPECT_EQ(set->columns().storage, Storage::dense_f64);
  EXPECT_EQ(matrix(*set), (Rows{{1, 2}, {5, 6}}));
  EXPECT_TRUE(set->columns().dropped_rows.empty());
}

TEST_F(LoadX, CopiesAMappedArrayWhoseDroppedRowsHoldNan) {
  y("t\n1\nNA\n3\n");
  x("x.npy", npy("<f8", true, "(3, 2)", raw<double>({1, NAN, 3, 4, INFINITY, 6})));
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{1, 4}, {3, 6}})) << "0 times NaN would be NaN";
  EXPECT_TRUE(set->columns().dropped_rows.empty());
}

TEST_F(LoadX, RefusesOrImputesNanInArrays) {
  y("t\n1\n2\n3\n");
  x("x.npy", npy("<f8", true, "(3, 2)", raw<double>({1, NAN, 3, 4, 5, 6})));
  EXPECT_THAT(load_dataset(options), FailsWith("x.npy: row 2, column 1: missing value"));
  options.source.missing_mean = true;
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(set->missing_imputed(), 1u);
}

TEST_F(LoadX, ReadsIntegerArraysAndResponsesFromNpy) {
  x("x.npy", npy("<i4", false, "(2, 2)", raw<std::int32_t>({1, 2, 3, 4})));
  options.response.y = folder.write("y.npy", npy("<f8", false, "(2,)", raw<double>({NAN, 5})));
  const auto set = load(options);
  EXPECT_EQ(matrix(*set), (Rows{{3, 4}}));
  EXPECT_EQ(response(*set), (std::vector<double>{5}));
}

TEST_F(LoadX, RefusesArraysOfOtherShapes) {
  y("t\n1\n");
  x("x.npy", npy("<f8", false, "(1,)", raw<double>({1})));
  EXPECT_THAT(load_dataset(options), FailsWith("an array of 1 dimensions and 1 entries, expected rows x columns"));
  x("x.npy", npy("<f8", false, "(1, 0)", ""));
  EXPECT_THAT(load_dataset(options), FailsWith("0 entries"));
}

TEST_F(LoadX, RefusesEmptyDamagedAndForeignFiles) {
  options.response.y_name = "t";
  x("x.csv", "");
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv: is empty"));
  x("x.csv.gz", gzipped("a,t\n1,2\n").substr(0, 20));
  EXPECT_THAT(load_dataset(options), FailsWith("cut off"));
  x("x.npy", "abc");
  EXPECT_THAT(load_dataset(options), FailsWith("does not start like a .npy file"));
  x("x.bed",
    "\x6c\x1b\x01"
    "abc");
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--bfile"));
  options.source.x = folder.path("none.csv");
  EXPECT_THAT(load_dataset(options), FailsWith("cannot open"));
}

TEST_F(LoadX, TakesRowsWithoutFeaturesAsLibsvmBySuffix) {
  x("x.libsvm", "1\n2\n");
  EXPECT_THAT(load_dataset(options), FailsWith("no row has a feature"));
}

std::vector<std::shared_ptr<const Dataset>> load_of_x(const InputOptions& options,
                                                      const std::vector<std::string>& names) {
  auto loaded = load_datasets(options, names);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? std::move(loaded).value() : std::vector<std::shared_ptr<const Dataset>>{};
}

TEST_F(LoadX, SharesAParsedTableAmongResponsesWithTheSameSamples) {
  x("x.csv", "a,b\n1,2\nNA,4\n5,6\n");
  y("s,t,u\n10,1,7\n20,NA,8\n30,3,9\n");
  options.source.missing_mean = true;
  const auto sets = load_of_x(options, {"s", "t", "u"});
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(matrix(*sets[0]), (Rows{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(matrix(*sets[1]), (Rows{{1, 2}, {5, 6}})) << "as alone, without the row that has no t";
  EXPECT_EQ(sets[2]->columns().values, sets[0]->columns().values);
  EXPECT_EQ(response(*sets[1]), (std::vector<double>{1, 3}));
  EXPECT_EQ(response(*sets[2]), (std::vector<double>{7, 8, 9}));
}

TEST_F(LoadX, TakesAllResponsesOutOfX) {
  x("x.csv", "a,s,b,t\n1,10,2,5\n3,20,4,\n");
  const auto sets = load_of_x(options, {"s", "t"});
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(matrix(*sets[0]), (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(matrix(*sets[1]), (Rows{{1, 2}}));
  EXPECT_EQ(ids(*sets[1]), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(response(*sets[1]), (std::vector<double>{5}));
}

TEST_F(LoadX, MapsColumnsOnceForAllResponses) {
  x("x.npy", npy("<f8", true, "(3, 2)", raw(std::vector<double>{1, 2, 3, 4, 5, 6})));
  y("s,t\n10,1\n20,NA\n30,3\n");
  const auto sets = load_of_x(options, {"s", "t"});
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[1]->columns().values, sets[0]->columns().values);
  EXPECT_THAT(sets[1]->columns().dropped_rows, ::testing::ElementsAre(1));
}

TEST_F(LoadX, RefusesToNameAColumnOfAVector) {
  x("x.csv", "a\n1\n2\n");
  options.response.y = folder.write("y.npy", npy("<f8", false, "(2,)", raw(std::vector<double>{1, 2})));
  options.response.y_name = "s";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("y.npy is a .npy vector, which has no named columns"));
}

}  // namespace
}  // namespace strads::data
