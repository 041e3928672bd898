// Case/control phenotypes: which values are missing, as plink2 has it.
#include "data/samples/samples.hpp"

#include <cmath>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

const double kNone = std::nan("");
const std::string kHint = "; --family binomial fits logistic regression";

struct Understood {
  std::vector<double> values;
  std::string note;
};

Understood understood(std::vector<double> values, bool zero_is_control = false) {
  RowValues phenotype{.name = "t", .values = std::move(values), .absent = {}};
  std::string note = understand_case_control(phenotype, zero_is_control);
  return {std::move(phenotype.values), std::move(note)};
}

std::uint64_t missing(const std::vector<double>& values) {
  std::uint64_t count = 0;
  for (const double value : values) count += std::isnan(value) ? 1 : 0;
  return count;
}

TEST(BinaryTrait, TakesZeroForMissingWhereThereIsATwo) {
  const auto trait = understood({1, 2, 0, kNone, 0});
  EXPECT_EQ(missing(trait.values), 3u);
  EXPECT_EQ(trait.values[1], 2);
  EXPECT_EQ(trait.note,
            "phenotype 't': binary trait, least squares (1 = control, 2 = case; 0 is missing: 2 samples)" + kHint);
}

TEST(BinaryTrait, SaysSoWithoutAnyZeroToo) {
  EXPECT_EQ(understood({1, 2, 2}).note, "phenotype 't': binary trait, least squares (1 = control, 2 = case)" + kHint);
}

TEST(BinaryTrait, OfZerosAndOnesHasNothingMissing) {
  const auto trait = understood({0, 1, kNone});
  EXPECT_EQ(missing(trait.values), 1u);
  EXPECT_EQ(trait.note, "phenotype 't': binary trait, least squares (0 = control, 1 = case)" + kHint);
}

TEST(BinaryTrait, WithZeroAsControlKeepsZeros) {
  const auto trait = understood({0, 1, 2}, true);
  EXPECT_EQ(missing(trait.values), 0u);
  EXPECT_EQ(trait.note, "") << "three values are no binary trait";
  EXPECT_EQ(understood({0, 1}, true).note,
            "phenotype 't': binary trait, least squares (0 = control, 1 = case)" + kHint);
}

TEST(BinaryTrait, IsNoneWithAnyOtherValue) {
  for (const double other : {3.0, 0.5, -1.0}) {
    const auto trait = understood({0, 1, 2, other});
    EXPECT_EQ(missing(trait.values), 0u) << other;
    EXPECT_EQ(trait.note, "");
  }
}

class CaseControlFam : public ::testing::Test {
 protected:
  CaseControlFam() {
    folder.write("x.bed",
                 "\x6c\x1b\x01"
                 "ab");
    folder.write("x.bim", "1 rs1 0 10 A G\n");
    folder.write("x.fam", "F1 a 0 0 1 1\nF1 b 0 0 1 2\nF2 a 0 0 2 -9\nF2 c 0 0 2 0\nF3 d 0 0 1 1\n");
    options.source.bfile = folder.path("x");
  }
  TempFolder folder;
  InputOptions options;
};

TEST_F(CaseControlFam, HasZerosThatAreMissing) {
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 2, 0, 0, 1}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 no phenotype"}));
  EXPECT_THAT(set->warnings(), ::testing::ElementsAre(::testing::HasSubstr("binary trait, least squares")));
}

TEST_F(CaseControlFam, HasNumbersWhereNothingElseIsAskedFor) {
  options.response.only_numbers = true;
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 2, 0, 0, 1}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 no phenotype"})) << "-9 alone";
  EXPECT_TRUE(set->warnings().empty());
}

TEST_F(CaseControlFam, IsANumberWhereAnyValueOfTheSamplesIs) {
  options.response.pheno = folder.write("pheno", "FID IID t\nF1 a 1\nF1 b 2\nF2 a 0\nF3 d 1.5\n");
  EXPECT_EQ(dropped(*load(options)), (std::vector<std::string>{"1 not in the phenotype table"}));
  // As in plink2, what samples have that are not in X does not count.
  options.response.pheno = folder.write("pheno", "FID IID t\nF1 a 1\nF1 b 2\nF2 a 0\nF3 z 1.5\n");
  const auto set = load(options);
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 not in the phenotype table", "1 no phenotype"}));
}

TEST_F(CaseControlFam, TellsOfEachOfSeveralTraits) {
  options.response.pheno = folder.write("pheno", "FID IID q c\nF1 a 1.5 1\nF1 b 2 2\nF2 a 0 0\nF3 d 1 1\n");
  const auto sets = load_datasets(options, std::vector<std::string>{"q", "c"});
  ASSERT_TRUE(sets.ok());
  EXPECT_TRUE(sets.value()[0]->warnings().empty());
  EXPECT_THAT(sets.value()[1]->warnings(), ::testing::ElementsAre(::testing::HasSubstr("phenotype 'c': binary")));
}

TEST_F(CaseControlFam, DoesNotTakeThePedigreeOfAPsamForAPhenotype) {
  options.response.pheno = folder.write("x.psam", "#FID IID SID PAT MAT SEX PHENO1\nF1 a 0 0 0 1 7\nF1 b 0 0 0 2 8\n");
  EXPECT_EQ(load(options)->response_name(), "PHENO1");
}

}  // namespace
}  // namespace strads::data
