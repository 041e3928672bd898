#include "data/genotypes/psam.hpp"

#include <cmath>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> all_of(const StringList& list) {
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i < list.size(); ++i) out.emplace_back(list[i]);
  return out;
}

TEST(Psam, ReadsIdsSexFoundersAndTheFirstPhenotype) {
  const auto read = parse_psam(
      "##comment\n#FID\tIID\tPAT\tMAT\tSEX\theight\tweight\nf a 0 0 1 1.5 7\nf b a 0 F -9 8\ng c 0 0 NA NA 9\n",
      "x.psam", "", Column6::number);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const SampleTable& table = read.value();
  EXPECT_THAT(all_of(table.ids.family), ElementsAre("f", "f", "g"));
  EXPECT_THAT(all_of(table.ids.individual), ElementsAre("a", "b", "c"));
  EXPECT_THAT(table.ids.pedigree.sex, ElementsAre(Sex::male, Sex::female, Sex::unknown));
  EXPECT_THAT(table.ids.pedigree.founder, ElementsAre(1, 0, 1));
  EXPECT_THAT(table.phenotypes, ElementsAre("height", "weight"));
  EXPECT_EQ(table.phenotype.name, "height");
  EXPECT_EQ(table.phenotype.values[0], 1.5);
  EXPECT_TRUE(std::isnan(table.phenotype.values[1]) && std::isnan(table.phenotype.values[2]));
}

TEST(Psam, ReadsThePhenotypeThatIsNamedAndFilesWithoutFamilies) {
  const auto read = parse_psam("#IID SID SEX a b\nx 1 M 1 2\ny 1 m 3 4\n", "x.psam", "b", Column6::number);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read.value().ids.family.empty());
  EXPECT_THAT(read.value().phenotype.values, ElementsAre(2, 4));
  EXPECT_THAT(read.value().ids.pedigree.sex, ElementsAre(Sex::male, Sex::male));
  EXPECT_THAT(parse_psam("#IID a b\nx 1 2\n", "x.psam", "c", Column6::number),
              FailsAsUsage("--pheno-name c: no such column in x.psam, which has a, b"));
}

TEST(Psam, HasNoPhenotypeWhereThereIsNone) {
  const auto read = parse_psam("#IID SEX\nx 1\n", "x.psam", "", Column6::number);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read.value().phenotypes.empty() && read.value().phenotype.values.empty());
}

TEST(Psam, ReadsAFamOfFiveOrSixFields) {
  const auto six = parse_psam("f a 0 0 1 2.5\nf b 0 m 2 -9\n", "x.psam", "", Column6::number);
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six.value().phenotype.name, "PHENO1");
  EXPECT_EQ(six.value().phenotype.values[0], 2.5);
  EXPECT_THAT(six.value().ids.pedigree.founder, ElementsAre(1, 0));
  const auto five = parse_psam("f a 0 0 1\n", "x.psam", "", Column6::number);
  ASSERT_TRUE(five.ok());
  EXPECT_TRUE(five.value().phenotypes.empty());
}

TEST(Psam, ReadsWordsWhereTheyMayBeAndTakesNoneForMissing) {
  const std::string text = "#IID status\na sick\nb NONE\nc well\n";
  const auto words = parse_psam(text, "x.psam", "", Column6::number_or_word);
  ASSERT_TRUE(words.ok());
  EXPECT_THAT(words.value().phenotype.words, ElementsAre("sick", "well"));
  EXPECT_TRUE(std::isnan(words.value().phenotype.values[1]));
  EXPECT_THAT(parse_psam(text, "x.psam", "", Column6::number), FailsWith("x.psam:2:3: phenotype is text 'sick'"));
}

TEST(Psam, RefusesWhatIsNoTableOfSamples) {
  const auto refused = [](const std::string& text) { return parse_psam(text, "x.psam", "", Column6::number); };
  EXPECT_THAT(refused(""), FailsWith("lists no samples"));
  EXPECT_THAT(refused("#IID a\n"), FailsWith("lists no samples"));
  EXPECT_THAT(refused("#chrom pos\nx 1\n"), FailsWith("x.psam:1:1: no header line starts with #FID or #IID"));
  EXPECT_THAT(refused("#FID a\nx 1\n"), FailsWith("x.psam:1:1: no column IID"));
  EXPECT_THAT(refused("#IID a a\nx 1 2\n"), FailsWith("column 'a' twice"));
  EXPECT_THAT(refused("#IID a b\nx 1 2\ny 1\n"), FailsWith("x.psam:3:1: 2 fields, expected at least 3"));
  EXPECT_THAT(refused("#IID a\nx 1\n\ny 1\n"), FailsWith("x.psam:3:1: 0 fields"));
  EXPECT_THAT(refused(std::string("#IID a\nx\0 1\n", 12)), FailsWith("a zero byte"));
}

TEST(Psam, RefusesAHeaderThatWouldBeASample) {
  EXPECT_THAT(parse_fam("FID IID PAT MAT SEX PHENO\nF a 0 0 1 1\n", "x.fam", Column6::ignored),
              FailsWith("x.fam:1:1: a header, expected samples"));
  EXPECT_THAT(parse_psam("FID IID SEX PAT MAT t\nF a 1 0 0 2\n", "x.psam", "", Column6::ignored),
              FailsWith("x.psam:1:1: a header, expected #FID"));
  EXPECT_TRUE(parse_fam("FID a 0 0 1 1\n", "x.fam", Column6::ignored).ok());
}

}  // namespace
}  // namespace strads::data
