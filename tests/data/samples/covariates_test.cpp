// Factors, ranges and SEX among the covariates.
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Covariates : public ::testing::Test {
 protected:
  Covariates() {
    folder.write("x.bed",
                 "\x6c\x1b\x01"
                 "ab");
    folder.write("x.bim", "1 rs1 0 10 A G\n");
    folder.write("x.fam", "F a 0 0 1 1\nF b 0 0 2 2\nF c 0 0 2 3\nF d 0 0 1 4\nF e 0 0 0 5\n");
    options.source.bfile = folder.path("x");
  }
  void table(const std::string& text) { options.response.covar = folder.write("covar", text); }

  TempFolder folder;
  InputOptions options;
};

TEST_F(Covariates, OfTextAreIndicatorsOfTheirLevelsTheReferenceLast) {
  table("FID IID batch\nF a B\nF b C\nF c A\nF d NA\nF e a\n");
  options.response.covar_names = {"batch"};
  const auto set = load(options);
  EXPECT_THAT(set->covariate_names(), ElementsAre("batch=A", "batch=B", "batch=C", "batch=a"));
  EXPECT_EQ(set->covariates(), (Rows{{0, 0, 1, 0, 0}, {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 0, 1}}));
  EXPECT_THAT(dropped(*set), ElementsAre("1 missing covariate"));
  EXPECT_THAT(set->warnings(), ElementsAre(HasSubstr("a factor of 4 levels, compared with 'a'")));
}

TEST_F(Covariates, OfTextThatNobodyNamesAreSkipped) {
  table("FID IID age batch\nF a 1 B\nF b 2 C\nF c 3 A\nF d 4 A\nF e 5 A\n");
  const auto set = load(options);
  EXPECT_THAT(set->covariate_names(), ElementsAre("age"));
  ASSERT_EQ(set->skipped_covariates().size(), 1u);
}

TEST_F(Covariates, HaveTheLevelsOfTheSamplesThatAreLeft) {
  table("FID IID batch\nF a B\nF b C\nF c A\nF d B\nF e B\n");
  options.response.covar_names = {"batch"};
  options.samples.remove = folder.write("remove", "F c\n");
  EXPECT_THAT(load(options)->covariate_names(), ElementsAre("batch=C", "batch=B"));
  options.samples.remove = folder.write("remove", "F c\nF b\n");
  EXPECT_THAT(load_dataset(options), FailsWith("'batch' is text with 1 different values"));
}

TEST_F(Covariates, OfALevelRefuseLevelsThatAreNotNamed) {
  table("FID IID batch\nF a B\nF b C\nF c A\nF d Z\nF e A\n");
  options.response.covar_names = {"batch=B", "batch=C", "batch=A"};
  EXPECT_THAT(load_dataset(options), FailsWith("sample 'd' has batch 'Z', which the model does not know; expected one "
                                               "of B, C, A"));
  options.samples.remove = folder.write("remove", "F d\n");
  EXPECT_EQ(load(options)->covariates(), (Rows{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 1}}));
}

TEST_F(Covariates, MayBeARangeOfColumns) {
  table("FID IID PC1 PC2 PC3 x-y\nF a 1 2 3 4\nF b 1 2 3 4\nF c 1 2 3 4\nF d 1 2 3 4\nF e 1 2 3 4\n");
  options.response.covar_names = {"PC1-PC3", "x-y", "PC2"};
  EXPECT_THAT(load(options)->covariate_names(), ElementsAre("PC1", "PC2", "PC3", "x-y"));
  options.response.covar_names = {"PC3-PC1"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("PC1 stands before PC3"));
  options.response.covar_names = {"PC1-PC9"};
  EXPECT_FALSE(load_dataset(options).ok());
}

