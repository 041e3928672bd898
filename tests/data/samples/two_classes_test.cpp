// A response of two classes, as load_dataset reads it: what files may call the classes, and what it refuses.
#include "data/samples/two_classes.hpp"

#include <cmath>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Names = std::array<std::string, 2>;

class TwoClassesOfX : public ::testing::Test {
 protected:
  TwoClassesOfX() { options.response.two_classes = true; }

  // A table of X whose last column is the response: one word a row.
  void y(const std::vector<std::string>& fields) {
    std::string text = "id,a,y\n";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      text.append("s").append(number).append(",").append(number).append(",").append(fields[i]).append("\n");
    }
    options.source.x = folder.write("x.csv", text);
    options.response.y_name = "y";
    options.samples.id_column = "id";
  }
  void predict(const Names& classes) {
    options.response.required = false;
    options.response.classes = classes;
  }

  TempFolder folder;
  InputOptions options;
};

TEST_F(TwoClassesOfX, AreZeroAndOne) {
  y({"1", "-0", "NA", "1.0", "0"});
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 0, 1, 0}));
  EXPECT_EQ(set->classes(), (Names{"0", "1"}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 no response"}));
  EXPECT_THAT(set->warnings(),
              ElementsAre("response 'y': 2 controls (0), 2 cases (1); the probability of 1 is modelled"));
}

TEST_F(TwoClassesOfX, AreMinusOneAndOneWithEitherFirst) {
  for (const bool case_first : {false, true}) {
    y(case_first ? std::vector<std::string>{"+1", "-1", "-1"} : std::vector<std::string>{"-1", "-1", "1"});
    const auto set = load(options);
    EXPECT_EQ(response(*set), (case_first ? std::vector<double>{1, 0, 0} : std::vector<double>{0, 0, 1}));
    EXPECT_EQ(set->classes(), (Names{"-1", "1"}));
    EXPECT_THAT(set->warnings(),
                ElementsAre("response 'y': 2 controls (-1), 1 case (1); the probability of 1 is modelled"));
  }
}

TEST_F(TwoClassesOfX, AreOneAndTwo) {
  y({"2", "1", "2"});
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(set->classes(), (Names{"1", "2"}));
}

TEST_F(TwoClassesOfX, AreTwoWordsInAlphabeticalOrder) {
  y({"AML", "\"ALL\"", "", "AML", "nan"});
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(set->classes(), (Names{"ALL", "AML"}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 no response"}));
  EXPECT_THAT(set->warnings(), ElementsAre("response 'y': 1 'ALL', 2 'AML'; the probability of 'AML' is modelled"));
}

TEST_F(TwoClassesOfX, AreOrderedWithoutRegardToCaseAsInR) {
  const std::vector<Names> pairs{{"case", "Control"}, {"Case", "control"}, {"all", "ALL"}, {"a", "aa"}, {"A", "aa"}};
  for (const Names& pair : pairs) {
    for (const bool other_way : {false, true}) {
      y({pair[other_way ? 1 : 0], pair[other_way ? 0 : 1]});
      EXPECT_EQ(load(options)->classes(), pair);
      EXPECT_EQ(response(*load(options)), (other_way ? std::vector<double>{1, 0} : std::vector<double>{0, 1}));
    }
  }
}

TEST_F(TwoClassesOfX, AreNoOtherNumbers) {
  y({"1", "7", "NA", "3"});
  EXPECT_THAT(load_dataset(options),
              FailsWith("x.csv: response 'y' of sample 's2' is 7, expected 0 and 1, -1 and 1, 1 and 2 (1 control, 2 "
                        "case) or two words (a missing class is written NA); recode it, or fit a number with --family "
                        "gaussian"));
  y({"0", "0.5"});
  EXPECT_THAT(load_dataset(options), FailsWith("of sample 's2' is 0.5, expected"));
  y({"1", "-9"});
  EXPECT_THAT(load_dataset(options), FailsWith("of sample 's2' is -9, expected"));
}

TEST_F(TwoClassesOfX, AreNoPairOfWhichTheCaseIsUnknown) {
  for (const Names& pair : {Names{"0", "2"}, Names{"-1", "0"}, Names{"-1", "2"}}) {
    for (const bool other_way : {false, true}) {
      y({pair[other_way ? 1 : 0], pair[other_way ? 0 : 1]});
      EXPECT_THAT(load_dataset(options), FailsWith("of sample 's2' is " + pair[other_way ? 0 : 1]));
      EXPECT_THAT(load_dataset(options), FailsWith("and " + pair[other_way ? 1 : 0] + " is there too"));
    }
  }
}

TEST_F(TwoClassesOfX, AreNotThree) {
  y({"1", "0", "1", "2"});
  EXPECT_THAT(load_dataset(options),
              FailsWith("x.csv: response 'y' has a third class: sample 's4' is 2, others are 1 and 0; expected two"));
  y({"b", "a", "c"});
  EXPECT_THAT(load_dataset(options), FailsWith("a third class: sample 's3' is 'c', others are 'b' and 'a'"));
}

TEST_F(TwoClassesOfX, AreNotNumbersAmongWords) {
  for (const std::string number : {"1", "inf"}) {
    y({"case", number, "case"});
    EXPECT_THAT(load_dataset(options), FailsWith("of sample 's2' is '" + number + "', expected a word"));
  }
}

TEST_F(TwoClassesOfX, AreNotInfinite) {
  y({"1", "inf"});
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv:3:6: number 'inf' is infinite"));
}

TEST_F(TwoClassesOfX, AreNotOne) {
  y({"1", "1", "NA"});
  EXPECT_THAT(load_dataset(options),
              FailsWith("x.csv: response 'y': all 2 samples are of class 1, expected samples of two classes"));
  y({"ALL"});
  EXPECT_THAT(load_dataset(options), FailsWith("the one sample is of class 'ALL'"));
}

TEST_F(TwoClassesOfX, AreThoseOfTheSamplesThatTakePart) {
  y({"1", "0", "2", "1"});
  options.samples.keep = folder.write("keep", "s1\ns2\ns4\n");
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 0, 1}));
  y({"b", "a", "c", "a"});
  EXPECT_EQ(load(options)->classes(), (Names{"a", "b"}));
  y({"1", "0", "unknown", "0"});
  EXPECT_EQ(load(options)->classes(), (Names{"0", "1"})) << "what is left are numbers";
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 0, 0}));
  y({"1", "0", "unknown", "1e999"});
  EXPECT_THAT(load_dataset(options), FailsWith("of sample 's1' is '1', expected a word")) << "1e999 is no number";
  y({"1", "0", "unknown", "0"});
  options.samples.keep = folder.write("keep", "s2\ns4\n");
  EXPECT_THAT(load_dataset(options), FailsWith("all 2 samples are of class 0"));
}

