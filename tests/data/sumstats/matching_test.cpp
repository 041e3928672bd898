// Which variant of the panel a row is, what is left out, and why.
#include <algorithm>
#include <numeric>

#include "data/sumstats/summary_fixtures.hpp"

namespace strads::data {
namespace {

const std::string kHeader =
    "chromosome\tbase_pair_location\teffect_allele\tother_allele\tbeta\tstandard_error\trsid\tn\n";

std::string row_of(const std::string& place, const std::string& alleles, const std::string& id, double beta = 0.1) {
  return place + "\t" + alleles + "\t" + std::to_string(beta) + "\t0.05\t" + id + "\t1000\n";
}

void expect_all_counted(const SummaryCounts& counts) {
  EXPECT_EQ(std::accumulate(counts.dropped.begin(), counts.dropped.end(), counts.kept + counts.other_tests),
            counts.rows);
}

TEST(SummaryMatching, CountsAndListsEveryReason) {
  const TempFolder folder;
  const SmallPanel panel({{"rs1", "1", "100", "A", "G"},
                          {"rs2", "1", "200", "A", "G"},
                          {"rs3", "1", "300", "A", "T"},
                          {"rs4", "1", "400", "A", "G"},
                          {"rs5a", "1", "500", "A", "G"},
                          {"rs5b", "1", "500", "A", "G"},
                          {"rs6", "1", "600", "A", "G", 0, 0},
                          {"rs7", "1", "700", "A", "G"}});
  SummaryOptions options = plain_options({folder.write(
      "a.tsv", kHeader + row_of("1\t100", "A\tG", "rs1") + row_of("1\t200", "C\tT", "rs2") +
                   row_of("1\t300", "T\tA", "rs3") + row_of("1\t400", "A\tC", "rs4") + row_of("1\t500", "G\tA", "rs5") +
                   row_of("1\t600", "A\tG", "rs6") + row_of("1\t700", "A\tG", "rs7") + row_of("1\t700", "G\tA", "rs7") +
                   row_of("1\t800", "A\tG", "rs8") + "1\t100\tA\tG\tNA\tNA\trs1\t1000\n" +
                   "1\t100\tA\tG\t0.1\tNA\trs1\t1000\n" + "1\t100\tA\tG\t0.1\t0.1\trs1\tNA\n")});
  options.drop_ambiguous = true;
  const SummaryData data = summary_of(options, panel);
  const SummaryCounts& counts = data.counts;
  EXPECT_EQ(counts.rows, 12U);
  EXPECT_EQ(counts.matched, 2U);
  EXPECT_EQ(counts.kept, 2U);
  EXPECT_EQ(counts.turned, 1U);
  EXPECT_EQ(counts.other_strand, 1U);
  for (const auto reason : {SummaryReason::no_effect, SummaryReason::no_error, SummaryReason::no_n,
                            SummaryReason::not_in_panel, SummaryReason::other_alleles, SummaryReason::several_in_panel,
                            SummaryReason::ambiguous, SummaryReason::constant}) {
    EXPECT_EQ(counts.dropped_for(reason), 1U) << text_of(reason);
  }
  EXPECT_EQ(counts.dropped_for(SummaryReason::duplicate), 2U);
  expect_all_counted(counts);
  EXPECT_TRUE(data.dropped.starts_with("id\tchromosome\tposition\tfile\tline\treason\n")) << data.dropped;
  EXPECT_NE(data.dropped.find("rs8\t1\t800\ta.tsv\t10\tnot in the panel\n"), std::string::npos) << data.dropped;
  EXPECT_NE(data.dropped.find("\tno result (neither Z nor effect)\n"), std::string::npos) << data.dropped;
  EXPECT_NE(data.dropped.find("\tno result (effect without standard error and p)\n"), std::string::npos)
      << data.dropped;
  EXPECT_NE(data.dropped.find("rs7\t1\t700\ta.tsv\t9\ttwice in the statistics\n"), std::string::npos) << data.dropped;
  EXPECT_EQ(std::count(data.dropped.begin(), data.dropped.end(), '\n'), 1 + 10);
}

TEST(SummaryMatching, TakesAmbiguousLettersAsTheyAreWrittenUnlessToldOtherwise) {
  const TempFolder folder;
  const SmallPanel panel({{"rs1", "1", "100", "A", "T"}});
  const SummaryData data =
      summary_of(plain_options({folder.write("a.tsv", kHeader + row_of("1\t100", "T\tA", "x"))}), panel);
  ASSERT_EQ(data.variants.size(), 1U);
  EXPECT_LT(data.variants[0].r, 0);
  EXPECT_EQ(data.counts.ambiguous, 1U);
}

TEST(SummaryMatching, TellsVariantsOfOnePlaceByTheirAllelesAndThenByTheirIds) {
  const TempFolder folder;
  const SmallPanel panel({{"a", "1", "100", "A", "G"},
                          {"b", "1", "100", "A", "C"},
                          {"c", "1", "200", "A", "G"},
                          {"d", "1", "200", "A", "G"}});
  const std::string text = kHeader + row_of("1\t100", "A\tC", "x") + row_of("1\t200", "A\tG", "d");
  const SummaryData data = summary_of(plain_options({folder.write("a.tsv", text)}), panel);
  ASSERT_EQ(data.variants.size(), 2U);
  EXPECT_EQ(data.variants[0].column, 1U);
  EXPECT_EQ(data.variants[1].column, 3U);
}

TEST(SummaryMatching, FindsPlacesInAnyOrderAndUnderAnyNameOfAChromosome) {
  const TempFolder folder;
  const SmallPanel panel({{"a", "X", "100", "A", "G"}, {"b", "2", "50", "A", "G"}, {"c", "1", "7", "A", "G"}});
  const std::string text =
      kHeader + row_of("chr1\t7", "A\tG", "x") + row_of("23\t100", "A\tG", "x") + row_of("02\t50", "A\tG", "x");
  const SummaryData data = summary_of(plain_options({folder.write("a.tsv", text)}), panel);
  ASSERT_EQ(data.variants.size(), 3U);
  ASSERT_EQ(data.blocks.size(), 3U);
  EXPECT_EQ(data.blocks[0].chromosome, "X");  // the panel's order
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(data.variants[k].column, k);
}

TEST(SummaryMatching, OfAnotherBuildSaysThatIdsWouldMatch) {
  const TempFolder folder;
  SmallPanel panel = three_variants();
  SummaryOptions options =
      plain_options({folder.write("a.tsv", kHeader + row_of("1\t1100", "A\tG", "rs1") +
                                               row_of("1\t1200", "C\tT", "rs2") + row_of("2\t7", "G\tT", "rs3"))});
  const std::string refusal = refusal_of(options, panel);
  EXPECT_NE(
      refusal.find("0 of 3 variants match the 3 variants of the panel panel by chromosome and position (0 % of the "
                   "fewer), expected at least 10 % (not in the panel: 3); by id 3 would match (100 %): positions are "
                   "those of another genome build; say --match id"),
      std::string::npos)
      << refusal;
  options.match = SummaryMatch::id;
  EXPECT_EQ(summary_of(options, panel).counts.matched, 3U);
}

TEST(SummaryMatching, GoesByIdWhereThePanelHasNoPositions) {
  const TempFolder folder;
  const SmallPanel panel({{"rs1", "1", "0", "A", "G"}, {"rs2", "1", "0", "C", "T"}});
  SummaryOptions options = plain_options({folder.write("a.tsv", kHeader + row_of("1\t100", "A\tG", "rs1"))});
  EXPECT_EQ(summary_of(options, panel).counts.matched, 1U);
  options.match = SummaryMatch::place;
  EXPECT_NE(refusal_of(options, panel).find("panel: no variant has a position"), std::string::npos);
}

TEST(SummaryBlocks, AreRegionsOfABedInThePanelsOrder) {
  const TempFolder folder;
  SummaryOptions options =
      plain_options({folder.write("a.tsv", kHeader + row_of("1\t100", "A\tG", "rs1") + row_of("1\t200", "C\tT", "rs2") +
                                               row_of("2\t100", "G\tT", "rs3"))});
  options.ld_blocks = folder.write("ld.bed", "chr \t start \t stop \nchr1 \t 100 \t 200 \nchr1\t0\t100\n");
  const SummaryData data = summary_of(options, three_variants());
  ASSERT_EQ(data.blocks.size(), 2U);
  EXPECT_EQ(data.blocks[0].end, 100U);  // position 100 is the last of (0, 100]
  EXPECT_EQ(data.blocks[1].begin, 100U);
  EXPECT_EQ(data.blocks[1].first, 1U);
  EXPECT_EQ(data.blocks[1].last, 2U);
  EXPECT_EQ(data.counts.dropped_for(SummaryReason::outside_blocks), 1U);
  expect_all_counted(data.counts);
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_NE(data.notes[0].find("1 variant is in no region"), std::string::npos) << data.notes[0];
  EXPECT_NE(data.notes[0].find("(33.3 %)"), std::string::npos) << data.notes[0];
}

}  // namespace
}  // namespace strads::data
