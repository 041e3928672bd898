// --split: who trains, validates and tests.
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<SamplePart> parts(const Dataset& set) {
  return {set.split().begin(), set.split().end()};
}

constexpr SamplePart kNoPart = SamplePart::none, kTrain = SamplePart::train, kVal = SamplePart::validate,
                     kTest = SamplePart::test;

class Splits : public ::testing::Test {
 protected:
  Splits() {
    folder.write("x.bed",
                 "\x6c\x1b\x01"
                 "ab");
    folder.write("x.bim", "1 rs1 0 10 A G\n");
    folder.write("x.fam", "F1 a 0 0 1 5\nF1 b 0 0 1 6\nF2 a 0 0 2 -9\nF2 c 0 0 2 4\nF3 d 0 0 1 1\n");
    options.source.bfile = folder.path("x");
  }
  // In place of the PLINK files: a table without ids.
  void table(const std::string& text) {
    options.source.bfile.clear();
    options.source.x = folder.write("x.csv", text);
    options.response.y_name = "t";
  }
  void split(const std::string& text) { options.samples.split = folder.write("split", text); }

  TempFolder folder;
  InputOptions options;
};

TEST_F(Splits, AreNoneWhereNobodyAsks) {
  EXPECT_TRUE(load(options)->split().empty());
}

TEST_F(Splits, MatchByNameAndLeaveOthersOutWithTheReason) {
  split("FID IID other split\nF2 c 1 val\nF1 b 2 train\nF2 a 3 test\nF1 a 4 train\n");
  options.samples.split_name = "split";
  const auto set = load(options);
  EXPECT_EQ(parts(*set), (std::vector<SamplePart>{kTrain, kTrain, kNoPart, kVal, kNoPart}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 no phenotype", "1 not in the split table"}));
  EXPECT_THAT(set->files(), testing::Contains(options.samples.split));
}

TEST_F(Splits, PairByPositionAndAreCompactedWithParsedColumns) {
  table("a,t\n1,1\n2,NA\n3,3\n4,4\n5,5\n6,6\n");
  split("part\ntrain\ntrain\nNA\ntest\nval\ntrain\n");
  const auto set = load(options);
  EXPECT_EQ(parts(*set), (std::vector<SamplePart>{kTrain, kTest, kVal, kTrain}));
  EXPECT_EQ(matrix(*set), (Rows{{1}, {4}, {5}, {6}}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 no response", "1 no part in the split (NA)"}));
}

TEST_F(Splits, LetOnlyThoseWhoTrainSayWhatAMissingValueCountsAs) {
  table("a,b,t\n1,NA,1\n2,NA,2\nNA,3,3\n100,5,4\n200,7,5\n");
  split("part\ntrain\ntrain\ntrain\nval\ntest\n");
  options.source.missing_mean = true;
  // Of a 1.5, the mean of 1 and 2; of b 3, which one of them has.
  EXPECT_EQ(matrix(*load(options)), (Rows{{1, 3}, {2, 3}, {1.5, 3}, {100, 5}, {200, 7}}));
  table("a,b,t\n1,NA,1\n2,NA,2\n3,NA,3\n100,5,4\n200,7,5\n");
  EXPECT_EQ(matrix(*load(options)), (Rows{{1, 0}, {2, 0}, {3, 0}, {100, 5}, {200, 7}}));
}

TEST_F(Splits, RefuseOtherWordsWithTheSample) {
  split("FID IID split\nF1 a train\nF1 b training\nF2 c val\n");
  EXPECT_THAT(load_dataset(options).status().message(),
              HasSubstr("split: column 'split' of sample 'b' is 'training', expected train, val, test "
                        "or NA"));
  split("FID IID split\nF1 a 1\nF1 b 2\nF2 c 3\n");
  EXPECT_THAT(load_dataset(options).status().message(),
              HasSubstr("of sample 'a' is 1, expected train, val, test or NA"));
}

TEST_F(Splits, RefuseOneWithoutPeopleWhoTrainOrValidate) {
  split("FID IID split\nF1 a train\nF1 b train\nF2 a val\n");
  EXPECT_THAT(load_dataset(options).status().message(),
              HasSubstr("2 are train, 0 val and 0 test, expected at least two to train and one to "
                        "validate"));
  split("FID IID split\nF1 a train\nF1 b val\n");
  EXPECT_THAT(load_dataset(options).status().message(), HasSubstr("1 are train, 1 val"));
}

}  // namespace
}  // namespace strads::data