TEST_F(TwoClassesOfX, AreCountedWithoutSamplesOfWeightZero) {
  y({"1", "0", "1"});
  options.response.weights = folder.write("w", "w\n1\n0\n1\n");
  EXPECT_THAT(load_dataset(options), FailsWith("all 2 samples are of class 1"));
  options.response.weights = folder.write("w", "w\n1\n1\n0\n");
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 0}));
}

TEST_F(TwoClassesOfX, ComeFromATableMatchedByName) {
  y({"x", "x", "x"});
  options.source.x = folder.write("x.csv", "id,a\ns1,1\ns2,2\ns3,3\n");
  options.response.y = folder.write("y.csv", "id,other,type\ns3,1,AML\ns9,1,CML\ns1,1,ALL\n");
  options.response.y_name = "type";
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{0, 1}));
  EXPECT_EQ(set->classes(), (Names{"ALL", "AML"})) << "s9 is not in X";
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"1 not in the response table"}));
  options.response.y = folder.write("y.csv", "id,type\ns3,5\ns1,1\n");
  EXPECT_THAT(load_dataset(options), FailsWith("y.csv: response 'type' of sample 's3' is 5"));
}

TEST_F(TwoClassesOfX, ComeFromVectorsAndAreNamedByRow) {
  options.source.x = folder.write("x.npy", npy("<f8", true, "(3, 1)", raw<double>({1, 2, 3})));
  options.response.y = folder.write("y.npy", npy("|b1", false, "(3,)", std::string("\1\0\1", 3)));
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 0, 1}));
  options.response.y = folder.write("y.npy", npy("<f8", false, "(3,)", raw<double>({1, -1, NAN})));
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 0, 0}));
  EXPECT_THAT(set->columns().dropped_rows, ElementsAre(2));
  EXPECT_EQ(set->classes(), (Names{"-1", "1"}));
  options.response.y = folder.write("y.npy", npy("<f8", false, "(3,)", raw<double>({1, 0, 4})));
  EXPECT_THAT(load_dataset(options), FailsWith("y.npy: response 'y' of row 3 is 4, expected"));
}

