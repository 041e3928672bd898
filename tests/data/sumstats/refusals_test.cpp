// Statistics that are wrong: where, what was found, what to do. And what quality control leaves out.
#include <functional>

#include "data/sumstats/summary_fixtures.hpp"

namespace strads::data {
namespace {

using testing::HasSubstr;

std::string refusal_of_columns(const std::string& text, const std::string& columns,
                               const std::function<void(SummaryOptions&)>& more = {}) {
  const TempFolder folder;
  SummaryOptions options = plain_options({folder.write("a.csv", text)});
  options.columns = columns;
  options.n = 1000;
  if (more) more(options);
  return refusal_of(options, three_variants());
}

TEST(SummaryRefusals, SayWhatAHeaderLacks) {
  EXPECT_THAT(refusal_of_columns("a,b\n1,2\n", ""),
              HasSubstr("a.csv:1:1: the header (a, b) is none of GWAS-SSF, plink2"));
  EXPECT_THAT(refusal_of_columns("a,b\n1,2\n", "id=a"), HasSubstr("no column with the effect allele"));
  EXPECT_THAT(refusal_of_columns("a,b\n1,2\n", "id"), HasSubstr("--sumstats-columns: 'id', expected FIELD=COLUMN"));
  EXPECT_THAT(refusal_of_columns("a,b\n1,2\n", "name=a"), HasSubstr("no field"));
  EXPECT_THAT(refusal_of_columns("a,b\n1,2\n", "id=c"), HasSubstr("no column"));
  EXPECT_THAT(refusal_of_columns("i,x,y,b\n1,A,G,1\n", "id=i,a1=x,a2=y,beta=b"),
              HasSubstr("no column with a standard error or a p value"));
}

TEST(SummaryRefusals, NameTheLineOfWhatCannotBe) {
  const std::string map = "id=id,a1=a,a2=b,or=or,se=se,p=p,freq=f";
  const auto of_row = [&](const std::string& row) {
    return refusal_of_columns("id,a,b,or,se,p,f\n" + row + "\n", map);
  };
  EXPECT_THAT(of_row("rs1,A,G,0,0.1,0.5,0.5"), HasSubstr("a.csv:2:9: "));
  EXPECT_THAT(of_row("rs1,A,G,0,0.1,0.5,0.5"), HasSubstr("expected an odds ratio above 0"));
  EXPECT_THAT(of_row("rs1,A,G,-0.1,0.1,0.5,0.5"), HasSubstr("are these log odds?"));
  EXPECT_THAT(of_row("rs1,A,G,1.1,0,0.5,0.5"), HasSubstr("expected a standard error above 0"));
  EXPECT_THAT(of_row("rs1,A,G,1.1,0.1,1.5,0.5"), HasSubstr("expected a p value between 0 and 1"));
  EXPECT_THAT(of_row("rs1,A,G,1.1,0.1,0.5,2"), HasSubstr("expected a frequency between 0 and 1"));
  EXPECT_THAT(of_row("rs1,A,G,x,0.1,0.5,0.5"), HasSubstr("in column 'or'"));
  EXPECT_THAT(of_row("rs1,A,G,1.1,NA,0,0.5"), HasSubstr("a.csv:2:1: p is 0"));
  EXPECT_THAT(of_row("rs1,A,G,1.1,0.1,0.5"), HasSubstr("a.csv:2:1: 6 fields, expected 7"));
}

TEST(SummaryRefusals, WantToKnowHowManyPeople) {
  const std::string text = "id,a,b,z,n\nrs1,A,G,1,2\n", map = "id=id,a1=a,a2=b,z=z";
  const auto without_n = [](SummaryOptions& options) { options.n = std::nullopt; };
  EXPECT_THAT(refusal_of_columns(text, map, without_n),
              HasSubstr("say --n PEOPLE, or --cases CASES --controls CONTROLS"));
  EXPECT_THAT(refusal_of_columns(text, map + ",n=n"), HasSubstr("a.csv:2:1: n is 2, expected more than 2 people"));
  EXPECT_THAT(refusal_of_columns(text, map, [](SummaryOptions& options) { options.cases = 5; }),
              HasSubstr("--cases and --controls go together"));
}

TEST(SummaryRefusals, NameRegionsThatOverlap) {
  const auto with_bed = [](const char* bed) {
    const TempFolder folder;
    const std::string file = folder.write("ld.bed", bed);
    return refusal_of_columns("id,a,b,z\nrs1,A,G,1\n", "id=id,a1=a,a2=b,z=z",
                              [&](SummaryOptions& options) { options.ld_blocks = file; });
  };
  EXPECT_THAT(with_bed("1 0 100\n1 50 150\n"),
              HasSubstr("ld.bed:2:1: the region 1:50-150 overlaps 1:0-100 of line 1, expected regions that do not"));
  EXPECT_THAT(with_bed("1 0 100\n1 x 150\n"), HasSubstr("ld.bed:2:1: start and end are"));
  EXPECT_THAT(with_bed("1 100 100\n"), HasSubstr("ends where it starts"));
  EXPECT_THAT(with_bed("chr start stop\n"), HasSubstr("holds no region"));
  EXPECT_THAT(with_bed("9 0 100\n"), HasSubstr("none is in a region of"));
}

// Thirty variants, the study's frequencies as `frequency` has them, effects of a trait of sd `trait_sd`.
struct Thirty {
  std::vector<PanelVariant> variants;
  std::string text = "SNP A1 A2 freq b se p N\n";

