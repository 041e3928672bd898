// Each wrong input with the exact words that a user reads: file and line, what was found, what was expected, what to
// do.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "data/sumstats/summary_fixtures.hpp"

namespace strads::data {
namespace {

/// FILE in `says` is the table, REGIONS the BED.
struct BadInput {
  const char* what;
  std::string text, columns;
  std::function<void(SummaryOptions&)> more;
  std::string says;
  const char* bed = nullptr;
};

void replace_all(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
}

void expect_words(const BadInput& bad, const SmallPanel& panel) {
  const TempFolder folder;
  SummaryOptions options = plain_options({folder.write("study.csv", bad.text)});
  options.columns = bad.columns;
  options.n = 1000;
  if (bad.bed != nullptr) options.ld_blocks = folder.write("ld.bed", bad.bed);
  if (bad.more) bad.more(options);
  std::string says = bad.says;
  replace_all(says, "FILE", options.files.front());
  replace_all(says, "REGIONS", options.ld_blocks);
  EXPECT_EQ(refusal_of(options, panel), says) << bad.what;
}

void no_n_given(SummaryOptions& options) {
  options.n = std::nullopt;
}

/// A table of all that a row may say, by id.
const std::string kMap = "id=id,a1=a,a2=b,or=or,se=se,p=p,freq=f";

BadInput row_with(const char* what, const std::string& fields, const std::string& says) {
  return {what, "id,a,b,or,se,p,f\nrs1,A,G," + fields + "\n", kMap, {}, says};
}

TEST(SummaryBadInputs, OfARowSayWhereAndWhatToDo) {
  const std::vector<BadInput> all{
      row_with("odds ratio 0", "0,0.1,0.5,0.5",
               "FILE:2:9: '0', expected an odds ratio above 0 in column 'or'; are these log odds? then they are beta: "
               "--sumstats-columns beta=..."),
      row_with(
          "odds ratio below 0", "-0.1,0.1,0.5,0.5",
          "FILE:2:9: '-0.1', expected an odds ratio above 0 in column 'or'; are these log odds? then they are beta: "
          "--sumstats-columns beta=..."),
      row_with("se 0", "1.1,0,0.5,0.5",
               "FILE:2:13: '0', expected a standard error above 0 in column 'se'; write NA where it is unknown"),
      row_with("se below 0", "1.1,-1,0.5,0.5",
               "FILE:2:13: '-1', expected a standard error above 0 in column 'se'; write NA where it is unknown"),
      row_with(
          "p above 1", "1.1,0.1,7.3,0.5",
          "FILE:2:17: '7.3', expected a p value between 0 and 1 in column 'p'; is it -log10 of p? then it is log10p: "
          "--sumstats-columns log10p=..."),
      row_with(
          "p 0, and no se", "1.1,NA,0,0.5",
          "FILE:2:1: p is 0, expected one above 0 where Z, or beta and standard error, are unknown: nobody knows how "
          "small it was; take a table with standard errors or with -log10 p, or leave the row out"),
      row_with("frequency in percent", "1.1,0.1,0.5,30",
               "FILE:2:21: '30', expected a frequency between 0 and 1 in column 'f'; write NA where it is unknown"),
      row_with("a field too few", "1.1,0.1,0.5",
               "FILE:2:1: 6 fields, expected 7 as in the header (fields are separated by commas)"),
      {"-log10 p below 0",
       "id,a,b,beta,lp\nrs1,A,G,1,-3\n",
       "id=id,a1=a,a2=b,beta=beta,log10p=lp",
       {},
       "FILE:2:11: '-3', expected -log10 of a p value, a number >= 0 in column 'lp'; is it log10 of p? turn its sign"},
      {"n 2",
       "id,a,b,z,n\nrs1,A,G,1,2\n",
       "id=id,a1=a,a2=b,z=z,n=n",
       {},
       "FILE:2:1: n is 2, expected more than 2 people; write NA where it is unknown"},
      {"an infinite z",
       "id,a,b,beta,se\nrs1,A,G,1e300,1e-300\n",
       "id=id,a1=a,a2=b,beta=beta,se=se",
       {},
       "FILE:2:1: effect and standard error make a z of inf, expected a finite number; leave the row out"},
  };
  for (const BadInput& bad : all) expect_words(bad, three_variants());
}

TEST(SummaryBadInputs, OfATableSayWhatItLacks) {
  const std::vector<BadInput> all{
      {"a header that is unknown",
       "a,b\n1,2\n",
       "",
       {},
       "FILE:1:1: the header (a, b) is none of GWAS-SSF, plink2 .glm, regenie, SAIGE, COJO .ma and LDSC .sumstats, "
       "expected "
       "one of these; say what is where: --sumstats-columns chr=...,pos=...,a1=...,a2=...,beta=...,se=...,n=..."},
      {"no n anywhere", "id,a,b,z\nrs1,A,G,1\n", "id=id,a1=a,a2=b,z=z", no_n_given,
       "FILE:1:1: no column with n, expected how many people the study has: say --n PEOPLE, or --cases CASES "
       "--controls "
       "CONTROLS, name a column (--sumstats-columns n=...), or put FILE-meta.yaml with sample_size beside it"},
      {"cases alone", "id,a,b,z\nrs1,A,G,1\n", "id=id,a1=a,a2=b,z=z",
       [](SummaryOptions& options) { options.cases = 5; }, "--cases and --controls go together, expected both or none"},
      {"an n of two", "id,a,b,z\nrs1,A,G,1\n", "id=id,a1=a,a2=b,z=z", [](SummaryOptions& options) { options.n = 2; },
       "--n 2, expected more than 2 people"},
  };
  for (const BadInput& bad : all) expect_words(bad, three_variants());
}

TEST(SummaryBadInputs, ThatMatchNothingSayWhyAndWhatToDo) {
  const std::string map = "id=id,a1=a,a2=b,z=z,n=n", start = "FILE: 0 of ",
                    by_id =
                        " match the 3 variants of the panel panel by id (0 % of the fewer), expected at least 10 % (";
  const auto table = [](const std::string& rows) { return "id,a,b,z,n\n" + rows; };
  const std::vector<BadInput> all{
      {"n unknown in every row", table("rs1,A,G,1,NA\nrs2,C,T,1,NA\n"), map, no_n_given,
       start + "2 variants" + by_id + "no n: 2); say --n PEOPLE for rows without n"},
      {"n unknown in rows that ids find as well", "id,c,p,a,b,z,n\nrs1,1,100,A,G,1,NA\n",
       "id=id,chr=c,pos=p,a1=a,a2=b,z=z,n=n", no_n_given,
       start +
           "1 variant match the 3 variants of the panel panel by chromosome and position (0 % of the fewer), expected "
           "at least 10 % (no n: 1); say --n PEOPLE for rows without n"},
      {"no result",
       table("rs1,A,G,NA,9\n"),
       map,
       {},
       start + "1 variant" + by_id +
           "no result (neither Z nor effect): 1); a row needs Z, or an effect with its standard error or p; say which "
           "columns: "
           "--sumstats-columns"},
      {"alleles that match nothing",
       table("rs1,A,C,1,9\nrs2,C,A,1,9\nrs9,A,C,1,9\n"),
       map,
       {},
       start + "3 variants" + by_id +
           "other alleles in the panel: 2, not in the panel: 1); are these the columns of both alleles? "
           "--sumstats-columns a1=...,a2=... names them; else take a panel of the same genome build"},
      {"every row twice",
       table("rs1,A,G,1,9\nrs1,A,G,1,9\n"),
       map,
       {},
       start + "2 variants" + by_id +
           "twice in the statistics: 2); leave one row of each variant in the table, or take the tables of one study "
           "alone"},
      {"others",
       table("rs7,A,G,1,9\n"),
       map,
       {},
       start + "1 variant" + by_id +
           "not in the panel: 1); take a panel of the same variants and genome build, or say --min-matched"},
  };
  for (const BadInput& bad : all) expect_words(bad, three_variants());
  const SmallPanel ambiguous({{"rs1", "1", "100", "A", "T"}});
  expect_words(
      {"ambiguous ones alone", table("rs1,A,T,1,9\n"), map,
       [](SummaryOptions& options) { options.drop_ambiguous = true; },
       "FILE: 0 of 1 variant match the 1 variant of the panel panel by id (0 % of the fewer), expected at least "
       "10 % (A/T or C/G: 1); leave out --drop-ambiguous"},
      ambiguous);
}

TEST(SummaryBadInputs, OfWhichFewMatchSayTheShare) {
  std::vector<PanelVariant> variants;
  std::string text = "id,a,b,z\n";
  for (int k = 0; k < 30; ++k) {
    const std::string number = std::to_string(k);
    variants.push_back({"rs" + number, "1", std::to_string(k + 1), "A", "G"});
    if (k < 20) text += (k == 0 ? "rs" : "other") + number + ",A,G,1\n";
  }
  BadInput bad{
      "one of twenty",
      text,
      "id=id,a1=a,a2=b,z=z",
      {},
      "FILE: 1 of 20 variants match the 30 variants of the panel panel by id (5 % of the fewer), expected at least "
      "10 % (not in the panel: 19); take a panel of the same variants and genome build, or say --min-matched"};
  expect_words(bad, SmallPanel(variants));
  bad.more = [](SummaryOptions& options) { options.min_matched = 0.06; };
  bad.says.replace(bad.says.find("10 %"), 4, "6 %");
  expect_words(bad, SmallPanel(variants));
}

TEST(SummaryBadInputs, OfRegionsSayTheLineOrWhatIsOutside) {
  const std::string text = "id,a,b,z\nrs1,A,G,1\n", map = "id=id,a1=a,a2=b,z=z";
  const std::vector<BadInput> all{
      {"overlap",
       text,
       map,
       {},
       "REGIONS:2:1: the region 1:50-150 overlaps 1:0-100 of line 1, expected regions that do not: a variant is in one "
       "block",
       "1 0 100\n1 50 150\n"},
      {"an end before its start",
       text,
       map,
       {},
       "REGIONS:1:1: the region 1:100-90 ends where it starts or before, expected its end behind its start",
       "1 100 90\n"},
      {"none",
       text,
       map,
       {},
       "REGIONS: holds no region, expected lines of chromosome, start and end (BED)",
       "# nothing\n"},
      {"another build",
       text,
       map,
       {},
       "FILE: none of 1 matched variant is left, expected at least one: none is in a region of REGIONS; take regions "
       "of the "
       "panel's genome build and chromosomes",
       "1 1000 2000\n"},
  };
  for (const BadInput& bad : all) expect_words(bad, three_variants());
}

TEST(SummaryBadInputs, OfRegionsThatLeaveVariantsOutSayTheirShare) {
  const TempFolder folder;
  SummaryOptions options = plain_options({folder.write("study.csv", "id,a,b,z\nrs1,A,G,1\nrs2,C,T,1\nrs3,G,T,1\n")});
  options.columns = "id=id,a1=a,a2=b,z=z";
  options.n = 1000;
  options.ld_blocks = folder.write("ld.bed", "1 0 150\n");
  const SummaryData data = summary_of(options, three_variants());
  EXPECT_THAT(data.notes, testing::ElementsAre("2 variants are in no region of " + options.ld_blocks +
                                               " (66.7 %): left out; regions of another genome build show so"));
  EXPECT_EQ(data.counts.dropped_for(SummaryReason::outside_blocks), 2U);
}

TEST(SummaryBadInputs, OfFrequenciesThatAreThoseOfTheOtherAlleleSaySo) {
  std::vector<PanelVariant> variants;
  std::string text = "id,a,b,z,f\n";
  for (int k = 0; k < 24; ++k) {
    const std::string id = "rs" + std::to_string(k);
    variants.push_back({id, "1", std::to_string(k + 1), "A", "G", 0.1 + 0.03125 * k});
    text += id + ",A,G,1," + std::to_string(0.9 - 0.03125 * k) + "\n";
  }
  expect_words(
      {"the other allele's",
       text,
       "id=id,a1=a,a2=b,z=z,freq=f",
       {},
       "FILE: frequencies of the effect allele correlate -1 with those in the panel panel, expected at least 0.85: "
       "they are those of the other allele, or effects are of it; name columns with --sumstats-columns (freq2=... "
       "for the other allele's frequency)"},
      SmallPanel(variants));
}

TEST(SummaryBadInputs, OfTheFileBesideATableSayItsLine) {
  const TempFolder folder;
  SummaryOptions options = plain_options({folder.write("study.csv", "id,a,b,z\nrs1,A,G,1\n")});
  options.columns = "id=id,a1=a,a2=b,z=z";
  const std::string facts = folder.write("study.csv-meta.yaml", "genome_assembly: GRCh37\nsample_size: many\n");
  EXPECT_EQ(refusal_of(options, three_variants()), facts + ":2:1: sample_size is 'many', expected a number of people");
}

}  // namespace
}  // namespace strads::data