TEST_F(TwoClassesOfX, ComeFromLabelsOfLibsvm) {
  options.source.x = folder.write("x", "+1 1:1\n# nothing\n-1 1:2\nNA 1:3\n-1 1:4\n");
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(set->classes(), (Names{"-1", "1"}));
  options.source.x = folder.write("x", "+1 1:1\n3 1:2\n");
  EXPECT_THAT(load_dataset(options), FailsWith("x: response 'label' of row 2 is 3, expected"));
}

TEST_F(TwoClassesOfX, AreFoundForEachOfSeveralResponses) {
  options.source.x = folder.write("x.csv", "a,s,t,u\n1,AML,2,1\n2,ALL,1,0\n3,AML,NA,1\n");
  const auto sets = load_datasets(options, std::vector<std::string>{"s", "t", "u"});
  ASSERT_TRUE(sets.ok()) << sets.status().message();
  EXPECT_EQ(sets.value()[0]->classes(), (Names{"ALL", "AML"}));
  EXPECT_EQ(sets.value()[1]->classes(), (Names{"1", "2"}));
  EXPECT_EQ(sets.value()[2]->classes(), (Names{"0", "1"})) << "it shares the columns of the first";
  EXPECT_EQ(response(*sets.value()[0]), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(response(*sets.value()[1]), (std::vector<double>{1, 0}));
  EXPECT_EQ(response(*sets.value()[2]), (std::vector<double>{1, 0, 1}));
  EXPECT_THAT(sets.value()[1]->warnings(), ElementsAre(::testing::StartsWith("response 't': 1 control (1), 1 case")));
  options.source.x = folder.write("x.csv", "a,s,t\n1,AML,2\n2,ALL,3\n");
  EXPECT_THAT(load_datasets(options, std::vector<std::string>{"s", "t"}), FailsWith("response 't': "));
}

TEST_F(TwoClassesOfX, AreNumbersAndTextWhereNobodyAsksForClasses) {
  options.response.two_classes = false;
  y({"1", "2", "1"});
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(load(options)->classes(), (Names{}));
  EXPECT_THAT(load(options)->warnings(), IsEmpty());
  y({"ALL", "AML"});
  EXPECT_THAT(load_dataset(options), FailsWith("text 'ALL', expected a number"));
}

TEST_F(TwoClassesOfX, AreCodedAsTheModelNamesThem) {
  predict({"ALL", "AML"});
  y({"AML", "NA", "AML"});
  const auto set = load(options);
  ASSERT_EQ(set->response().size(), 3u);
  EXPECT_EQ(set->response()[0], 1) << "although it is the only one";
  EXPECT_TRUE(std::isnan(set->response()[1]));
  EXPECT_EQ(set->classes(), (Names{"ALL", "AML"}));
  EXPECT_THAT(set->warnings(), IsEmpty());
  EXPECT_THAT(dropped(*set), IsEmpty());
  y({"ALL", "CML"});
  EXPECT_THAT(load_dataset(options), FailsWith("of sample 's2' is 'CML', expected 'ALL' or 'AML', the classes of the "
                                               "model"));
  y({"0", "1"});
  EXPECT_THAT(load_dataset(options), FailsWith("of sample 's1' is 0, expected 'ALL' or 'AML'"));
}

TEST_F(TwoClassesOfX, AreTheNumbersThatTheModelKnowsAndNoOthers) {
  predict({"1", "2"});
  y({"1", "1.0"});
  EXPECT_EQ(response(*load(options)), (std::vector<double>{0, 0}));
  y({"0", "1"});
  EXPECT_THAT(load_dataset(options), FailsWith("of sample 's1' is 0, expected '1' or '2'"));
  options.response.classes = {"0", "1"};
  EXPECT_EQ(response(*load(options)), (std::vector<double>{0, 1}));
  y({"case", "1"});
  EXPECT_THAT(load_dataset(options), FailsWith("of sample 's1' is 'case', expected '0' or '1'"));
}

TEST_F(TwoClassesOfX, AreRefusedWhereOneAloneDoesNotTellWhichItIs) {
  predict({});
  y({"1", "NA"});
  EXPECT_THAT(load_dataset(options), FailsWith("the one sample is of class 1"));
  y({"NA", "NA"});
  EXPECT_EQ(load(options)->classes(), (Names{}));
  EXPECT_TRUE(std::isnan(load(options)->response()[0]));
}

TEST_F(TwoClassesOfX, AreLeftOutWhereLabelsThatNobodyKnowsHaveToStand) {
  predict({"-1", "1"});
  options.source.x = folder.write("x", "0 1:1\n0 1:2\n");
  const auto set = load(options);
  EXPECT_TRUE(set->response().empty());
  EXPECT_EQ(set->classes(), (Names{}));
  EXPECT_THAT(set->warnings(),
              ElementsAre(::testing::HasSubstr("response 'label' of row 1 is 0, expected '-1' or '1'")));
  options.source.x = folder.write("x", "1 1:1\n1 1:2\n");
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 1}));
  options.response.required = true;
  options.source.x = folder.write("x", "0 1:1\n-1 1:2\n");
  EXPECT_THAT(load_dataset(options), FailsWith("of row 1 is 0"));
}

