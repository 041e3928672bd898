// Filters by genotypes on small .bed files, against calls that are counted one by one here.
#include <cmath>

#include "data/filters/genotype_counts.hpp"
#include "data/fixtures.hpp"
#include "strads/data/chromosomes.hpp"

namespace strads::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> left_out(const Dataset& set) {
  std::vector<std::string> out;
  for (const Dropped& one : set.dropped_variables()) out.push_back(std::to_string(one.count) + ' ' + one.reason);
  return out;
}

// Calls are written as a letter a sample: 2, 1, 0 copies of A1, or - where there is none.
std::string packed(const std::string& calls) {
  std::string out((calls.size() + 3) / 4, '\0');
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const int code = calls[i] == '2' ? 0 : calls[i] == '-' ? 1 : calls[i] == '1' ? 2 : 3;
    out[i / 4] = static_cast<char>(out[i / 4] | code << 2 * (i % 4));
  }
  return out;
}

class GenotypeFilters : public ::testing::Test {
 protected:
  // A line of the .fam without ids and phenotype: "father mother sex".
  void samples(const std::vector<std::string>& lines) {
    std::string fam;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      fam += "F s" + std::to_string(i) + ' ' + lines[i] + ' ' + std::to_string(i % 3) + ".5\n";
    }
    folder.write("x.fam", fam);
    options.source.bfile = folder.path("x");
  }
  void variant(const std::string& chromosome, const std::string& calls) {
    ++variants;
    bim += chromosome + " rs" + std::to_string(variants) + " 0 " + std::to_string(10 * variants) + " A G\n";
    bed += packed(calls);
  }
  std::shared_ptr<const Dataset> read() {
    folder.write("x.bed", bed);
    folder.write("x.bim", bim);
    return load(options);
  }

  TempFolder folder;
  InputOptions options;
  std::string bim, bed = "\x6c\x1b\x01";
  int variants = 0;
};

TEST(CallCounts, AreThoseOfTheChosenSamplesAndOfNoPadding) {
  const std::string calls = "2210-0120-1120210-2011022-1002111-0221";  // 38 samples: two words, two of padding
  std::string bytes = packed(calls);
  bytes.back() = static_cast<char>(bytes.back() | 0xf0);  // padding that is not zero, as some programs leave it
  std::vector<std::uint8_t> chosen(calls.size(), 1);
  chosen[0] = chosen[4] = chosen[37] = 0;
  CallCounts expected;
  std::vector<std::uint32_t> missing(calls.size(), 0), of_each(calls.size(), 0);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (chosen[i] == 0) continue;
    ++(calls[i] == '2'   ? expected.hom_counted
       : calls[i] == '1' ? expected.het
       : calls[i] == '0' ? expected.hom_other
                         : expected.missing);
    of_each[i] = calls[i] == '-' ? 1 : 0;
  }
  const auto* const column = reinterpret_cast<const std::byte*>(bytes.data());
  const SampleMask mask(chosen);
  const CallCounts found = count_calls({column, bytes.size()}, mask);
  EXPECT_EQ(found.hom_counted, expected.hom_counted);
  EXPECT_EQ(found.het, expected.het);
  EXPECT_EQ(found.hom_other, expected.hom_other);
  EXPECT_EQ(found.missing, expected.missing);
  add_missing({column, bytes.size()}, mask, missing);
  EXPECT_EQ(missing, of_each);
}

TEST(Chromosomes, HaveCodesWithAndWithoutTheirPrefix) {
  EXPECT_EQ(chromosome_code("chr7"), 7u);
  EXPECT_EQ(chromosome_code("x"), 23u);
  EXPECT_EQ(chromosome_code("chrXY"), 25u);
  EXPECT_EQ(chromosome_code("M"), 26u);
  EXPECT_EQ(chromosome_code("scaffold_3"), std::nullopt);
  EXPECT_EQ(ploidy_of("23"), Ploidy::x);
  EXPECT_EQ(ploidy_of("chrY"), Ploidy::y);
  EXPECT_EQ(ploidy_of("25"), Ploidy::diploid);
  EXPECT_EQ(ploidy_of("MT"), Ploidy::haploid);
}

