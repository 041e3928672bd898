#include "strads/data/chromosomes.hpp"

#include <gtest/gtest.h>

namespace strads::data {
namespace {

TEST(Chromosomes, HaveOneCodeUnderAllTheirNames) {
  for (const char* name : {"1", "01", "chr1", "chr01", "CHR1"}) EXPECT_EQ(chromosome_code(name), 1U) << name;
  for (const char* name : {"X", "x", "0X", "23", "chrX"}) EXPECT_EQ(chromosome_code(name), 23U) << name;
  for (const char* name : {"Y", "0Y", "24", "chr0y"}) EXPECT_EQ(chromosome_code(name), 24U) << name;
  for (const char* name : {"XY", "25", "chrXY"}) EXPECT_EQ(chromosome_code(name), 25U) << name;
  for (const char* name : {"MT", "M", "0M", "26", "chrM"}) EXPECT_EQ(chromosome_code(name), 26U) << name;
  for (const char* name : {"", "27", "0", "00", "PAR1", "GL000192.1", "0XY"}) {
    EXPECT_NE(chromosome_code(name).value_or(0), 23U) << name;
  }
}

TEST(Chromosomes, AreWrittenAsPlink2Does) {
  EXPECT_EQ(plain_chromosome("chr01"), "1");
  EXPECT_EQ(plain_chromosome("0X"), "X");
  EXPECT_EQ(plain_chromosome("25"), "XY");
  EXPECT_EQ(plain_chromosome("0M"), "MT");
  EXPECT_EQ(plain_chromosome("chrUn_1"), "Un_1");
  EXPECT_EQ(plain_chromosome("27"), "27");
}

TEST(Chromosomes, SayHowManyCopiesAPersonHas) {
  EXPECT_EQ(ploidy_of("0Y"), Ploidy::y);
  EXPECT_EQ(ploidy_of("0M"), Ploidy::haploid);
  EXPECT_EQ(ploidy_of("0X"), Ploidy::x);
  EXPECT_EQ(ploidy_of("PAR2"), Ploidy::diploid);
}

}  // namespace
}  // namespace strads::data