class TwoClassesOfPlink : public ::testing::Test {
 protected:
  TwoClassesOfPlink() {
    folder.write("x.bed",
                 "\x6c\x1b\x01"
                 "ab");
    folder.write("x.bim", "1 rs1 0 10 A G\n");
    options.source.bfile = folder.path("x");
    options.response.two_classes = true;
  }
  // Column 6 of five samples.
  void fam(const std::vector<std::string>& column) {
    const std::vector<std::string> names{"F1 a", "F1 b", "F2 a", "F2 c", "F3 d"};
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text.append(names[i]).append(" 0 0 1 ").append(column[i]) += '\n';
    folder.write("x.fam", text);
  }

  TempFolder folder;
  InputOptions options;
};

TEST_F(TwoClassesOfPlink, AreOneAndTwoOfTheFamAndZeroIsMissing) {
  fam({"1", "2", "-9", "0", "2"});
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{0, 1, 0, 0, 1}));
  EXPECT_THAT(set->columns().dropped_rows, ElementsAre(2, 3));
  EXPECT_EQ(set->classes(), (Names{"1", "2"}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 no phenotype"}));
  EXPECT_THAT(set->warnings(), ElementsAre("phenotype 'phenotype': 1 control (1), 2 cases (2); the probability of 2 is "
                                           "modelled; 0 is missing: 1 sample"));
}

TEST_F(TwoClassesOfPlink, AreZeroAndOneWhereThereIsNoTwo) {
  fam({"1", "0", "NA", "0", "1"});
  for (const bool zero_is_control : {false, true}) {
    options.response.zero_is_control = zero_is_control;
    EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 0, 0, 0, 1}));
    EXPECT_EQ(load(options)->classes(), (Names{"0", "1"}));
  }
}

TEST_F(TwoClassesOfPlink, AreNothingButZeroAndOneWhereZeroIsAControl) {
  options.response.zero_is_control = true;
  for (const auto& column : {std::vector<std::string>{"1", "2", "-9", "0", "2"}, {"1", "2", "1", "1", "2"}}) {
    fam(column);
    EXPECT_THAT(load_dataset(options), FailsWith("x.fam: response 'phenotype' of sample 'b' is 2, expected 0 (control) "
                                                 "or 1 (case), since --1 is given"));
  }
}