TEST(Chromosomes, AreInARangeByTheirCodes) {
  EXPECT_TRUE(ChromosomeRange("1-4").has("chr3"));
  EXPECT_FALSE(ChromosomeRange("1-4").has("5"));
  EXPECT_TRUE(ChromosomeRange("X").has("23"));
  EXPECT_TRUE(ChromosomeRange("23").has("chrX"));
  EXPECT_TRUE(ChromosomeRange("28-30").has("29"));
  EXPECT_TRUE(ChromosomeRange("HLA-B").has("HLA-B"));
  EXPECT_FALSE(ChromosomeRange("1-4").is_one());
}

TEST_F(GenotypeFilters, TakeFrequenciesOfFoundersAlone) {
  samples({"0 0 1", "0 0 2", "s0 s1 1", "s0 s1 2", "0 0 0"});
  variant("1", "20200");  // among founders 2 of 6, among all 4 of 10
  variant("1", "11110");  // 2 of 6
  variant("1", "10220");  // 1 of 6
  variant("1", "22000");  // 4 of 6: the rarer one has 2 of 6
  options.variables.maf = 0.3;
  const auto set = read();
  ASSERT_NE(set, nullptr);
  EXPECT_THAT(set->columns().excluded, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(left_out(*set), ElementsAre("1 --maf 0.3"));
  options.variables.maf = std::nullopt;
  options.variables.max_maf = 0.3;
  const auto rare = read();
  ASSERT_NE(rare, nullptr);
  EXPECT_THAT(rare->columns().excluded, ElementsAre(1, 1, 0, 1));
}

TEST_F(GenotypeFilters, KeepAVariantWhoseFrequencyIsTheThreshold) {
  samples({"0 0 1", "0 0 1", "0 0 1", "0 0 1", "0 0 1"});
  variant("1", "10000");
  variant("1", "22221");
  variant("1", "00000");
  options.variables.maf = options.variables.max_maf = 0.1;
  EXPECT_THAT(read()->columns().excluded, ElementsAre(0, 0, 1));
}

TEST_F(GenotypeFilters, CountMalesOnceOnXAndAloneOnY) {
  samples({"0 0 1", "0 0 1", "0 0 2", "0 0 2"});
  variant("X", "2200");  // 2 of 6 alleles
  variant("1", "2200");  // 4 of 8
  variant("Y", "2022");  // 1 of 2
  variant("Y", "0022");  // 0 of 2
  variant("X", "2000");  // 1 of 6 alleles
  options.variables.maf = 0.34;
  EXPECT_THAT(read()->columns().excluded, ElementsAre(1, 0, 0, 1, 1));
  options.variables.maf = std::nullopt;
  options.variables.max_maf = 0.3;
  EXPECT_THAT(read()->columns().excluded, ElementsAre(1, 1, 1, 0, 0));
}

TEST_F(GenotypeFilters, CountTheMissingCallsOfThoseWhoTakePart) {
  samples({"0 0 1", "0 0 1", "0 0 2", "0 0 2", "0 0 2"});
  variant("1", "-0120");
  variant("1", "1--20");
  variant("1", "10--1");
  variant("Y", "01---");  // of males
  options.variables.geno = 0.25;
  options.samples.remove = folder.write("remove", "F s0\n");
  const auto set = read();
  EXPECT_THAT(set->columns().excluded, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(dropped(*set), ElementsAre("1 in --remove"));
}

TEST_F(GenotypeFilters, DropSamplesBeforeVariantsAreCounted) {
  samples({"0 0 1", "0 0 2", "0 0 2", "0 0 2"});
  variant("1", "-012");
  variant("1", "-201");
  variant("1", "0210");
  options.samples.mind = 0.5;
  options.variables.geno = 0;
  const auto set = read();
  EXPECT_THAT(set->columns().dropped_rows, ElementsAre(0));
  EXPECT_THAT(dropped(*set), ElementsAre("1 --mind 0.5"));
  EXPECT_THAT(left_out(*set), ElementsAre("0 --geno 0"));
}

TEST_F(GenotypeFilters, CountOnlyVariantsThatTakePartForMind) {
  samples({"0 0 1", "0 0 2", "0 0 2", "0 0 2"});
  variant("1", "-012");
  variant("2", "0201");
  options.samples.mind = 0.5;
  EXPECT_THAT(dropped(*read()), ElementsAre("0 --mind 0.5"));
  options.variables.chromosomes = {"1"};
  EXPECT_THAT(dropped(*read()), ElementsAre("1 --mind 0.5"));
}

TEST_F(GenotypeFilters, TestEquilibriumOfFemalesAndMalesOnXAndNotAtAllOnYAndMt) {
  samples(std::vector<std::string>(12, "0 0 2"));
  for (const char* chromosome : {"1", "X", "Y", "MT"}) variant(chromosome, "111111111111");  // p = 0.0015
  variant("1", "222011111101");
  options.variables.hwe = 0.01;
  EXPECT_THAT(read()->columns().excluded, ElementsAre(1, 1, 0, 0, 0));
  samples(std::vector<std::string>(12, "0 0 1"));  // hets of males are no calls
  EXPECT_THAT(read()->columns().excluded, ElementsAre(1, 0, 0, 0, 0));
}

TEST_F(GenotypeFilters, NeedFoundersForFrequencies) {
  samples({"s1 0 1", "0 s2 2", "s1 s0 2"});
  variant("1", "012");
  folder.write("x.bed", bed);
  folder.write("x.bim", bim);
  options.variables.maf = 0.01;
  EXPECT_THAT(load_dataset(options), FailsWith("each of the 3 samples has a parent"));
  options.variables.maf = 0.5;
  options.variables.max_maf = std::nullopt;
  samples({"0 0 1", "0 0 2", "0 0 2"});
  EXPECT_TRUE(load_dataset(options).ok());
}

TEST_F(GenotypeFilters, OfSeveralResponsesAreThoseOfEachAlone) {
  samples({"0 0 1", "0 0 2", "0 0 2", "0 0 2"});
  variant("1", "1000");
  variant("1", "0001");
  variant("1", "0110");
  options.response.pheno = folder.write("pheno", "FID IID a b\nF s0 1 NA\nF s1 2 3\nF s2 4 1\nF s3 NA 7\n");
  options.variables.maf = 0.1;
  options.variables.penalty_factors = folder.write("factors", "rs3 Inf\n");
  folder.write("x.bed", bed);
  folder.write("x.bim", bim);
  const std::vector<std::string> names{"a", "b"};
  const auto both = load_datasets(options, names);
  ASSERT_TRUE(both.ok()) << both.status().message();
  EXPECT_THAT(both.value()[0]->columns().excluded, ElementsAre(0, 1, 1));
  EXPECT_THAT(both.value()[1]->columns().excluded, ElementsAre(1, 0, 1));
}

TEST_F(GenotypeFilters, ChangeTheFingerprint) {
  samples({"0 0 1", "0 0 2", "0 0 2", "0 0 2"});
  variant("1", "1000");
  variant("1", "0110");
  const std::uint64_t all = read()->fingerprint();
  options.variables.maf = 0.2;
  EXPECT_NE(read()->fingerprint(), all);
}

TEST_F(GenotypeFilters, ApplyPlacesBeforeListsAndNameTheCounts) {
  samples({"0 0 1", "0 0 2"});
  for (const char* chromosome : {"1", "2", "2", "2", "2", "X"}) variant(chromosome, "01");
  options.variables.chromosomes = {"2"};
  options.variables.from_bp = 30;
  options.variables.to_bp = 50;
  options.variables.extract = folder.write("extract", "rs1\nrs3\nrs4\n");
  options.variables.exclude = folder.write("exclude", "rs4\nrs9\n");
  const auto set = read();
  EXPECT_THAT(left_out(*set), ElementsAre("2 not on --chr 2", "1 outside of --from-bp 30 --to-bp 50",
                                          "1 not in --extract", "1 in --exclude"));
  EXPECT_THAT(set->warnings(), ElementsAre(::testing::HasSubstr("1 of 2 variables are not in the data")));
  options.variables.exclude.clear();
  options.variables.chromosomes = {"1-2"};
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--chr names several"));
  options.variables.chromosomes.clear();
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--chr names none"));
}

}  // namespace
}  // namespace strads::data
