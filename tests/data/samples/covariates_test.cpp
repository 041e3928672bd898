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
    options.bfile = folder.path("x");
  }
  void table(const std::string& text) { options.covar = folder.write("covar", text); }

  TempFolder folder;
  InputOptions options;
};

TEST_F(Covariates, OfTextAreIndicatorsOfTheirLevelsTheReferenceLast) {
  table("FID IID batch\nF a B\nF b C\nF c A\nF d NA\nF e a\n");
  options.covar_names = {"batch"};
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
  options.covar_names = {"batch"};
  options.remove = folder.write("remove", "F c\n");
  EXPECT_THAT(load(options)->covariate_names(), ElementsAre("batch=C", "batch=B"));
  options.remove = folder.write("remove", "F c\nF b\n");
  EXPECT_THAT(load_dataset(options), FailsWith("'batch' is text with 1 different values"));
}

TEST_F(Covariates, OfALevelRefuseLevelsThatAreNotNamed) {
  table("FID IID batch\nF a B\nF b C\nF c A\nF d Z\nF e A\n");
  options.covar_names = {"batch=B", "batch=C", "batch=A"};
  EXPECT_THAT(load_dataset(options), FailsWith("sample 'd' has batch 'Z', which the model does not know; expected one "
                                               "of B, C, A"));
  options.remove = folder.write("remove", "F d\n");
  EXPECT_EQ(load(options)->covariates(), (Rows{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 1}}));
}

TEST_F(Covariates, MayBeARangeOfColumns) {
  table("FID IID PC1 PC2 PC3 x-y\nF a 1 2 3 4\nF b 1 2 3 4\nF c 1 2 3 4\nF d 1 2 3 4\nF e 1 2 3 4\n");
  options.covar_names = {"PC1-PC3", "x-y", "PC2"};
  EXPECT_THAT(load(options)->covariate_names(), ElementsAre("PC1", "PC2", "PC3", "x-y"));
  options.covar_names = {"PC3-PC1"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("PC1 stands before PC3"));
  options.covar_names = {"PC1-PC9"};
  EXPECT_FALSE(load_dataset(options).ok());
}

TEST_F(Covariates, MayBeSexOfTheFamWithoutATable) {
  options.covar_names = {"SEX"};
  const auto set = load(options);
  EXPECT_EQ(set->covariates(), (Rows{{1, 2, 2, 1, 0}}));
  EXPECT_THAT(dropped(*set), ElementsAre("1 missing covariate"));
  options.covar_names = {"SEX", "age"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("only SEX of --bfile needs none"));
  table("FID IID age\nF a 1\nF b 2\nF c 3\nF d 4\nF e 5\n");
  EXPECT_THAT(load(options)->covariate_names(), ElementsAre("SEX", "age"));
}

TEST_F(Covariates, TakeSexOfTheTableWhereItHasOne) {
  options.covar_names = {"SEX"};
  table("FID IID SEX\nF a 2\nF b 1\nF c 1\nF d 2\nF e 2\n");
  EXPECT_EQ(load(options)->covariates(), (Rows{{2, 1, 1, 2, 2}}));
}

}  // namespace
}  // namespace strads::data
