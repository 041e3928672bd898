// --keep and --remove: which words of a line are ids.
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

class SampleLists : public ::testing::Test {
 protected:
  SampleLists() {
    folder.write("x.bed",
                 "\x6c\x1b\x01"
                 "a");
    folder.write("x.bim", "1 rs1 0 10 A G\n");
    families("F1 a", "F2 b", "F3 c", "F3 d");
    options.source.bfile = folder.path("x");
  }
  void families(const std::string& a, const std::string& b, const std::string& c, const std::string& d) {
    std::string fam;
    int response = 1;
    for (const std::string& one : {a, b, c, d}) fam += one + " 0 0 1 " + std::to_string(response++) + "\n";
    folder.write("x.fam", fam);
  }
  std::vector<double> kept(const std::string& list) {
    options.samples.keep = folder.write("keep", list);
    const auto set = load(options);
    std::vector<double> out;
    for (const double value : set == nullptr ? std::vector<double>{} : response(*set)) {
      if (value != 0) out.push_back(value);
    }
    return out;
  }
  auto fails(const std::string& list) {
    options.samples.keep = folder.write("keep", list);
    return load_dataset(options);
  }

  TempFolder folder;
  InputOptions options;
};

using Kept = std::vector<double>;

TEST_F(SampleLists, HaveTheirColumnsWhereAHeaderSaysSo) {
  EXPECT_EQ(kept("#FID IID\nF1 a\nF3 c\n"), (Kept{1, 3}));
  EXPECT_EQ(kept("IID FID\na F1\nc F3\n"), (Kept{1, 3}));
  EXPECT_EQ(kept("#IID SEX\na 1\nc 2\n"), (Kept{1, 3})) << "one id and something else";
  EXPECT_EQ(kept("IID\na\n"), (Kept{1}));
  EXPECT_THAT(fails("IID FID\na\n"), FailsWith("keep:2:1: 1 words, expected 2"));
}

TEST_F(SampleLists, TakeOtherColumnsBehindFamilyAndId) {
  EXPECT_EQ(kept("F1 a 0 0 1 1\nF3 d a b 1 1\n"), (Kept{1, 4}));
}

TEST_F(SampleLists, RefuseSeveralSamplesOnALine) {
  EXPECT_THAT(fails("a b c\n"), FailsWith("keep:1:1: 'a' and 'b' are ids of two samples"));
  EXPECT_THAT(fails("F1 a F2 b\n"), FailsWith("keep:1:1: several samples on a line"));
  options.samples.remove = folder.write("remove", "a b\n");
  options.samples.keep.clear();
  EXPECT_THAT(load_dataset(options), FailsWith("remove:1:1: 'a' and 'b'"));
}

TEST_F(SampleLists, TakeAFamilyForOneWhereItsNameIsThatOfASample) {
  families("a a", "a b", "c c", "c d");
  EXPECT_EQ(kept("a b\nc c\n"), (Kept{2, 3}));
}

TEST_F(SampleLists, RefuseQuotesAndCommas) {
  EXPECT_THAT(fails("\"x\"\n\"1\" \"a\"\n"), FailsWith("quote = FALSE"));
  options.samples.keep.clear();
  options.samples.remove = folder.write("remove", "F1,a\n");
  EXPECT_THAT(load_dataset(options), FailsWith("not by commas"));
}

}  // namespace
}  // namespace strads::data
