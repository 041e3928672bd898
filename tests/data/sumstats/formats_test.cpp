// The same three variants in each format: the same correlations.
#include "data/sumstats/summary_fixtures.hpp"

namespace strads::data {
namespace {

// rs1 A/G: effect 0.1 +- 0.05 of A; rs2 T/C: effect -0.06 +- 0.03 of T, whose frequency is 0.4; rs3 G/T: 0.09 +- 0.06.
constexpr double kPeople = 1000;
constexpr double kSixteenDigits = 1e-15;

void expect_the_three(const SummaryData& data, bool knows_effects = true, bool knows_frequencies = true) {
  ASSERT_EQ(data.variants.size(), 3U);
  const double z[] = {2, 2, 1.5};  // of the panel's counted allele: rs2 is turned
  const double beta[] = {0.1, 0.06, 0.09}, se[] = {0.05, 0.03, 0.06}, frequency[] = {0.3, 0.6, 0.1};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(data.variants[k].column, k);
    EXPECT_EQ(data.variants[k].n, kPeople);
    EXPECT_NEAR(data.variants[k].r, correlation_by_hand(z[k], kPeople), kSixteenDigits) << k;
    EXPECT_EQ(std::isnan(data.variants[k].beta), !knows_effects);
    EXPECT_EQ(std::isnan(data.variants[k].frequency), !knows_frequencies);
    if (knows_effects) {
      EXPECT_NEAR(data.variants[k].beta, beta[k], kSixteenDigits);
      EXPECT_NEAR(data.variants[k].se, se[k], kSixteenDigits);
    }
    if (knows_frequencies) {
      EXPECT_NEAR(data.variants[k].frequency, frequency[k], kSixteenDigits);
    }
  }
  EXPECT_EQ(data.counts.turned, 1U);
  EXPECT_EQ(data.counts.matched, 3U);
}

const std::string kSsf =
    "chromosome\tbase_pair_location\teffect_allele\tother_allele\tbeta\tstandard_error\teffect_allele_frequency\t"
    "p_value\trsid\tn\n"
    "1\t100\tA\tG\t0.1\t0.05\t0.3\t0.0455\trs1\t1000\n"
    "1\t200\tT\tC\t-0.06\t0.03\t0.4\t0.0455\t#NA\t1000\n"
    "2\t100\tG\tT\t0.09\t0.06\t0.1\t0.1336\trs3\t1000\n";

TEST(SummaryStatistics, OfGwasSsfAreFoundByTheirHeader) {
  const TempFolder folder;
  const SummaryData data = summary_of(plain_options({folder.write("a.tsv", kSsf)}), three_variants());
  expect_the_three(data);
  EXPECT_EQ(data.formats, (std::vector<SummaryFormat>{SummaryFormat::gwas_ssf}));
  EXPECT_EQ(data.counts.sources[static_cast<std::size_t>(SummarySource::beta_and_se)], 3U);
  EXPECT_EQ(data.counts.disagreements, 0U);
  ASSERT_EQ(data.blocks.size(), 2U);  // a chromosome each
  EXPECT_EQ(data.blocks[1].first, 2U);
  EXPECT_EQ(data.blocks[1].chromosome, "2");
}

TEST(SummaryStatistics, AreReadPackedAsWell) {
  const TempFolder folder;
  expect_the_three(summary_of(plain_options({folder.write("a.tsv.gz", gzipped(kSsf))}), three_variants()));
}

TEST(SummaryStatistics, OfPlink2HaveTheirAlleleAndTheOtherOne) {
  const TempFolder folder;
  const std::string header = "#CHROM\tPOS\tID\tREF\tALT\tA1\tA1_FREQ\tTEST\tOBS_CT\tBETA\tSE\tT_STAT\tP\tERRCODE\n";
  const std::string file =
      folder.write("a.glm.linear", header +
                                       "1\t100\trs1\tG\tA\tA\t0.3\tADD\t1000\t0.1\t0.05\t2\t0.0455\t.\n"
                                       "1\t100\trs1\tG\tA\tA\t0.3\tPC1\t1000\t9\t1\t9\t1e-9\t.\n"
                                       "1\t200\trs2\tT\tC\tT\t0.4\tADD\t1000\t-0.06\t0.03\t-2\t0.0455\t.\n"
                                       "2\t100\trs3\tT\tG\tG\t0.1\tADD\t1000\t0.09\t0.06\t1.5\t0.13\t.\n"
                                       "2\t300\trs4\tT\tG\tG\t0.1\tADD\t1000\tNA\tNA\tNA\tNA\tCONST_ALLELE\n");
  const SummaryData data = summary_of(plain_options({file}), three_variants());
  expect_the_three(data);
  EXPECT_EQ(data.counts.rows, 5U);
  EXPECT_EQ(data.counts.other_tests, 1U);
  EXPECT_EQ(data.counts.dropped_for(SummaryReason::no_result), 1U);
  EXPECT_EQ(data.counts.sources[static_cast<std::size_t>(SummarySource::z)], 3U);
}

TEST(SummaryStatistics, OfPlink2sLogisticRegressionAreLogOdds) {
  const TempFolder folder;
  const std::string file = folder.write("a.glm.logistic",
                                        "#CHROM POS ID A1 OMITTED TEST OBS_CT OR LOG(OR)_SE Z_STAT P\n"
                                        "1 100 rs1 A G ADD 1000 1.5 0.2 2 0.0455\n");
  const SummaryData data = summary_of(plain_options({file}), three_variants());
  ASSERT_EQ(data.variants.size(), 1U);
  EXPECT_NEAR(data.variants[0].beta, std::log(1.5), kSixteenDigits);
  EXPECT_TRUE(data.has_odds);
}

TEST(SummaryStatistics, OfRegenieHaveTheEffectOfAllele1) {
  const TempFolder folder;
  const std::string file =
      folder.write("a.regenie",
                   "CHROM GENPOS ID ALLELE0 ALLELE1 A1FREQ INFO N TEST BETA SE CHISQ LOG10P EXTRA\n"
                   "1 100 rs1 G A 0.3 1 1000 ADD 0.1 0.05 4 1.342 NA\n"
                   "1 200 rs2 C T 0.4 1 1000 ADD -0.06 0.03 4 1.342 NA\n"
                   "2 100 rs3 T G 0.1 1 1000 ADD 0.09 0.06 2.25 0.874 NA\n");
  const SummaryData data = summary_of(plain_options({file}), three_variants());
  expect_the_three(data);
  EXPECT_EQ(data.formats[0], SummaryFormat::regenie);
}

TEST(SummaryStatistics, OfSaigeHaveTheEffectOfAllele2) {
  const TempFolder folder;
  const std::string file = folder.write("a.txt",
                                        "CHR POS MarkerID Allele1 Allele2 AF_Allele2 BETA SE Tstat p.value N\n"
                                        "chr1 100 rs1 G A 0.3 0.1 0.05 9 0.0455 1000\n"
                                        "chr1 200 rs2 C T 0.4 -0.06 0.03 9 0.0455 1000\n"
                                        "chr2 100 rs3 T G 0.1 0.09 0.06 9 0.1336 1000\n");
  expect_the_three(summary_of(plain_options({file}), three_variants()));
}

TEST(SummaryStatistics, OfSaigesCasesAndControlsCountEffectivePeople) {
  const TempFolder folder;
  const std::string file = folder.write("a.txt",
                                        "CHR POS MarkerID Allele1 Allele2 AF_Allele2 BETA SE p.value N_case N_ctrl\n"
                                        "1 100 rs1 G A 0.3 0.1 0.05 0.0455 300 1500\n");
  const SummaryData data = summary_of(plain_options({file}), three_variants());
  ASSERT_EQ(data.variants.size(), 1U);
  EXPECT_NEAR(data.variants[0].n, kPeople, 1e-9);  // 4 / (1 / 300 + 1 / 1500)
  EXPECT_TRUE(data.has_odds);
}

TEST(SummaryStatistics, OfCojoAreMatchedById) {
  const TempFolder folder;
  const std::string file = folder.write("a.ma",
                                        "SNP A1 A2 freq b se p N\n"
                                        "rs3 G T 0.1 0.09 0.06 0.1336 1000\n"
                                        "rs1 A G 0.3 0.1 0.05 0.0455 1000\n"
                                        "rs2 T C 0.4 -0.06 0.03 0.0455 1000\n");
  const SummaryData data = summary_of(plain_options({file}), three_variants());
  expect_the_three(data);
  EXPECT_EQ(data.formats[0], SummaryFormat::cojo);
}

TEST(SummaryStatistics, OfLdscHaveZAlone) {
  const TempFolder folder;
  const std::string file = folder.write("a.sumstats.gz", gzipped("SNP\tA1\tA2\tN\tZ\n"
                                                                 "rs1\ta\tg\t1000\t2\n"
                                                                 "rs2\tT\tC\t1000\t-2\n"
                                                                 "rs3\tG\tT\t1000\t1.5\n"));
  const SummaryData data = summary_of(plain_options({file}), three_variants());
  expect_the_three(data, false, false);
  EXPECT_TRUE(std::isnan(data.trait_sd));
}

TEST(SummaryStatistics, OfAnyOtherTableAreMappedByTheUser) {
  const TempFolder folder;
  SummaryOptions options = plain_options({folder.write("a.csv",
                                                       "Chr,BP,Effect,Else,Odds,Err,F\n"
                                                       "1,100,A,G,1.1051709180756477,0.05,0.7\n"
                                                       "1,200,T,C,0.9417645335842487,0.03,0.6\n"
                                                       "2,100,G,T,1.0941742837052104,0.06,0.9\n")});
  options.columns = "chr=Chr,pos=BP,a1=Effect,a2=Else,or=Odds,se=Err,freq2=F";
  options.n = kPeople;
  const SummaryData data = summary_of(options, three_variants());
  expect_the_three(data);
  EXPECT_EQ(data.formats[0], SummaryFormat::mapped);
}

TEST(SummaryStatistics, OfOneChromosomeAFileAreReadTogether) {
  const TempFolder folder;
  const std::size_t second = kSsf.find("2\t100\tG");
  const std::string header = kSsf.substr(0, kSsf.find('\n') + 1);
  const auto files = {folder.write("1.tsv", kSsf.substr(0, second)),
                      folder.write("2.tsv", header + kSsf.substr(second))};
  expect_the_three(summary_of(plain_options(files), three_variants()));
}

TEST(SummaryStatistics, HaveTheirPeopleBuildAndTraitFromTheFileBesideThem) {
  const TempFolder folder;
  const std::string file =
      folder.write("a.tsv.gz", gzipped("chromosome\tbase_pair_location\teffect_allele\tother_allele\t"
                                       "odds_ratio\tstandard_error\n1\t100\tA\tG\t1.5\t0.2\n"));
  folder.write("a.tsv.gz-meta.yaml",
               "# a study\ngenome_assembly: GRCh37\ntrait_description:\n  - Height\n  - 'Sitting height'\nsamples:\n"
               "  - sample_size: 1800\n    case_control_study: true\n    case_count: 300\n    control_count: 1500\n");
  const SummaryData data = summary_of(plain_options({file}), three_variants());
  EXPECT_EQ(data.build, "GRCh37");
  EXPECT_EQ(data.trait, "Height, Sitting height");
  ASSERT_EQ(data.variants.size(), 1U);
  EXPECT_NEAR(data.variants[0].n, kPeople, 1e-9);
}

TEST(SummaryStatistics, CountPeopleOfAFileAsTheirEffectiveShare) {
  const TempFolder folder;
  SummaryOptions options = plain_options({folder.write("a.tsv", kSsf)});
  options.cases = 100;
  options.controls = 300;
  for (const auto& variant : summary_of(options, three_variants()).variants) EXPECT_NEAR(variant.n, 750, 1e-9);
}

TEST(SummaryStatistics, OfAnEffectOfZeroHaveNoSignForTheirP) {
  const TempFolder folder;
  SummaryOptions options = plain_options({folder.write("a.csv", "SNP,A1,A2,OR,P\nrs1,A,G,1.00,0.3\nrs9,A,G,1,0.3\n")});
  options.columns = "id=SNP,a1=A1,a2=A2,or=OR,p=P";
  options.n = kPeople;
  const SummaryData data = summary_of(options, three_variants());
  ASSERT_EQ(data.variants.size(), 1U);
  EXPECT_EQ(data.variants[0].r, 0);
  EXPECT_EQ(data.counts.no_effect, 1U);
  EXPECT_EQ(data.counts.no_effect_rows, 2U);
}

TEST(SummaryStatistics, TakeZBeforeEffectsAndTheseBeforeP) {
  const TempFolder folder;
  const std::string header = "SNP,A1,A2,Z,BETA,SE,P\n";
  SummaryOptions options = plain_options({folder.write("a.csv", header + "rs1,A,G,4,0.1,0.05,0.5\n"
                                                                         "rs2,C,T,NA,0.1,0.05,1e-9\n"
                                                                         "rs3,G,T,NA,-0.1,NA,1e-400\n")});
  options.columns = "id=SNP,a1=A1,a2=A2,z=Z,beta=BETA,se=SE,p=P";
  options.n = 1e6;
  const SummaryData data = summary_of(options, three_variants());
  ASSERT_EQ(data.variants.size(), 3U);
  EXPECT_NEAR(data.variants[0].r, correlation_by_hand(4, 1e6), kSixteenDigits);
  EXPECT_NEAR(data.variants[1].r, correlation_by_hand(2, 1e6), kSixteenDigits);
  // t of p = 1e-400 and 999,998 degrees of freedom, by mpmath.
  EXPECT_NEAR(data.variants[2].r, -correlation_by_hand(42.846061745381042, 1e6), kSixteenDigits);
  EXPECT_EQ(data.counts.sources, (std::array<std::uint64_t, kSummarySources>{1, 1, 1}));
  EXPECT_EQ(data.counts.disagreements, 2U);
}

}  // namespace
}  // namespace strads::data
