// Who takes part, before any column is read.
#include <gmock/gmock.h>

#include "data/fixtures.hpp"
#include "strads/data/data_shape.hpp"

namespace strads::data {
namespace {

class Peopled : public ::testing::Test {
 protected:
  Peopled() {
    folder.write("g.fam", "F1 I1 0 0 1 1.5\nF2 I2 0 0 2 2\nF3 I3 0 0 1 3\nF4 I4 0 0 1 4\nF5 I5 0 0 1 NA\n");
    folder.write("g.bim", "1 a 0 1 A C\n1 b 0 2 A C\n");
    folder.write("g.bed", std::string("\x6c\x1b\x01", 3) + std::string(2 * 2, '\0'));
    genotypes.source.bfile = folder.path("g");
  }
  static PeopleShape people(const InputOptions& options, const DataShape& shape = {}) {
    const auto found = look_at_people(options, shape);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? found.value() : PeopleShape{};
  }
  TempFolder folder;
  InputOptions genotypes;
};

TEST_F(Peopled, GenotypesAreThoseOfTheSamplesWithAResponse) {
  EXPECT_EQ(people(genotypes).samples, 4U) << "one has no phenotype";
  EXPECT_EQ(people(genotypes).train, 0U) << "there is no split";
}

TEST_F(Peopled, ListsOfSamplesCount) {
  genotypes.samples.keep = folder.write("keep", "F1 I1\nF2 I2\nF5 I5\n");
  EXPECT_EQ(people(genotypes).samples, 2U);
}

TEST_F(Peopled, ASplitIsCountedByItsParts) {
  genotypes.samples.split =
      folder.write("split", "FID IID part\nF1 I1 train\nF2 I2 val\nF3 I3 train\nF4 I4 NA\nF5 I5 train\n");
  const PeopleShape found = people(genotypes);
  EXPECT_EQ(found.train, 2U) << "the third who trains has no phenotype";
  EXPECT_EQ(found.validate, 1U);
  EXPECT_EQ(found.test, 0U);
  EXPECT_EQ(found.samples, 3U);
}

TEST_F(Peopled, AFactorIsAVectorForEachOfItsLevels) {
  genotypes.response.covar = folder.write("covar", "FID IID age place\nF1 I1 1 x\nF2 I2 2 y\nF3 I3 5 z\nF4 I4 3 x\n");
  genotypes.response.covar_names = {"age", "place"};
  EXPECT_EQ(people(genotypes).covariates, 4U);
}

TEST_F(Peopled, ATableBesideAnotherFormatIsCountedByItself) {
  InputOptions options;
  options.source.x = folder.path("is not read");
  options.samples.split = folder.write("split.csv", "IID,part\ns1,train\ns2,val\ns3,train\n");
  options.response.covar = folder.write("covar.csv", "IID,age,place\ns1,1,x\ns2,2,y\ns3,3,x\n");
  options.response.covar_names = {"age", "place"};
  DataShape shape;
  shape.rows = 3;
  const PeopleShape found = people(options, shape);
  EXPECT_EQ(found.train, 2U);
  EXPECT_EQ(found.samples, 3U);
  EXPECT_EQ(found.covariates, 3U);
}

TEST_F(Peopled, CovariatesMayStandInTheTableOfTheSplit) {
  InputOptions options;
  options.source.x = folder.path("is not read");
  options.samples.split = folder.write("both.csv", "IID,part,age\ns1,train,1\ns2,val,2\ns3,train,4\n");
  options.response.covar = options.samples.split;
  options.response.covar_names = {"age"};
  DataShape shape;
  shape.rows = 3;
  EXPECT_EQ(people(options, shape).train, 2U);
  EXPECT_EQ(people(options, shape).covariates, 1U);
}

TEST_F(Peopled, ATableThatDoesNotFitIsAnError) {
  genotypes.samples.split = folder.write("split", "FID IID part\nF1 I1 trains\n");
  const auto found = look_at_people(genotypes, {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().code(), StatusCode::input);
  EXPECT_THAT(found.status().message(), testing::HasSubstr("trains"));
}

}  // namespace
}  // namespace strads::data
