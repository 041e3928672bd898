#include "data/fixtures.hpp"
#include "data/genotypes/bed.hpp"

namespace strads::data {
namespace {

TEST(Pvar, ReadsColumnsInAnyOrderAndCountsAlt) {
  const std::string text =
      "##fileformat=VCFv4.3\n##contig=<ID=1>\n#CHROM\tID\tREF\tALT\tCM\tQUAL\tFILTER\tINFO\tPOS\n"
      "1\trs1\tA\tG\t0.5\t.\tPASS\tAF=0.1;X=2\t100\nX rs2 C T 0 . . . 200\n";
  const auto read = Bim::parse_pvar(text, "x.pvar");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read.value().size(), 2u);
  const VariableName first = read.value()[0], second = read.value()[1];
  EXPECT_EQ(first.id, "rs1");
  EXPECT_EQ(first.position, "100");
  EXPECT_EQ(first.counted, "G");
  EXPECT_EQ(first.other, "A");
  EXPECT_EQ(second.chromosome, "X");
  EXPECT_EQ(second.position, "200");
}

TEST(Pvar, VisitsEveryVariantBehindTheHeader) {
  std::string text = "#CHROM POS ID REF ALT\n";
  for (int j = 0; j < 40; ++j) text += "1 " + std::to_string(j) + " v" + std::to_string(j) + " A G\n";
  const auto read = Bim::parse_pvar(text, "x.pvar");
  ASSERT_TRUE(read.ok());
  std::vector<std::string> ids;
  read.value().for_each([&](std::uint64_t j, const VariableName& name) {
    EXPECT_EQ(read.value()[j].id, name.id);
    ids.emplace_back(name.id);
  });
  EXPECT_EQ(ids.size(), 40u);
  EXPECT_EQ(ids[39], "v39");
}

TEST(Pvar, ReadsABimOfFiveOrSixFields) {
  const auto six = Bim::parse_pvar("1 rs1 0 10 A G\n", "x.pvar");
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six.value()[0].counted, "A");
  EXPECT_EQ(six.value()[0].position, "10");
  const auto five = Bim::parse_pvar("1 rs1 10 A G\n", "x.pvar");
  ASSERT_TRUE(five.ok());
  EXPECT_EQ(five.value()[0].counted, "A");
  EXPECT_EQ(five.value()[0].position, "10");
}

TEST(Pvar, RefusesVariantsOfSeveralAltAllelesWithTheirCount) {
  EXPECT_THAT(Bim::parse_pvar("#CHROM POS ID REF ALT\n1 1 a A G\n1 2 b A G,T\n1 3 c A C,<*>\n", "x.pvar"),
              FailsWith("x.pvar:3:1: 2 variants have several ALT alleles, the first is 'b'"));
}

TEST(Pvar, RefusesWhatIsNoTableOfVariants) {
  EXPECT_THAT(Bim::parse_pvar("", "x.pvar"), FailsWith("lists no variants"));
  EXPECT_THAT(Bim::parse_pvar("#CHROM POS ID REF ALT\n", "x.pvar"), FailsWith("lists no variants"));
  EXPECT_THAT(Bim::parse_pvar("##a\n", "x.pvar"), FailsWith("starts with '##a', expected #CHROM"));
  EXPECT_THAT(Bim::parse_pvar("#CHROM POS ID REF\n1 1 a A\n", "x.pvar"), FailsWith("x.pvar:1:1: no column ALT"));
  EXPECT_THAT(Bim::parse_pvar("#CHROM POS ID REF ALT\n1 1 a A\n", "x.pvar"),
              FailsWith("x.pvar:2:1: 4 fields, expected 5, as the header has them"));
}

}  // namespace
}  // namespace strads::data
