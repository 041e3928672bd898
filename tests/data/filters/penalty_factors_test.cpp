// --penalty-factors as a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strads/data/dataset.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PenaltyFactors : public ::testing::Test {
 protected:
  Result<std::shared_ptr<const Dataset>> load(const std::string& factors, const std::string& header = "a,b,c,y") {
    InputOptions options;
    options.source.x = folder_.write("x.csv", header + "\n1,2,3,4\n2,1,5,5\n0,1,1,2\n");
    options.response.y_name = "y";
    if (!factors.empty()) options.variables.penalty_factors = folder_.write("f.tsv", factors);
    return load_dataset(options);
  }
  std::string message(const std::string& factors, const std::string& header = "a,b,c,y") {
    const auto loaded = load(factors, header);
    EXPECT_FALSE(loaded.ok());
    return loaded.ok() ? "" : loaded.status().message();
  }
  test::TemporaryFolder folder_;
};

TEST_F(PenaltyFactors, AreEmptyUnlessAskedFor) {
  EXPECT_THAT(load("").value()->penalty_factors(), IsEmpty());
}

TEST_F(PenaltyFactors, GoByIdAndOthersHave1) {
  EXPECT_THAT(load("c 2.5\na 0\n").value()->penalty_factors(), ElementsAre(0, 1, 2.5));
}

TEST_F(PenaltyFactors, MayHaveAHeaderAndEmptyLines) {
  EXPECT_THAT(load("id\tfactor\n\nb\t3\n").value()->penalty_factors(), ElementsAre(1, 3, 1));
}

TEST_F(PenaltyFactors, GoByPositionWithoutIds) {
  EXPECT_THAT(load("1\n0.5\n2\n").value()->penalty_factors(), ElementsAre(1, 0.5, 2));
}

TEST_F(PenaltyFactors, OfInfinityExcludeTheColumn) {
  const auto data = load("b Inf\n").value();
  EXPECT_THAT(data->penalty_factors(), ElementsAre(1, 1, 1));
  EXPECT_THAT(data->columns().excluded, ElementsAre(0, 1, 0));
}

TEST_F(PenaltyFactors, ArePartOfTheFingerprint) {
  EXPECT_NE(load("a 2\n").value()->fingerprint(), load("").value()->fingerprint());
  EXPECT_NE(load("a 2\n").value()->fingerprint(), load("a 3\n").value()->fingerprint());
}

TEST_F(PenaltyFactors, RefuseWhatIsNoFactor) {
  EXPECT_THAT(message("a 1\nb -1\n"),
              EndsWith("f.tsv:2:3: penalty factor '-1', expected a number >= 0 (0: no penalty, "
                       "Inf: the variable takes no part), and from 1e-100 to 1e100 where it is neither"));
  EXPECT_THAT(message("a 1\nb 1e-101\n"), HasSubstr("f.tsv:2:3: penalty factor '1e-101'"));
  EXPECT_THAT(message("a 1\nb 1e101\n"), HasSubstr("f.tsv:2:3: penalty factor '1e101'"));
  EXPECT_THAT(message("a 1\nb NA\n"), HasSubstr("f.tsv:2:3: penalty factor 'NA'"));
  EXPECT_THAT(message("a 1\nb -inf\n"), HasSubstr("f.tsv:2:3: penalty factor '-inf'"));
  EXPECT_THAT(message("a 1\nb two\n"), HasSubstr("f.tsv:2:3: penalty factor 'two'"));
}

TEST_F(PenaltyFactors, RefuseAWrongNumberOfThem) {
  EXPECT_THAT(message("1\n2\n"), EndsWith("f.tsv: 2 penalty factors, expected 3, one for each column of X; lines of id "
                                          "and factor may be fewer"));
}

TEST_F(PenaltyFactors, RefuseLinesOfAnotherShape) {
  EXPECT_THAT(message("a 1\nb 2 3\n"), HasSubstr("f.tsv:2:1: 3 words, expected id and factor as in the other lines"));
  EXPECT_THAT(message("1\nb 2\n"), HasSubstr("f.tsv:2:1: 2 words, expected one factor as in the other lines"));
}

TEST_F(PenaltyFactors, RefuseCommasAlsoWhereTheFirstLineLooksLikeAHeader) {
  EXPECT_THAT(message("id,factor\na,2\n"), EndsWith("f.tsv:1:1: found 'id,factor', expected id and factor separated by "
                                                    "blanks or tabs, not commas"));
  EXPECT_THAT(message("id factor\na,2\n"), HasSubstr("f.tsv:2:1: found 'a,2'"));
}

TEST_F(PenaltyFactors, RefuseUnknownIds) {
  EXPECT_THAT(message("a 1\nz 2\n"), HasSubstr("f.tsv:2:1: variable 'z' is not in the data, expected an id as there, "
                                               "for example 'a'; variables that are not listed have factor 1"));
}

TEST_F(PenaltyFactors, RefuseAnIdThatComesTwice) {
  EXPECT_THAT(message("a 1\na 2\n"), HasSubstr("f.tsv:2:1: variable 'a' again (first in line 1)"));
}

TEST_F(PenaltyFactors, RefuseAnIdOfTwoColumns) {
  InputOptions options;  // two variants may share an id, two columns of a table may not
  options.source.bfile = folder_.path("p");
  folder_.write("p.bed", "\x6c\x1b\x01\x02\x03");
  folder_.write("p.bim", "1 a 0 1 A G\n1 a 0 2 A G\n");
  folder_.write("p.fam", "F s 0 0 1 1\nF t 0 0 1 2\n");
  options.variables.penalty_factors = folder_.write("f.tsv", "a 2\n");
  const auto loaded = load_dataset(options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message(), HasSubstr("f.tsv:1:1: variable 'a' stands for 2 columns"));
}

TEST_F(PenaltyFactors, RefuseFilesWithoutAFactorThatPenalises) {
  EXPECT_THAT(message("0\nInf\n0\n"), HasSubstr("no variable is left with a factor between 0 and Inf"));
  EXPECT_THAT(message("id factor\n"), HasSubstr("f.tsv: no penalty factors, expected lines of id and factor"));
}

}  // namespace
}  // namespace strads
