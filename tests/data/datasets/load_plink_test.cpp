// load_dataset on PLINK files: five samples, three variants.
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

// Two bytes a column; the calls do not matter here.
const std::string kBed =
    "\x6c\x1b\x01"
    "abcdef";
const std::string kBim = "1 rs1 0 10 A G\n1 rs2 0 20 C T\n2 rs3 0 30 A C\n";
const std::string kFam = "F1 a 0 0 1 1\nF1 b 0 0 1 2\nF2 a 0 0 2 -9\nF2 c 0 0 2 4\nF3 d 0 0 1 NA\n";

class LoadPlink : public ::testing::Test {
 protected:
  LoadPlink() {
    folder.write("x.bed", kBed);
    folder.write("x.bim", kBim);
    folder.write("x.fam", kFam);
    options.source.bfile = folder.path("x");
  }
  void pheno(const std::string& text) { options.response.pheno = folder.write("pheno", text); }

  TempFolder folder;
  InputOptions options;
};

TEST_F(LoadPlink, MapsTheGenotypesInPlace) {
  const auto set = load(options);
  const ColumnsView& x = set->columns();
  EXPECT_EQ(x.storage, Storage::genotype_2bit);
  EXPECT_EQ(x.rows, 5u);
  EXPECT_EQ(x.columns, 3u);
  EXPECT_EQ(x.column_stride, 2u);
  EXPECT_EQ(static_cast<char>(x.values[0]), 'a');
  EXPECT_EQ(static_cast<char>(x.values[5]), 'f');
  EXPECT_TRUE(x.excluded.empty());
}

TEST_F(LoadPlink, DropsSamplesWhoseFamPhenotypeIsMissing) {
  const auto set = load(options);
  EXPECT_THAT(set->columns().dropped_rows, ::testing::ElementsAre(2, 4));
  EXPECT_EQ(set->columns().samples(), 3u);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 2, 0, 4, 0}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 no phenotype"}));
}

TEST_F(LoadPlink, NamesVariantsAndSamples) {
  const auto set = load(options);
  EXPECT_TRUE(set->has_alleles());
  EXPECT_EQ(set->variable(2).id, "rs3");
  EXPECT_EQ(set->variable(2).chromosome, "2");
  EXPECT_EQ(set->variable(1).counted, "C");
  EXPECT_EQ(set->sample(3).family, "F2");
  EXPECT_EQ(set->sample(3).individual, "c");
  EXPECT_EQ(set->files().size(), 3u);
}

TEST_F(LoadPlink, ReadsTheFilesThatItsOptionsNameAndNoOthers) {
  pheno("FID IID height\nF1 a 1\nF1 b 2\nF2 a 3\nF2 c 4\nF3 d 5\n");
  options.samples.keep = folder.write("keep", "F1 a\nF1 b\nF2 a\nF2 c\n");
  options.variables.extract = folder.write("extract", "rs1\nrs2\n");
  options.response.covar = folder.write("covar", "FID IID age\nF1 a 1\nF1 b 5\nF2 a 3\nF2 c 4\nF3 d 5\n");
  options.variables.penalty_factors = folder.write("factors", "rs1 1\nrs2 2\nrs3 1\n");
  options.response.weights = folder.write("weights", "FID IID w\nF1 a 1\nF1 b 2\nF2 a 3\nF2 c 4\nF3 d 5\n");
  EXPECT_THAT(files_of(options), testing::UnorderedElementsAreArray(load(options)->files()));
}

TEST_F(LoadPlink, MatchesThePhenotypeTableByFamilyAndIndividual) {
  pheno("FID\tIID\tnote\theight\nF2\ta\tx\t30\nF1\ta\ty\t10\nF9\tz\tz\t90\nF3\td\tw\t-9\n");
  options.response.pheno_name = "height";
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{10, 0, 30, 0, 0}));
  EXPECT_EQ(set->response_name(), "height");
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 not in the phenotype table", "1 no phenotype"}));
}

TEST_F(LoadPlink, TakesTheFirstColumnAfterTheIdsByDefault) {
  pheno("#FID IID t1 t2\nF1 a 5 6\nF1 b 7 8\n");
  const auto set = load(options);
  EXPECT_EQ(set->response_name(), "t1");
  EXPECT_EQ(response(*set), (std::vector<double>{5, 7, 0, 0, 0}));
}

