// Variants of a model among those of other people: by id or place, alleles exchanged, letters of the other strand.
#include <gtest/gtest.h>

#include "lasso/run/in_memory_dataset.hpp"
#include "regression/match_variables.hpp"
#include "regression/scoring/score_files.hpp"
#include "strads/data/alleles.hpp"

namespace strads::lasso {
namespace {

struct Variant {
  const char* id;
  const char* chromosome;
  const char* position;
  const char* counted;
  const char* other;
};

class Variants final : public InMemoryDataset {
 public:
  explicit Variants(std::vector<Variant> variants)
      : InMemoryDataset(one_person(variants.size())), variants_(std::move(variants)) {}
  [[nodiscard]] VariableName variable(VarId j) const override {
    const Variant& one = variants_[j];
    return {one.id, one.chromosome, one.position, one.counted, one.other};
  }
  [[nodiscard]] bool has_alleles() const override { return true; }
  [[nodiscard]] std::span<const std::uint8_t> sexes() const override { return sex; }

  std::vector<std::uint8_t> sex{0};

 private:
  static Content one_person(std::size_t variants) {
    Content content;
    content.columns.assign(variants, {1.0});
    content.response = {0.0};
    return content;
  }
  std::vector<Variant> variants_;
};

FittedModel model_of(const std::vector<Variant>& variants) {
  FittedModel model;
  model.has_alleles = model.has_names = true;
  model.columns = 99;
  model.response = "t";
  VarId column = 0;
  for (const Variant& one : variants) {
    model.variables.push_back({column++, one.id, one.chromosome, one.position, one.counted, one.other, 0.5, 0.25});
  }
  return model;
}

constexpr MatchRules kAll{.by_place = true, .other_strand = true};

Match only_match(const Variant& of_model, const std::vector<Variant>& there, MatchRules rules = kAll) {
  // A second variant that always matches, so that something is found.
  auto all = there;
  all.push_back({"anchor", "9", "9", "A", "C"});
  const auto found = match_variables(model_of({of_model, all.back()}), Variants(all), rules);
  EXPECT_TRUE(found.ok());
  return found.value().matches[0];
}

TEST(MatchVariants, TellSwappedFromFlipped) {
  const Variant own{"rs1", "1", "100", "A", "G"};
  EXPECT_EQ(only_match(own, {{"rs1", "1", "100", "A", "G"}}).how, Match::How::same);
  EXPECT_EQ(only_match(own, {{"rs1", "1", "100", "G", "A"}}).how, Match::How::swapped);
  const Match flipped = only_match(own, {{"rs1", "1", "100", "T", "C"}});
  EXPECT_EQ(flipped.how, Match::How::same);
  EXPECT_TRUE(flipped.other_strand);
  const Match both = only_match(own, {{"rs1", "1", "100", "C", "T"}});
  EXPECT_EQ(both.how, Match::How::swapped);
  EXPECT_TRUE(both.other_strand);
  EXPECT_EQ(only_match(own, {{"rs1", "1", "100", "A", "C"}}).how, Match::How::absent);
}

TEST(MatchVariants, TakeLettersThatFitBothStrandsAsTheyAreWritten) {
  const Match found = only_match({"rs1", "1", "100", "A", "T"}, {{"rs1", "1", "100", "T", "A"}});
  EXPECT_EQ(found.how, Match::How::swapped);
  EXPECT_FALSE(found.other_strand);
  EXPECT_TRUE(data::is_strand_ambiguous("A", "T"));
  EXPECT_TRUE(data::is_strand_ambiguous("G", "C"));
  EXPECT_FALSE(data::is_strand_ambiguous("A", "G"));
  EXPECT_FALSE(data::is_strand_ambiguous("AT", "TA"));
}

TEST(MatchVariants, FindOtherIdsAtTheirPlace) {
  const Variant own{"rs1", "23", "100", "A", "G"};
  const Match found = only_match(own, {{"x", "chrX", "200", "A", "G"}, {"y", "chrX", "100", "C", "T"}});
  EXPECT_EQ(found.how, Match::How::swapped);
  EXPECT_TRUE(found.by_place);
  EXPECT_EQ(found.column, 1U);
  EXPECT_EQ(only_match({"rs1", "1", "0", "A", "G"}, {{"y", "1", "0", "A", "G"}}).how, Match::How::absent)
      << "0 is no position";
}

TEST(MatchVariants, PreferTheIdAndLeaveOutWhatIsThereTwice) {
  const Variant own{"rs1", "1", "100", "A", "G"};
  const Match by_id = only_match(own, {{"other", "1", "100", "A", "G"}, {"rs1", "1", "100", "A", "G"}});
  EXPECT_EQ(by_id.column, 1U);
  EXPECT_FALSE(by_id.by_place);
  const Match twice = only_match(own, {{"a", "1", "100", "A", "G"}, {"b", "1", "100", "A", "G"}});
  EXPECT_EQ(twice.how, Match::How::absent);
  EXPECT_TRUE(twice.is_several);
  const Match one_strand = only_match(own, {{"a", "1", "100", "T", "C"}, {"b", "1", "100", "G", "A"}});
  EXPECT_EQ(one_strand.column, 1U) << "letters of the same strand come first";
}

TEST(MatchVariants, TakeAnAlleleThatNobodyCarriesForTheOtherOne) {
  const Variant own{"rs1", "1", "100", "A", "G"};
  for (const char* unseen : {"0", ".", "-"}) {
    const Match none = only_match(own, {{"rs1", "1", "100", unseen, "G"}}, {});
    EXPECT_EQ(none.how, Match::How::same) << "no copy of A among G G";
    EXPECT_TRUE(none.unseen_allele);
    EXPECT_EQ(only_match(own, {{"rs1", "1", "100", unseen, "A"}}, {}).how, Match::How::swapped);
    EXPECT_EQ(only_match(own, {{"rs1", "1", "100", "A", unseen}}, {}).how, Match::How::same);
    EXPECT_EQ(only_match(own, {{"rs1", "1", "100", "G", unseen}}, {}).how, Match::How::swapped);
    EXPECT_EQ(only_match(own, {{"rs1", "1", "100", unseen, "C"}}, {}).how, Match::How::absent) << "another strand";
    EXPECT_EQ(only_match(own, {{"rs1", "1", "100", unseen, unseen}}).how, Match::How::absent);
    const Match flipped = only_match(own, {{"x", "1", "100", unseen, "C"}});
    EXPECT_EQ(flipped.how, Match::How::same);
    EXPECT_TRUE(flipped.other_strand && flipped.by_place);
  }
  EXPECT_EQ(only_match(own, {{"rs1", "1", "100", "0", "G"}, {"rs1", "1", "100", "G", "A"}}).column, 1U)
      << "both alleles written go first";
}

TEST(MatchVariants, KnowPlacesUnderAllNamesOfAChromosome) {
  const auto finds = [](const char* own, const char* there) {
    return only_match({"rs1", own, "100", "A", "G"}, {{"x", there, "0100", "A", "G"}}).by_place;
  };
  EXPECT_TRUE(finds("1", "01"));
  EXPECT_TRUE(finds("chr01", "1"));
  EXPECT_TRUE(finds("23", "0X"));
  EXPECT_TRUE(finds("MT", "0M"));
  EXPECT_TRUE(finds("26", "chrM"));
  EXPECT_TRUE(finds("24", "0y"));
  EXPECT_TRUE(finds("25", "PAR1"));
  EXPECT_TRUE(finds("XY", "X"));
  EXPECT_FALSE(finds("1", "10"));
  EXPECT_FALSE(finds("X", "Y"));
}

TEST(MatchVariants, LeaveOutWhatHasANegativePosition) {
  EXPECT_EQ(only_match({"rs1", "1", "100", "A", "G"}, {{"rs1", "1", "-100", "A", "G"}}).how, Match::How::absent);
}

TEST(MatchVariants, SayWhatDiffers) {
  const auto model = model_of({{"a", "1", "1", "A", "G"},
                               {"b", "1", "2", "A", "G"},
                               {"c", "1", "3", "A", "G"},
                               {"d", "1", "4", "A", "G"},
                               {"e", "1", "5", "A", "G"}});
  const Variants there({{"a", "1", "1", "G", "A"},
                        {"b", "1", "2", "0", "G"},
                        {"c", "1", "3", "A", "C"},
                        {"e", "1", "9", "A", "G"},
                        {"e", "1", "9", "A", "G"}});
  const auto matching = match_variables(model, there).value();
  const std::string of_all = " of the model's 5 variables ";
  EXPECT_EQ(
      matching_notes(model, matching),
      (std::vector<std::string>{"1" + of_all + "have their alleles swapped here: flipped",
                                "1" + of_all + "have one allele alone here: " + kUnseenAllele,
                                "1" + of_all + "are absent: training mean used",
                                "1" + of_all + "have other alleles here: training mean used",
                                "1" + of_all + "match several columns equally well: left out, training mean used"}));
  EXPECT_TRUE(matching_notes(model_of({{"a", "1", "1", "G", "A"}}),
                             match_variables(model_of({{"a", "1", "1", "G", "A"}}), there).value())
                  .empty());
}

TEST(MatchVariants, SayThatNamesAreOnOneSideAlone) {
  auto model = model_of({{"a", "", "", "", ""}, {"b", "", "", "", ""}});
  model.columns = 2;
  const auto notes = [&](const Variants& there) {
    const auto matching = match_variables(model, there);
    EXPECT_TRUE(matching.ok() && matching.value().by_position);
    return matching_notes(model, matching.value());
  };
  const Variants named({{"x", "", "", "", ""}, {"y", "", "", "", ""}});
  const Variants numbered({{"1", "", "", "", ""}, {"2", "", "", "", ""}});
  EXPECT_EQ(notes(numbered).size(), 1U);
  model.has_names = false;
  EXPECT_EQ(notes(named).size(), 1U);
  EXPECT_TRUE(notes(numbered).empty());
}

TEST(Copies, AreHalvesOnYAndMitochondriaUnderAllTheirNames) {
  for (const char* one : {"Y", "24", "0Y", "chrY", "MT", "M", "0M", "26", "chrM"}) {
    EXPECT_EQ(copies_of_a_count(one), 0.5) << one;
  }
  for (const char* two : {"1", "01", "X", "0X", "23", "XY", "25", "PAR1"}) EXPECT_EQ(copies_of_a_count(two), 1) << two;
  EXPECT_TRUE(is_on_y("0Y"));
}

TEST(MatchVariants, OfPredictKnowNeitherPlacesNorTheOtherStrand) {
  const Variant own{"rs1", "1", "100", "A", "G"};
  EXPECT_EQ(only_match(own, {{"x", "1", "100", "A", "G"}}, {}).how, Match::How::absent);
  EXPECT_EQ(only_match(own, {{"rs1", "1", "100", "T", "C"}}, {}).how, Match::How::absent);
}

TEST(Scores, OnYAreOfMenAlone) {
  const std::vector<Variant> model{{"a", "24", "1", "A", "G"}, {"b", "chry", "2", "A", "G"}, {"c", "1", "3", "A", "G"}};
  const auto fitted = model_of(model);
  Variants there({{"a", "24", "1", "A", "G"}, {"b", "chry", "2", "G", "A"}, {"c", "1", "3", "A", "G"}});
  const auto matching = match_variables(fitted, there, kAll);
  ASSERT_TRUE(matching.ok());
  const auto score = [&](std::uint8_t sex, OnY on_y) {
    there.sex = {sex};
    return predict(fitted, matching.value(), there, on_y)[0];
  };
  for (const std::uint8_t sex : {std::uint8_t{0}, std::uint8_t{2}}) EXPECT_EQ(score(sex, OnY::men), 0.5) << int{sex};
  EXPECT_EQ(score(1, OnY::men), 1.5);
  EXPECT_EQ(score(2, OnY::everybody), 1.5);
}

TEST(ScoreFiles, HaveWeightsOfTheOneCopyThatAPersonHasOnYAndMt) {
  const auto model = model_of({{"a", "MT", "1", "A", "G"},
                               {"b", "chrM", "1", "A", "G"},
                               {"c", "Y", "1", "A", "G"},
                               {"d", "X", "1", "A", "G"},
                               {"e", "26", "1", "A", "G"}});
  EXPECT_EQ(plink2_weights(model), "ID\tA1\tWEIGHT\na\tA\t1\nb\tA\t1\nc\tA\t1\nd\tA\t0.5\ne\tA\t1\n");
}

TEST(ScoreFiles, NameAVariantWithoutAnIdByItsPlaceAndAlleles) {
  auto model = model_of({{".", "chr1", "100", "A", "G"}, {"rs2", "23", "0", "C", "T"}});
  model.response = "a=b c";
  const std::string text = pgs_file(model, {"", "", "GRCh38"});
  EXPECT_NE(text.find("\n1:100:G:A\t1\t100\tA\tG\t0.5\t0.125\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nrs2\tX\t0\tC\tT\t0.5\t0.125\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n#pgs_name=STRADS_a_b_c\n#trait_reported=a_b c\n"), std::string::npos) << text;
}

TEST(ScoreFiles, QuoteWhatACsvWouldSplit) {
  auto model = model_of({{"a,\"b", "1", "100", "A", "G"}});
  model.covariate_names = {"age"};
  model.covariates = {2};
  EXPECT_EQ(csv_of_model(model),
            "term,id,chromosome,position,A1,A2,coefficient,mean\nintercept,,,,,,0,\ncovariate,age,,,,,2,\n"
            "variable,\"a,\"\"b\",1,100,A,G,0.5,0.25\n");
}

}  // namespace
}  // namespace strads::lasso
