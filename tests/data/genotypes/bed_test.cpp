#include "data/genotypes/bed.hpp"

#include <cmath>

#include "data/fixtures.hpp"
#include "data/genotypes/psam.hpp"

namespace strads::data {
namespace {

struct WrappedBed {
  Status inner;
  [[nodiscard]] const Status& status() const { return inner; }
};
WrappedBed check(const std::string& bytes, std::uint64_t samples, std::uint64_t variants) {
  return {check_bed(bytes, samples, variants, "f.bed")};
}

const std::string kMagic = "\x6c\x1b\x01";

TEST(Bed, AcceptsExactlyTheSizeOfTheOtherFiles) {
  EXPECT_TRUE(check(kMagic + "abcd", 5, 2).status().ok());
  EXPECT_THAT(check(kMagic + "abc", 5, 2), FailsWith("f.bed: 6 bytes, expected 3 + 2 x 2 for 2 variants (.bim) of 5"));
  EXPECT_THAT(check(kMagic + "abcde", 5, 2), FailsWith("8 bytes, expected 3 + 2 x 2"));
  EXPECT_THAT(check(kMagic + "abcd", 5, 1), FailsWith("expected 3 + 1 x 2"));
  EXPECT_THAT(check(kMagic + "abcd", 5, std::uint64_t{1} << 63), FailsWith("cut off, or not the files"));
}

TEST(Bed, RefusesForeignAndSampleMajorFiles) {
  EXPECT_THAT(check("", 1, 1), FailsWith("0 bytes, expected a .bed"));
  EXPECT_THAT(check("chr1\t1\t2\n", 1, 1), FailsWith("does not start with 6c 1b"));
  EXPECT_THAT(check(std::string("\x6c\x1b\x00x", 4), 1, 1), FailsWith("third byte is not 01"));
}

TEST(Fam, ReadsNamesAndPhenotypes) {
  const auto fam = parse_fam("f1 i1 0 0 1 1.5\nf2\ti2\t0\t0\t2\t-9\nf3 i3 0 0 0 NA\n\n", "f.fam", Column6::number);
  ASSERT_TRUE(fam.ok()) << fam.status().message();
  EXPECT_EQ(fam.value().ids.family[1], "f2");
  EXPECT_EQ(fam.value().ids.individual[2], "i3");
  EXPECT_EQ(fam.value().phenotype.values[0], 1.5);
  EXPECT_TRUE(std::isnan(fam.value().phenotype.values[1]));
  EXPECT_TRUE(std::isnan(fam.value().phenotype.values[2]));
}

TEST(Fam, RefusesWrongFieldsEmptyLinesAndEmptyFiles) {
  EXPECT_THAT(parse_fam("f i 0 0 1\n", "f.fam", Column6::number), FailsWith("f.fam:1:1: 5 fields, expected 6"));
  EXPECT_THAT(parse_fam("a b 0 0 1 1\n\nc d 0 0 1 1\n", "f.fam", Column6::number), FailsWith("f.fam:2:1: 0 fields"));
  EXPECT_THAT(parse_fam("", "f.fam", Column6::number), FailsWith("lists no samples"));
  EXPECT_THAT(parse_fam("f i 0 0 1 x\n", "f.fam", Column6::number), FailsWith("f.fam:1:11: phenotype is text 'x'"));
  EXPECT_TRUE(parse_fam("f i 0 0 1 x\n", "f.fam", Column6::ignored).ok());
}

TEST(Fam, PassesOverAByteOrderMark) {
  const auto fam = parse_fam(
      "\xef\xbb\xbf"
      "f1 i1 0 0 1 1.5\n",
      "f.fam", Column6::number);
  ASSERT_TRUE(fam.ok()) << fam.status().message();
  EXPECT_EQ(fam.value().ids.family[0], "f1");
}

TEST(Fam, RefusesZeroBytes) {
  EXPECT_THAT(parse_fam(std::string("f1 i\0 0 0 1 1\n", 15), "f.fam", Column6::number),
              FailsWith("f.fam:1:5: a zero byte"));
}

TEST(Bim, RefusesZeroBytes) {
  EXPECT_THAT(Bim::parse(std::string("1 a 0 1 A G\n1 r\0s 0 2 A G\n", 26), "f.bim"),
              FailsWith("f.bim:2:4: a zero byte, expected text"));
}

TEST(Bim, PassesOverAByteOrderMark) {
  const std::string text =
      "\xef\xbb\xbf"
      "1 a 0 1 A G\n1 b 0 2 A G\n";
  const auto bim = Bim::parse(text, "f.bim");
  ASSERT_TRUE(bim.ok()) << bim.status().message();
  EXPECT_EQ(bim.value()[0].chromosome, "1");
  EXPECT_EQ(bim.value()[1].id, "b");
}

TEST(Bim, ParsesLinesOnDemand) {
  std::string text;
  for (int j = 0; j < 40; ++j) {
    text += std::to_string(j) + "\trs" + std::to_string(j) + "\t0\t" + std::to_string(100 * j) + "\tA\tG\n";
  }
  const auto bim = Bim::parse(text, "f.bim");
  ASSERT_TRUE(bim.ok()) << bim.status().message();
  EXPECT_EQ(bim.value().size(), 40u);
  for (std::uint64_t j : {0u, 15u, 16u, 31u, 32u, 39u}) {
    const VariableName name = bim.value()[j];
    EXPECT_EQ(name.id, "rs" + std::to_string(j));
    EXPECT_EQ(name.chromosome, std::to_string(j));
    EXPECT_EQ(name.position, std::to_string(100 * j));
    EXPECT_EQ(name.counted, "A");
    EXPECT_EQ(name.other, "G");
  }
}

TEST(Bim, VisitsAllVariantsInOrder) {
  const auto bim = Bim::parse("1 a 0 1 A G\n1 b 0 2 A G\n", "f.bim");
  std::string seen;
  bim.value().for_each(
      [&](std::uint64_t j, const VariableName& name) { seen += std::to_string(j) + std::string(name.id); });
  EXPECT_EQ(seen, "0a1b");
}

TEST(Bim, RefusesWrongFieldsEmptyLinesAndEmptyFiles) {
  EXPECT_THAT(Bim::parse("1 a 0 1 A G\n1 b 0 2 A\n", "f.bim"), FailsWith("f.bim:2:1: 5 fields, expected 6"));
  EXPECT_THAT(Bim::parse("1 a 0 1 A G\n\n1 b 0 2 A G\n", "f.bim"), FailsWith("f.bim:2:1: 0 fields"));
  EXPECT_THAT(Bim::parse("\n\n", "f.bim"), FailsWith("lists no variants"));
}

TEST(Bim, RefusesPositionsThatAreNoWholeNumbers) {
  const auto read = [](const std::string& position) {
    return Bim::parse("1 rs0 0 5 A G\n1 rs1 0 " + position + " A G\n", "x.bim");
  };
  EXPECT_THAT(read("1e+05"), FailsWith("x.bim:2:9: position '1e+05', expected base pairs"));
  EXPECT_THAT(read("1e+05"), FailsWith("scipen"));
  EXPECT_THAT(read("1,000"), FailsWith("write it without commas"));
  EXPECT_THAT(read("100.0"), FailsWith("astype(int)"));
  for (const char* unknown : {".", "NA", "-", "x"})
    EXPECT_THAT(read(unknown), FailsWith("write 0 where it is unknown"));
  EXPECT_THAT(read("2147483647"), FailsWith("up to 2147483646"));
  EXPECT_THAT(read("99999999999999999999"), FailsWith("up to 2147483646"));
  EXPECT_TRUE(read("2147483646").ok());
  EXPECT_TRUE(read("0").ok());
  EXPECT_THAT(Bim::parse("chr id cm pos a1 a2\n1 rs1 0 1 A G\n", "x.bim"), FailsWith("a .bim has no header"));
  EXPECT_THAT(Bim::parse_pvar("#CHROM POS ID REF ALT\n1 1e+06 rs1 A G\n", "x.pvar"), FailsWith("x.pvar:2:3: position"));
  EXPECT_THAT(Bim::parse_pvar("#CHROM POS ID REF ALT\n1 . rs1 A G\n", "x.pvar"), FailsWith("x.pvar:2:3: position"));
}

TEST(Bim, ListsNegativePositions) {
  const auto read = Bim::parse("1 rs0 0 5 A G\n1 rs1 0 -7 A G\nY rs2 0 -8 A G\n", "x.bim");
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read.value().negative(), ::testing::ElementsAre(1U, 2U));
  EXPECT_EQ(read.value().haploid(), 1U);
}

}  // namespace
}  // namespace strads::data