TEST_F(LoadPlink, TakesATableWithIndividualsOnlyIfTheyAreUnique) {
  pheno("#IID t\nb 5\n");
  EXPECT_THAT(load_dataset(options), FailsWith("sample 'a' twice, as samples 1 and 3: the other file has no FID"));
  folder.write("x.fam", "F1 a 0 0 1 1\nF1 b 0 0 1 2\nF2 e 0 0 2 -9\nF2 c 0 0 2 4\nF3 d 0 0 1 NA\n");
  EXPECT_EQ(response(*load(options)), (std::vector<double>{0, 5, 0, 0, 0}));
}

TEST_F(LoadPlink, RefusesSamplesThatAppearTwice) {
  pheno("FID IID t\nF1 a 5\nF1 a 5\n");
  EXPECT_THAT(load_dataset(options), FailsWith("sample 'F1 a' twice, as samples 1 and 2"));
  folder.write("x.fam", "F a 0 0 1 1\nF a 0 0 1 2\nF b 0 0 2 3\nF c 0 0 2 4\nF d 0 0 1 5\n");
  options.response.pheno.clear();
  EXPECT_THAT(load_dataset(options), FailsWith("x.fam: sample 'F a' twice"));
}

TEST_F(LoadPlink, ShowsAnIdOfEachSideWhenNoneIsInCommon) {
  pheno("FID IID t\na F1 5\n");
  EXPECT_THAT(load_dataset(options), FailsWith("here for example 'a F1', there 'F1 a'"));
}

TEST_F(LoadPlink, RefusesAPhenotypeTableWithoutIdsOrColumn) {
  pheno("id t\nF1 5\n");
  EXPECT_THAT(load_dataset(options), FailsWith("pheno:1:1: header starts with 'id', expected a column IID"));
  pheno("FID IID\nF1 a\n");
  EXPECT_THAT(load_dataset(options), FailsWith("no column besides the sample ids"));
  pheno("FID IID t\nF1 a tall\n");
  EXPECT_THAT(load_dataset(options), FailsWith("pheno:2:6: text 'tall'"));
  options.response.pheno_name = "height";
  EXPECT_THAT(load_dataset(options), FailsWith("no column 'height' (--pheno-name); the 3 columns are FID, IID, t"));
}

TEST_F(LoadPlink, SaysWhyNoSampleIsLeft) {
  folder.write("x.fam", "F a 0 0 1 -9\nF b 0 0 1 -9\nF c 0 0 2 -9\nF d 0 0 2 -9\nF e 0 0 1 NA\n");
  EXPECT_THAT(load_dataset(options), FailsWith("no samples left of 5: 5 no phenotype (column 6 of the .fam; --pheno"));
}

TEST_F(LoadPlink, KeepsListedSamplesAfterDroppingThoseWithoutPhenotype) {
  options.samples.keep = folder.write("keep", "#FID IID\nF1 b\nF2 a\nF2 c\nF7 q\n");
  const auto set = load(options);
  EXPECT_THAT(set->columns().dropped_rows, ::testing::ElementsAre(0, 2, 4));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 no phenotype", "1 not in --keep"}));
  EXPECT_THAT(set->warnings(), ::testing::ElementsAre(::testing::HasSubstr("1 of 4 samples are not in")));
}

TEST_F(LoadPlink, KeepsByOneIdPerLine) {
  options.samples.keep = folder.write("keep", "b\nc\n");
  EXPECT_EQ(load(options)->columns().samples(), 2u);
}

TEST_F(LoadPlink, RefusesAKeepFileThatNamesNobodyOrIsRagged) {
  options.samples.keep = folder.write("keep", "F9 z\n");
  EXPECT_THAT(load_dataset(options), FailsWith("keep: none of its 1 samples is in"));
  options.samples.keep = folder.write("keep", "\n");
  EXPECT_THAT(load_dataset(options), FailsWith("lists no samples"));
  options.samples.keep = folder.write("keep", "F1 a\nb\n");
  EXPECT_THAT(load_dataset(options), FailsWith("keep:2:1: one word, expected every line like the first"));
}