TEST_F(TwoClassesOfPlink, AreWordsInTheFamToo) {
  fam({"sick", "well", "-9", "NA", "sick"});
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{0, 1, 0, 0, 0}));
  EXPECT_EQ(set->classes(), (Names{"sick", "well"}));
  fam({"sick", "well", "dead", "sick", "well"});
  options.samples.keep = folder.write("keep", "F1 a\nF1 b\nF2 c\nF3 d\n");
  EXPECT_EQ(response(*load(options)), (std::vector<double>{0, 1, 0, 0, 1})) << "three words are no 0, 1 and 2";
  options.response.two_classes = false;
  EXPECT_THAT(load_dataset(options), FailsWith("x.fam:1:12: phenotype is text 'sick'"));
}

TEST_F(TwoClassesOfPlink, ComeFromAPhenotypeTable) {
  fam({"1", "1", "1", "1", "1"});
  options.response.pheno =
      folder.write("pheno", "FID IID q cc type\nF1 a 1.5 2 x\nF1 b 2 1 y\nF2 a 0 0 -9\nF3 d 1 -9 y\n");
  options.response.pheno_name = "cc";
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 0, 0, 0, 0}));
  options.response.pheno_name = "type";
  const auto words = load(options);
  EXPECT_EQ(response(*words), (std::vector<double>{0, 1, 0, 0, 1}));
  EXPECT_EQ(dropped(*words), (std::vector<std::string>{"1 not in the phenotype table", "1 no phenotype"}));
  EXPECT_THAT(words->warnings(), ElementsAre("phenotype 'type': 1 'x', 2 'y'; the probability of 'y' is modelled"));
  options.response.pheno_name = "q";
  EXPECT_THAT(load_dataset(options), FailsWith("pheno: response 'q' of sample 'a' is 1.5"));
}

TEST_F(TwoClassesOfPlink, HaveZerosThatAreMissingForAModelOfOneAndTwo) {
  options.response.required = false;
  options.response.classes = {"1", "2"};
  fam({"1", "0", "1", "-9", "1"});
  const auto set = load(options);
  EXPECT_EQ(set->classes(), (Names{"1", "2"}));
  EXPECT_EQ(set->response()[0], 0);
  EXPECT_TRUE(std::isnan(set->response()[1]));
  EXPECT_TRUE(std::isnan(set->response()[3]));
}

TEST_F(TwoClassesOfPlink, AreLeftOutOfAFamThatHasOthersThanTheModel) {
  options.response.required = false;
  options.response.classes = {"0", "1"};
  fam({"1", "2", "1", "2", "1"});
  const auto set = load(options);
  EXPECT_TRUE(set->response().empty());
  EXPECT_THAT(set->warnings(), ElementsAre(::testing::HasSubstr("of sample 'b' is 2, expected '0' or '1'")));
}

TEST_F(TwoClassesOfPlink, ComeFromThePhenotypeOfARaw) {
  options.source.bfile.clear();
  options.source.x = folder.write("x.raw",
                                  "FID IID PAT MAT SEX PHENOTYPE rs1_A\nF a 0 0 1 2 1\nF b 0 0 1 1 0\nF c 0 0 1 -9 2\n"
                                  "F d 0 0 1 0 2\n");
  options.response.y_name = "PHENOTYPE";
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 0}));
  EXPECT_EQ(load(options)->classes(), (Names{"1", "2"}));
}

TEST_F(TwoClassesOfPlink, CountInTheFingerprintByTheirCodesAlone) {
  fam({"1", "2", "1", "2", "1"});
  const std::uint64_t codes = load(options)->fingerprint();
  fam({"0", "1", "0", "1", "0"});
  EXPECT_EQ(load(options)->fingerprint(), codes);
  fam({"0", "1", "0", "1", "1"});
  EXPECT_NE(load(options)->fingerprint(), codes);
}

}  // namespace
}  // namespace strads::data