TEST_F(Covariates, MayBeSexOfTheFamWithoutATable) {
  options.response.covar_names = {"SEX"};
  const auto set = load(options);
  EXPECT_EQ(set->covariates(), (Rows{{1, 2, 2, 1, 0}}));
  EXPECT_THAT(dropped(*set), ElementsAre("1 missing covariate"));
  options.response.covar_names = {"SEX", "age"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--covar FILE names a table that has it"));
  table("FID IID age\nF a 1\nF b 2\nF c 3\nF d 4\nF e 5\n");
  EXPECT_THAT(load(options)->covariate_names(), ElementsAre("SEX", "age"));
}

TEST_F(Covariates, MayBeOtherColumnsOfTheFamWithoutATable) {
  options.response.pheno = folder.write("pheno", "FID IID t\nF a 2\nF b 4\nF c 1\nF d 3\nF e 6\n");
  options.response.covar_names = {"SEX", "phenotype"};
  EXPECT_EQ(load(options)->covariates(), (Rows{{1, 2, 2, 1, 0}, {1, 2, 3, 4, 0}}));
  table("FID IID phenotype age\nF a 5 1\nF b 6 2\nF c 7 1\nF d 8 2\nF e 9 1\n");  // its own goes first
  options.response.covar_names = {"phenotype", "SEX", "age"};
  EXPECT_EQ(load(options)->covariates(), (Rows{{5, 6, 7, 8, 0}, {1, 2, 2, 1, 0}, {1, 2, 1, 2, 0}}));
}

TEST_F(Covariates, MayBeAnyColumnsOfThePsamAlsoFactors) {
  folder.write("x.psam",
               "##what it is\n#FID IID\tSEX batch t age\nF a F one 1 30\nF b M two 2 -9\nF c F one 3 31\n"
               "F d M NONE 4 32\nF e 2 two 5 33\n");
  folder.write("x.pvar", "#CHROM POS ID REF ALT\n1 10 rs1 G A\n");
  std::filesystem::copy(folder.path("x.bed"), folder.path("x.pgen"));
  options.source.pfile = std::exchange(options.source.bfile, "");
  options.response.pheno_name = "t";
  options.response.covar_names = {"SEX", "batch", "age"};
  const auto set = load(options);
  EXPECT_THAT(set->covariate_names(), ElementsAre("SEX", "batch=two", "batch=one", "age"));
  EXPECT_EQ(set->covariates(), (Rows{{2, 0, 2, 0, 2}, {0, 0, 0, 0, 1}, {1, 0, 1, 0, 0}, {30, 0, 31, 0, 33}}));
  EXPECT_THAT(dropped(*set), ElementsAre("2 missing covariate"));
}

TEST_F(Covariates, TakeSexOfTheTableWhereItHasOne) {
  options.response.covar_names = {"SEX"};
  table("FID IID SEX\nF a 2\nF b 1\nF c 1\nF d 2\nF e 2\n");
  EXPECT_EQ(load(options)->covariates(), (Rows{{2, 1, 1, 2, 2}}));
}

TEST_F(Covariates, AreNotTheResponse) {
  options.response.pheno = folder.write("pheno", "FID IID height\nF a 2\nF b 4\nF c 1\nF d 3\nF e 6\n");
  table("FID IID age Height\nF a 1 2\nF b 2 4\nF c 3 1\nF d 4 3\nF e 5 6\n");
  EXPECT_THAT(load_dataset(options), FailsAsUsage("has the name of the response 'height'"));
  options.response.covar_names = {"age", "Height"};  // whoever names it means another column
  EXPECT_TRUE(load_dataset(options).ok());
  table("FID IID age height\nF a 1 2\nF b 2 4\nF c 3 1\nF d 4 3\nF e 5 6\n");
  options.response.covar_names = {"age", "height"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("has the name of the response 'height'"));
  options.response.covar_names = {"age"};
  EXPECT_TRUE(load_dataset(options).ok());
}

TEST_F(Covariates, AreNoIdsUnlessTheyAreNamed) {
  table("FID IID eid age Age site_id\nF a 71 1 9 1\nF b 72 2 8 1\nF c 73 3 7 2\nF d 74 4 6 2\nF e 75 5 5 2\n");
  const auto set = load(options);
  EXPECT_THAT(set->covariate_names(), ElementsAre("age", "Age", "site_id"));
  ASSERT_EQ(set->skipped_covariates().size(), 1U);
  EXPECT_EQ(set->skipped_covariates()[0].reason, "an id");
  options.response.covar_names = {"eid"};
  EXPECT_THAT(load(options)->covariate_names(), ElementsAre("eid"));
}

}  // namespace
}  // namespace strads::data