TEST_F(LoadPlink, ExcludesVariantsThatAreNotExtracted) {
  options.variables.extract = folder.write("ids", "rs3\nrs1\nrs9\n");
  const auto set = load(options);
  EXPECT_THAT(set->columns().excluded, ::testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(set->warnings(), ::testing::ElementsAre(::testing::HasSubstr("1 of 3 variables are not in the data")));
  options.variables.extract = folder.write("ids", "rs9\n");
  EXPECT_THAT(load_dataset(options), FailsWith("here for example 'rs9', there 'rs1'"));
  options.variables.extract = folder.write("ids", "\n");
  EXPECT_THAT(load_dataset(options), FailsWith("lists no variables"));
}

TEST_F(LoadPlink, KeepsTheChromosomesAskedFor) {
  options.variables.chromosomes = {"chr1"};
  EXPECT_THAT(load(options)->columns().excluded, ::testing::ElementsAre(0, 0, 1));
  options.variables.chromosomes = {"2", "7"};
  const auto set = load(options);
  EXPECT_THAT(set->columns().excluded, ::testing::ElementsAre(1, 1, 0));
  EXPECT_THAT(set->warnings(), ::testing::ElementsAre(::testing::HasSubstr("--chr 7: no variant is on it")));
  options.variables.chromosomes = {"X"};
  EXPECT_THAT(load_dataset(options), FailsWith("--chr X: no variant is on it (the first is on '1')"));
}

TEST_F(LoadPlink, KeepsARangeOfChromosomes) {
  folder.write("x.bim", "1 rs1 0 10 A G\nchr2 rs2 0 20 C T\n10 rs3 0 30 A C\n");
  options.variables.chromosomes = {"2-9"};
  EXPECT_THAT(load(options)->columns().excluded, ::testing::ElementsAre(1, 0, 1));
  options.variables.chromosomes = {"chr1-chr2", "X"};
  const auto set = load(options);
  EXPECT_THAT(set->columns().excluded, ::testing::ElementsAre(0, 0, 1));
  EXPECT_THAT(set->warnings(), ::testing::ElementsAre(::testing::HasSubstr("--chr X: no variant is on it")));
  options.variables.chromosomes = {"3-9"};
  EXPECT_THAT(load_dataset(options), FailsWith("--chr 3-9: no variant is on it (the first is on '1'); chromosomes are "
                                               "written as in the .bim, numbers also as 1-3"));
}

TEST_F(LoadPlink, RefusesWhenExtractAndChromosomesLeaveNothing) {
  options.variables.extract = folder.write("ids", "rs3\n");
  options.variables.chromosomes = {"1"};
  EXPECT_THAT(load_dataset(options), FailsWith("no variable is left of 3: 1 not on --chr 1, 2 not in --extract"));
}

TEST_F(LoadPlink, ReadsNumericCovariatesAndDropsIncompleteSamples) {
  options.response.covar =
      folder.write("covar", "FID IID age sex site\nF1 a 30 1 x\nF1 b NA 2 y\nF2 c 50 -9 z\nF2 a 1 1 x\n");
  options.response.covar_names = {"age"};
  const auto set = load(options);
  EXPECT_EQ(set->covariate_names(), (std::vector<std::string>{"age"}));
  EXPECT_EQ(set->covariates(), (Rows{{30, 0, 0, 50, 0}}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 no phenotype", "1 missing covariate"}));
  options.response.covar_names.clear();
  const auto all = load(options);
  EXPECT_EQ(all->covariate_names(), (std::vector<std::string>{"age", "sex"}));
  EXPECT_EQ(all->columns().samples(), 1u);
  ASSERT_EQ(all->skipped_covariates().size(), 1u);
  EXPECT_EQ(all->skipped_covariates()[0].name, "site");
  EXPECT_EQ(all->skipped_covariates()[0].reason, "text");
}

TEST_F(LoadPlink, WantsNamesOfCovariatesFromTheTableOfTheTrait) {
  pheno("FID IID t age\nF1 a 5 30\nF1 b 7 40\n");
  options.response.covar = folder.path("./pheno");
  EXPECT_THAT(load_dataset(options), FailsAsUsage("is the table of the trait"));
  options.response.covar_names = {"age"};
  EXPECT_EQ(load(options)->covariate_names(), (std::vector<std::string>{"age"}));
}

TEST_F(LoadPlink, DoesNotTakeIdsOfParentsForCovariates) {
  options.response.covar = folder.write("covar", "#FID IID PAT MAT SEX\nF1 a 0 0 1\nF1 b 0 0 2\nF2 c 0 0 2\n");
  const auto set = load(options);
  EXPECT_EQ(set->covariate_names(), (std::vector<std::string>{"SEX"}));
  EXPECT_EQ(set->skipped_covariates().size(), 2u);
}

TEST_F(LoadPlink, CountsSamplesWithoutCovariatesByReason) {
  options.response.covar = folder.write("covar", "FID IID age\nF1 a 30\n");
  EXPECT_EQ(dropped(*load(options)), (std::vector<std::string>{"2 no phenotype", "2 not in the covariate table"}));
}

TEST_F(LoadPlink, PointsAtTextInACovariateColumn) {
  options.response.covar = folder.write("covar", "FID IID age\nF1 a 30\nF1 b old\n");
  EXPECT_THAT(load_dataset(options), FailsWith("covar:3:6: text 'old'"));
}

TEST_F(LoadPlink, MatchesSampleWeightsByNameAndScalesThemToTheNumberOfSamples) {
  pheno("FID IID t\nF1 a 5\nF1 b 7\nF2 a 9\nF2 c 4\n");
  options.response.weights = folder.write("w", "FID IID w v\nF2 a 9 1\nF1 b 3 1\nF1 a 1 1\nF2 c 4 0\n");
  options.response.weights_name = "v";
  const auto equal = load(options);
  EXPECT_TRUE(equal->columns().weights.empty());
  EXPECT_EQ(dropped(*equal), (std::vector<std::string>{"1 not in the phenotype table", "1 weight 0"}));
  options.response.weights_name = "w";
  const auto different = load(options);
  const auto weights = different->columns().weights;
  const std::vector<double> expected{1, 3, 9, 4, 0};
  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(weights[i], expected[i] * 4 / 17);
}

TEST_F(LoadPlink, CountsSamplesWithoutWeightsByReason) {
  options.response.weights = folder.write("w", "FID IID w\nF1 a 2\nF1 b NA\n");
  EXPECT_EQ(dropped(*load(options)),
            (std::vector<std::string>{"2 no phenotype", "1 not in the weight table", "1 missing weight"}));
}

TEST_F(LoadPlink, RefusesNegativeWeightsByTheSamplesName) {
  options.response.weights = folder.write("w", "FID IID w\nF1 a -2\nF1 b 1\nF2 c 1\n");
  EXPECT_THAT(load_dataset(options), FailsWith("the weight of sample 'a' is -2, expected a number of at least 0"));
}

TEST_F(LoadPlink, RefusesWeightsWhoseProductsWithSquaresCannotBeRepresented) {
  for (const std::string weight : {"1e+101", "1e-101"}) {
    options.response.weights = folder.write("w", "FID IID w\nF1 a 1\nF1 b " + weight + "\nF2 c 1\n");
    EXPECT_THAT(load_dataset(options), FailsWith("the weight of sample 'b' is " + weight + ", expected a number"));
  }
}

TEST_F(LoadPlink, WeightsAreAPartOfTheFingerprint) {
  const std::uint64_t before = load(options)->fingerprint();
  options.response.weights = folder.write("w", "FID IID w\nF1 a 2\nF1 b 1\nF2 c 1\n");
  EXPECT_NE(load(options)->fingerprint(), before);
}

TEST_F(LoadPlink, ReadsGenotypesAloneForPrediction) {
  options.response.required = false;
  folder.write("x.fam", "F1 a 0 0 1 x\nF1 b 0 0 1 2\nF2 a 0 0 2 -9\nF2 c 0 0 2 4\nF3 d 0 0 1 NA\n");
  const auto set = load(options);
  EXPECT_TRUE(set->response().empty()) << "text in column 6 is no phenotype";
  EXPECT_EQ(set->columns().samples(), 5u);
}

TEST_F(LoadPlink, ReadsAPhenotypeThatIsNotRequiredWithoutDroppingSamples) {
  options.response.required = false;
  const auto set = load(options);
  EXPECT_EQ(set->columns().samples(), 5u);
  EXPECT_EQ(set->response()[3], 4);
  EXPECT_TRUE(std::isnan(set->response()[2]));
  EXPECT_TRUE(set->dropped_samples().empty());
}

TEST_F(LoadPlink, RefusesFilesThatDoNotBelongTogether) {
  folder.write("x.bim", "1 rs1 0 10 A G\n");
  EXPECT_THAT(load_dataset(options), FailsWith("x.bed: 9 bytes, expected 3 + 1 x 2"));
  std::filesystem::remove(folder.path("x.bim"));
  EXPECT_THAT(load_dataset(options), FailsWith("x.bim: cannot open"));
}

TEST_F(LoadPlink, RefusesOptionsOfOtherFormats) {
  options.response.y = "y.csv";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--y and --y-name go with --x"));
  options.response.y.clear();
  options.source.x = "x.csv";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("exclude each other"));
  options.source.x.clear();
  options.response.pheno_name = "t";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--pheno-name needs --pheno"));
  options.response.pheno_name.clear();
  options.response.covar_names = {"age"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--covar-name age: no such column in"));
  options = InputOptions{};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("no input"));
}

TEST_F(LoadPlink, FingerprintChangesWithEverythingThatDecidesTheFit) {
  const std::uint64_t plain = load(options)->fingerprint();
  EXPECT_EQ(load(options)->fingerprint(), plain);
  InputOptions other = options;
  other.variables.chromosomes = {"1"};
  EXPECT_NE(load(other)->fingerprint(), plain);
  other = options;
  other.samples.keep = folder.write("keep", "b\nc\n");
  EXPECT_NE(load(other)->fingerprint(), plain);
  other = options;
  other.response.covar = folder.write("covar", "FID IID age\nF1 a 30\nF1 b 40\nF2 c 3\n");
  EXPECT_NE(load(other)->fingerprint(), plain);
  folder.write("x.bed", kBed.substr(0, kBed.size() - 1) + "g");
  EXPECT_NE(load(options)->fingerprint(), plain);
}

std::vector<std::shared_ptr<const Dataset>> load_several(const InputOptions& options,
                                                         const std::vector<std::string>& names) {
  auto loaded = load_datasets(options, names);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? std::move(loaded).value() : std::vector<std::shared_ptr<const Dataset>>{};
}

TEST_F(LoadPlink, GivesEveryResponseItsOwnSamplesOnTheSameColumns) {
  pheno("FID IID t1 t2\nF1 a 5 NA\nF1 b 7 8\nF2 a -9 3\nF2 c 1 2\n");
  options.response.weights = folder.write("w", "FID IID w\nF1 a 1\nF1 b 2\nF2 a 3\nF2 c 4\n");
  options.samples.split = folder.write("split", "FID IID part\nF1 a train\nF1 b train\nF2 a train\nF2 c val\n");
  const auto sets = load_several(options, {"t1", "t2"});
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[1]->columns().values, sets[0]->columns().values);
  for (const char* name : {"t1", "t2"}) {
    options.response.pheno_name = name;
    const auto alone = load(options);
    const auto& one = *sets[name[1] == '1' ? 0 : 1];
    EXPECT_EQ(one.response_name(), name);
    EXPECT_EQ(response(one), response(*alone));
    EXPECT_EQ(dropped(one), dropped(*alone));
    const auto rows = alone->columns().dropped_rows;
    EXPECT_THAT(one.columns().dropped_rows, ::testing::ElementsAreArray(rows.begin(), rows.end()));
    const auto weights = alone->columns().weights;
    EXPECT_THAT(one.columns().weights, ::testing::ElementsAreArray(weights.begin(), weights.end()));
    const auto split = alone->split();
    EXPECT_THAT(one.split(), ::testing::ElementsAreArray(split.begin(), split.end()));
    EXPECT_EQ(one.sample(3).individual, "c");
    EXPECT_EQ(one.variable(1).id, "rs2");
  }
  EXPECT_NE(sets[0]->fingerprint(), sets[1]->fingerprint());
}

TEST_F(LoadPlink, SaysWhichOfSeveralResponsesIsWrong) {
  pheno("FID IID height t2\nF1 a 5 tall\nF1 b 7 8\n");
  EXPECT_THAT(load_datasets(options, std::vector<std::string>{"height", "t2"}), FailsWith("response 't2': "));
  EXPECT_THAT(load_datasets(options, std::vector<std::string>{"height", "hieght"}),
              FailsWith("no column 'hieght' (--pheno-name), did you mean 'height'? The 4 columns are"));
  options.response.pheno_name = "height,t2";
  EXPECT_THAT(load_dataset(options), FailsWith("only lasso path and lasso cv take several names"));
}

}  // namespace
}  // namespace strads::data