  explicit Thirty(double trait_sd, const std::function<double(double)>& frequency) {
    for (int k = 0; k < 30; ++k) {
      const double f = 0.1 + 0.02 * k, sd = std::sqrt(2 * f * (1 - f));
      const std::string id = "rs" + std::to_string(k);
      variants.push_back({id, "1", std::to_string(k + 1), "A", "G", f, sd});
      add(id, frequency(f), trait_sd / (sd * std::sqrt(1000.0)));
    }
  }
  void add(const std::string& id, double frequency, double se) {
    text += id + " A G " + std::to_string(frequency) + " 0 " + std::to_string(se) + " 1 1000\n";
  }
};

double as_it_is(double frequency) {
  return frequency;
}

TEST(SummaryRefusals, AreOfAnotherAncestryByTheirFrequencies) {
  const TempFolder folder;
  const Thirty turned(1, [](double f) { return 1 - f; });
  SummaryOptions options = plain_options({folder.write("a.ma", turned.text)});
  EXPECT_THAT(refusal_of(options, SmallPanel(turned.variants)), HasSubstr("they are those of the other allele"));
  const Thirty other(1, [](double f) { return std::abs(std::sin(1000 * f)); });
  options.files = {folder.write("b.ma", other.text)};
  EXPECT_EQ(
      refusal_of(options, SmallPanel(other.variants)),
      options.files.front() +
          ": frequencies of the effect allele correlate 0.037 with those in the panel panel, expected at least 0.85: "
          "the panel is of another ancestry, or alleles are mistaken; take a panel of the study's ancestry, or say "
          "--min-frequency-correlation");
  options.min_frequency_correlation = -1;
  EXPECT_EQ(summary_of(options, SmallPanel(other.variants)).counts.kept, 30U);
}

// Lines of a cross: every frequency is about a half, so that noise decides how they correlate.
TEST(SummaryRefusals, AreNotOfFrequenciesThatHardlyVary) {
  const TempFolder folder;
  const Thirty lines(1, [](double f) { return 0.5 + 0.02 * std::sin(1000 * f) + 0.01 * (f - 0.4); });
  std::vector<PanelVariant> variants = lines.variants;
  for (auto& variant : variants) variant.frequency = 0.5 + 0.02 * (variant.frequency - 0.4);
  SummaryOptions options = plain_options({folder.write("a.ma", lines.text)});
  const SummaryData data = summary_of(options, SmallPanel(variants));
  EXPECT_EQ(data.counts.kept, 30U);
  EXPECT_LT(data.frequency_correlation, 0.5);
  EXPECT_GT(data.frequency_correlation, 0);
  // Those that fall where the panel's rise are of other alleles.
  const Thirty turned(1, [](double f) { return 0.5 - 0.02 * (f - 0.4); });
  options.files = {folder.write("b.ma", turned.text)};
  EXPECT_THAT(refusal_of(options, SmallPanel(variants)), HasSubstr("those of the other allele"));
}

TEST(SummaryQuality, KeepsWhatGoesWithThePanelWhateverTheTraitsScale) {
  const TempFolder folder;
  const Thirty good(7.5, as_it_is);
  SummaryOptions options = plain_options({folder.write("a.ma", good.text)});
  options.quality_control = true;
  const SummaryData data = summary_of(options, SmallPanel(good.variants));
  EXPECT_EQ(data.counts.kept, 30U);
  EXPECT_NEAR(data.trait_sd, 7.5, 1e-3);  // six digits are written
  EXPECT_GT(data.frequency_correlation, 0.999);
}

TEST(SummaryQuality, DropsWhatDoesNotWithItsReason) {
  const TempFolder folder;
  Thirty study(1, as_it_is);
  const auto add = [&](const std::string& id, double panel_sd, double frequency, double se) {
    study.variants.push_back({id, "2", std::to_string(study.variants.size()), "A", "G", 0.5, panel_sd});
    study.add(id, frequency, se);
  };
  const double good_se = 1 / (0.7 * std::sqrt(1000.0));
  add("rare", 0.04, 0.5, good_se);
  add("wide", 0.7, 0.5, good_se / 2);    // an sd of 1.4
  add("narrow", 0.7, 0.5, good_se * 3);  // of 0.23
  add("other", 0.7, 0.7, good_se);
  study.text += "few A G 0.5 0 " + std::to_string(good_se * std::sqrt(2.0)) + " 1 500\n";
  study.variants.push_back({"few", "2", "99", "A", "G", 0.5, 0.7});
  SummaryOptions options = plain_options({folder.write("a.ma", study.text)});
  options.quality_control = true;
  const SummaryCounts counts = summary_of(options, SmallPanel(study.variants)).counts;
  EXPECT_EQ(counts.kept, 30U);
  EXPECT_EQ(counts.dropped_for(SummaryReason::panel_sd), 1U);
  EXPECT_EQ(counts.dropped_for(SummaryReason::other_sd), 2U);
  EXPECT_EQ(counts.dropped_for(SummaryReason::other_frequency), 1U);
  EXPECT_EQ(counts.dropped_for(SummaryReason::low_n), 1U);
  options.quality_control = false;
  EXPECT_EQ(summary_of(options, SmallPanel(study.variants)).counts.kept, 35U);
}

TEST(SummaryQuality, SaysWhatKeepsVariantsThatManyPeopleMiss) {
  const TempFolder folder;
  Thirty study(1, as_it_is);
  for (int k = 0; k < 6; ++k) {
    const std::string id = "few" + std::to_string(k);
    study.text += id + " A G 0.5 0 " + std::to_string(1 / (0.7 * std::sqrt(600.0))) + " 1 600\n";
    study.variants.push_back({id, "2", std::to_string(k), "A", "G", 0.5, 0.7});
  }
  SummaryOptions options = plain_options({folder.write("a.ma", study.text)});
  options.quality_control = true;
  const SummaryData data = summary_of(options, SmallPanel(study.variants));
  EXPECT_EQ(data.counts.kept, 30U);
  EXPECT_THAT(data.notes,
              testing::Contains(HasSubstr("6 variants have an n below 0.7 of the largest one (16.7 %), left "
                                          "out: if people miss calls there, keep them by --qc-n 0.3")));
  options.n_share_min = 0.3;
  EXPECT_EQ(summary_of(options, SmallPanel(study.variants)).counts.kept, 36U);
}

TEST(SummaryQuality, RefusesStandardErrorsThatGoWithNothing) {
  const TempFolder folder;
  Thirty study(1, as_it_is);
  study.text = study.text.substr(0, study.text.find('\n') + 1);
  for (int k = 0; k < 30; ++k) study.add("rs" + std::to_string(k), 0.1 + 0.02 * k, std::pow(2.0, k % 10) / 100);
  SummaryOptions options = plain_options({folder.write("a.ma", study.text)});
  options.quality_control = true;
  EXPECT_EQ(
      refusal_of(options, SmallPanel(study.variants)),
      options.files.front() +
          ": of 30 matched variants 27 have a standard error that does not go with n and their sd in the panel (for a "
          "trait of sd 5.72433, which fits most), expected that at most half do not: n is wrong, or effects are of a "
          "trait on another scale or of standardized genotypes; look at n and se, or say --qc off");
}

TEST(SummaryQuality, RefusesAnNThatMostAreFarBelow) {
  const TempFolder folder;
  Thirty study(1, as_it_is);
  study.variants.push_back({"many", "2", "1", "A", "G", 0.5, std::sqrt(0.5)});
  study.text += "many A G 0.5 0 " + std::to_string(1 / std::sqrt(0.5 * 5000.0)) + " 1 5000\n";
  SummaryOptions options = plain_options({folder.write("a.ma", study.text)});
  options.quality_control = true;
  EXPECT_THAT(refusal_of(options, SmallPanel(study.variants)),
              HasSubstr("of 31 matched variants 30 have an n below 0.7 of the largest one"));
  options.n_share_min = 0.1;
  EXPECT_EQ(summary_of(options, SmallPanel(study.variants)).counts.kept, 31U);
}

TEST(SummaryQuality, SaysThatNOfCasesAndControlsIsAnother) {
  const TempFolder folder;
  const Thirty study(4, as_it_is);  // sd 4 of 1,000 people is sd 2 of 250
  SummaryOptions options = plain_options({folder.write("a.ma", study.text)});
  options.cases = options.controls = 500;
  const SummaryData data = summary_of(options, SmallPanel(study.variants));
  ASSERT_FALSE(data.notes.empty());
  EXPECT_THAT(data.notes, testing::Contains(HasSubstr("n seems 4 times too large")));
}

}  // namespace
}  // namespace strads::data
