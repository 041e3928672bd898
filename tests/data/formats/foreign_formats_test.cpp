// What is said about files that are something else than they were taken for.
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

using namespace std::string_literals;

class ForeignFormats : public ::testing::Test {
 protected:
  auto x(const std::string& name, const std::string& bytes) {
    InputOptions options;
    options.source.x = folder.write(name, bytes);
    options.response.y_name = "t";
    return load_dataset(options);
  }
  auto bfile(const std::string& prefix) {
    InputOptions options;
    options.source.bfile = folder.path(prefix);
    return load_dataset(options);
  }
  TempFolder folder;
};

TEST_F(ForeignFormats, TellsAPgenFromABed) {
  EXPECT_THAT(x("g.bed", "\x6c\x1b\x01zzz"), FailsAsUsage("g.bed: is a PLINK .bed, which --x does not read; give its"));
  EXPECT_THAT(x("g.bed", "\x6c\x1b\x00zzz"s), FailsAsUsage("is a PLINK .bed"));
  EXPECT_THAT(x("g.pgen", "\x6c\x1b\x10\x02\x00\x00"s), FailsAsUsage("is a PLINK 2 .pgen, which --x does not read; "
                                                                     "give its name without .pgen to --pfile"));
}

TEST_F(ForeignFormats, NamesAVcfAlsoWhenItIsCompressed) {
  const std::string vcf = "##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\n1\t10\trs1\tA\tG\n";
  EXPECT_THAT(x("g.vcf", vcf), FailsAsUsage("g.vcf: is a VCF, which --x does not read; plink2 --vcf FILE --make-bed"));
  EXPECT_THAT(x("g.vcf.gz", gzipped(vcf)), FailsAsUsage("is a VCF"));
  EXPECT_THAT(x("g.pvar", vcf.substr(vcf.find("#CHROM"))), FailsAsUsage("is a list of variants"));
}

TEST_F(ForeignFormats, NamesOtherBinaryFiles) {
  EXPECT_THAT(x("g.bcf", "BCF\x02\x02zzz"), FailsAsUsage("is a BCF"));
  EXPECT_THAT(x("g.bgen", "\x18\0\0\0\x14\0\0\0\x02\0\0\0\x03\0\0\0bgen"s), FailsAsUsage("is a BGEN"));
  EXPECT_THAT(x("g.h5", "\x89HDF\r\n"), FailsAsUsage("is an HDF5 file"));
}

TEST_F(ForeignFormats, LeavesTablesAloneWhoseNamesLookLikeMagic) {
  EXPECT_TRUE(x("a.csv", "X\n1\n"s).status().message().find("no column 't'") != std::string::npos);
  EXPECT_TRUE(x("b.csv", "PAR1,t\n1,2\n2,3\n").ok());
  EXPECT_TRUE(x("c.csv", "abcdefghijklmn,tbgen,t\n1,2,3\n2,3,4\n").ok());
}

TEST_F(ForeignFormats, RefusesATableWhoseRowsAreVariants) {
  EXPECT_THAT(x("g.traw", "CHR\tSNP\t(C)M\tPOS\tCOUNTED\tALT\tF1_a\n1\trs1\t0\t5\tA\tG\t2\n"),
              FailsAsUsage("g.traw: is a PLINK .traw, whose rows are variants, expected a row for each sample"));
}

TEST_F(ForeignFormats, SaysThatBfileWantsWhatTheThreeNamesShare) {
  folder.write("g.fam", "F a 0 0 1 1\n");
  EXPECT_THAT(bfile("g.bed"), FailsAsUsage("g.bed: is the name of one file, expected what the three share; give "
                                           "--bfile " +
                                           folder.path("g")));
  folder.write("p.psam", "");
  EXPECT_THAT(bfile("p"), FailsAsUsage("there are PLINK 2 files (.pgen, .pvar, .psam); give --pfile"));
  EXPECT_THAT(bfile("p.pgen"), FailsAsUsage("is the name of one file, expected what the three share; give --pfile"));
  EXPECT_THAT(bfile("absent"), FailsWith("absent.fam: cannot open"));
}

TEST_F(ForeignFormats, NamesTheOptionOfAPgenWithTablesOfPlink1) {
  for (const char* file : {"q.fam", "q.bim", "q.pgen"}) folder.write(file, "");
  EXPECT_THAT(bfile("q"), FailsAsUsage("there are (.pgen, .bim, .fam); give --bpfile"));
  InputOptions options;
  options.source.pfile = folder.path("q");
  EXPECT_THAT(load_dataset(options), FailsAsUsage("there are (.pgen, .bim, .fam); give --bpfile"));
  options.source.bpfile = std::exchange(options.source.pfile, "");
  std::filesystem::rename(folder.path("q.pgen"), folder.path("q.bed"));
  EXPECT_THAT(load_dataset(options), FailsAsUsage("there are PLINK 1 files (.bed, .bim, .fam); give --bfile"));
}

/// What plink2 --export A writes.
class RawExport : public ::testing::Test {
 protected:
  RawExport() {
    options.source.x = folder.write("g.raw",
                                    "FID\tIID\tPAT\tMAT\tSEX\tPHENOTYPE\trs1_G\trs2_T\n"
                                    "F1\ta\t0\t0\t1\t1\t1\t2\nF1\tb\t0\t0\t2\t2\t2\t1\nF2\tc\t0\t0\t1\t0\t0\t1\n"
                                    "F2\td\t0\t0\t2\t-9\t0\t0\n");
  }
  TempFolder folder;
  InputOptions options;
};

TEST_F(RawExport, HasNoVariablesBesidesTheGenotypes) {
  options.response.y = folder.write("y.tsv", "FID\tIID\tt\nF1\ta\t1\nF1\tb\t2\nF2\tc\t3\nF2\td\t5\n");
  const auto set = load(options);
  EXPECT_EQ(ids(*set), (std::vector<std::string>{"rs1_G", "rs2_T"}));
  EXPECT_THAT(set->warnings(), ::testing::ElementsAre(::testing::HasSubstr(
                                   "FID, IID, PAT, MAT, SEX and PHENOTYPE are no variables and left out")));
  EXPECT_EQ(set->sample(2).individual, "c");
}

TEST_F(RawExport, HasAPhenotypeCodedAsPlinkCodesIt) {
  options.response.y_name = "PHENOTYPE";
  const auto set = load(options);
  EXPECT_EQ(response(*set), (std::vector<double>{1, 2}));
  EXPECT_EQ(dropped(*set), (std::vector<std::string>{"2 no response"}));
  EXPECT_EQ(ids(*set), (std::vector<std::string>{"rs1_G", "rs2_T"}));
  options.response.zero_is_control = true;
  EXPECT_EQ(response(*load(options)), (std::vector<double>{1, 2, 0}));
}

}  // namespace
}  // namespace strads::data
