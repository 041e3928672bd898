// docs/FORMATS.md, "What other programs write": every row of that table is a case here, and the table is this list.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include "data/fixtures.hpp"
#include "data/zipped_arrays.hpp"

namespace strads::data {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Genotypes of three people at two variants, a table X of two columns, and what a case writes beside them.
class Desk {
 public:
  Desk() {
    folder.write("p.bed", "\x6c\x1b\x01\x38\x2c");
    folder.write("p.bim", "1\trs1\t0\t100\tA\tG\n1\trs2\t0\t200\tC\tT\n");
    folder.write("p.fam", "F1 s1 0 0 1 1.5\nF2 s2 0 0 2 2.5\nF3 s3 0 0 1 4\n");
    folder.write("x.csv", "id,a,b\ns1,1,2\ns2,0,1\ns3,2,5\n");
  }
  InputOptions genotypes() const {
    InputOptions options;
    options.source.bfile = folder.path("p");
    return options;
  }
  InputOptions with_pheno(const std::string& text) const {
    InputOptions options = genotypes();
    options.response.pheno = folder.write("pheno", text);
    return options;
  }
  InputOptions with_covar(const std::string& text) const {
    InputOptions options = genotypes();
    options.response.covar = folder.write("covar", text);
    return options;
  }
  InputOptions with_y(const std::string& text) const {
    InputOptions options;
    options.source.x = folder.write("two.csv", "a,b\n1,2\n0,1\n2,5\n");
    options.response.y = folder.write("y", text);
    return options;
  }
  InputOptions with_x(const std::string& bytes) const {
    InputOptions options;
    options.source.x = folder.write("x", bytes);
    options.response.y = folder.write("y.csv", "y\n1\n2\n4\n");
    return options;
  }
  TempFolder folder;
};

struct ForeignFile {
  std::string program, writes, outcome;  // as the document has them
  std::function<void(const Desk&)> check;
};

void reads(const InputOptions& options, const std::vector<double>& expected) {
  const auto set = load(options);
  EXPECT_EQ(set == nullptr ? std::vector<double>() : response(*set), expected);
}
void has_covariates(const InputOptions& options, const Rows& expected) {
  const auto set = load(options);
  EXPECT_EQ(set == nullptr ? Rows() : set->covariates(), expected);
}
void has_matrix(const InputOptions& options, const Rows& expected) {
  const auto set = load(options);
  EXPECT_EQ(set == nullptr ? Rows() : matrix(*set), expected);
}
void refuses(const InputOptions& options, const std::string& what) {
  const auto loaded = load_dataset(options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message(), HasSubstr(what));
  EXPECT_THAT(loaded.status().code(), AnyOf(StatusCode::input, StatusCode::usage));
}

const std::vector<double> kThreeHeights{1.5, 2.5, 4};

std::vector<ForeignFile> of_plink() {
  return {
      {"plink2 `--make-bed`, `--make-pgen`", "`.bim`, `.fam`; `.pvar`, `.psam`", "read",
       [](const Desk& desk) {
         reads(desk.genotypes(), kThreeHeights);
         desk.folder.write("p.pvar", "#CHROM\tPOS\tID\tREF\tALT\n1\t100\trs1\tG\tA\n1\t200\trs2\tT\tC\n");
         desk.folder.write("p.psam", "#FID\tIID\tSEX\tPHENO1\nF1\ts1\t1\t1.5\nF2\ts2\t2\t2.5\nF3\ts3\t1\t4\n");
         std::filesystem::copy(desk.folder.path("p.bed"), desk.folder.path("p.pgen"));
         InputOptions options;
         options.source.pfile = desk.folder.path("p");
         reads(options, kThreeHeights);
       }},
      {"plink2 `--output-chr 0M`, `chrM`, `26`", "`01`, `0X`, `chrX`, `23`", "one chromosome under all its names",
       [](const Desk& desk) {
         desk.folder.write("p.bim", "01\trs1\t0\t100\tA\tG\n0X\trs2\t0\t200\tC\tT\n");
         InputOptions options = desk.genotypes();
         options.variables.chromosomes = {"23"};
         EXPECT_EQ(load(options)->columns().excluded[0], 1);
         EXPECT_EQ(load(options)->columns().excluded[1], 0);
       }},
      {"plink2", "negative positions in a `.bim` or `.pvar`", "left out and counted, as plink2 does",
       [](const Desk& desk) {
         desk.folder.write("p.bim", "1\trs1\t0\t-100\tA\tG\n1\trs2\t0\t200\tC\tT\n");
         const auto set = load(desk.genotypes());
         ASSERT_EQ(set->dropped_variables().size(), 1U);
         EXPECT_EQ(set->dropped_variables()[0].count, 1U);
         EXPECT_EQ(set->columns().excluded[0], 1);
       }},
      {"plink2 `--write-covar`, `--pca`, `--export A`", "`#FID IID ...`; a `.raw`", "read",
       [](const Desk& desk) {
         has_covariates(desk.with_covar("#FID\tIID\tage\nF1\ts1\t30\nF2\ts2\t40\nF3\ts3\t50\n"), {{30, 40, 50}});
         InputOptions options;
         options.source.x = desk.folder.write("p.raw",
                                              "FID\tIID\tPAT\tMAT\tSEX\tPHENOTYPE\trs1_A\nF1\ts1\t0\t0\t1\t1.5\t0\n"
                                              "F2\ts2\t0\t0\t2\t2.5\t2\nF3\ts3\t0\t0\t1\t4\t1\n");
         options.response.y_name = "PHENOTYPE";
         reads(options, kThreeHeights);
         has_matrix(options, {{0}, {2}, {1}});
       }},
      {"plink 1.9 `--pca`, GCTA `.phen`", "FID, IID and numbers without a header",
       "read; columns are `PHENO1`, ... or `COVAR1`, ..., with a note",
       [](const Desk& desk) {
         reads(desk.with_pheno("F1 s1 1.5 7\nF2 s2 2.5 8\nF3 s3 4 9\n"), kThreeHeights);
         has_covariates(desk.with_covar("F1 s1 30 -9\nF2 s2 40 1\nF3 s3 50 2\n"), {{0, 40, 50}, {0, 1, 2}});
         const auto set = load(desk.with_pheno("F1 s1 1.5\nF2 s2 2.5\nF3 s3 4\n"));
         EXPECT_EQ(set->response_name(), "PHENO1");
         EXPECT_THAT(set->warnings(), ::testing::Contains(HasSubstr("has no header")));
       }},
      {"plink2 `--write-snplist`, `--write-samples`", "ids; `#FID IID`",
       "read; `--extract` also takes several ids on a line",
       [](const Desk& desk) {
         InputOptions options = desk.genotypes();
         options.variables.extract = desk.folder.write("snps", "rs1 rs2\n");
         options.samples.keep = desk.folder.write("people", "#FID\tIID\nF1\ts1\nF3\ts3\n");
         EXPECT_EQ(load(options)->columns().samples(), 2U);
         EXPECT_THAT(load(options)->columns().excluded, ::testing::ElementsAre(0, 0));
       }},
      {"plink2 `--export A-transpose`, `--export vcf`", "a row for each variant", "refused, with the command",
       [](const Desk& desk) {
         refuses(desk.with_x("CHR\tSNP\t(C)M\tPOS\tCOUNTED\tALT\tF1_s1\n1\trs1\t0\t1\tA\tG\t1\n"), "plink2 --export A");
         refuses(desk.with_x("##fileformat=VCFv4.3\n"), "plink2 --vcf FILE --make-bed");
       }},
      {"regenie's inputs", "`FID IID Y1 Y2`, blanks, `NA`", "read",
       [](const Desk& desk) {
         reads(desk.with_pheno("FID IID Y1 Y2\nF1 s1 1.5 1\nF2 s2 2.5 NA\nF3 s3 4 1\n"), kThreeHeights);
       }},
      {"regenie `--step 1`", "`.loco`: `FID_IID` and a column for each sample", "refused: samples are rows",
       [](const Desk& desk) { refuses(desk.with_pheno("FID_IID F1_s1 F2_s2\n1 0.1 0.2\n"), "expected a column IID"); }},
  };
}

std::vector<ForeignFile> of_r() {
  return {
      {"R `write.table(d)`", "row names without a name in the header, quotes", "refused: `row.names = FALSE`",
       [](const Desk& desk) {
         refuses(desk.with_x("\"a\" \"b\"\n\"1\" 1 2\n\"2\" 3 4\n\"3\" 5 6\n"), "row.names = FALSE");
       }},
      {"R `write.csv(d)`", "row names under an empty name", "refused: `row.names=FALSE`",
       [](const Desk& desk) {
         refuses(desk.with_x("\"\",\"a\",\"b\"\n\"1\",1,2\n\"2\",3,4\n"), "x:1:1: column 1 has no name");
       }},
      {"R, both with `row.names = FALSE`", "quoted names and texts, `NA`, `1e+05`", "read",
       [](const Desk& desk) {
         InputOptions options = desk.with_x("\"id\",\"a\"\n\"s1\",1\n\"s2\",1e+05\n\"s3\",3\n");
         options.samples.id_column = "id";
         has_matrix(options, {{1}, {100000}, {3}});
         reads(desk.with_pheno("\"FID\" \"IID\" \"height\"\n\"F1\" \"s1\" 1.5\n\"F2\" \"s2\" NA\n\"F3\" \"s3\" 4\n"),
               {1.5, 0, 4});
       }},
      {"R `write.csv2(d, row.names = FALSE)`", "semicolons and decimal commas",
       "semicolons are read, decimal commas refused",
       [](const Desk& desk) {
         has_matrix(desk.with_x("\"a\";\"b\"\n1;2\n3;4\n5;6\n"), {{1, 2}, {3, 4}, {5, 6}});
         refuses(desk.with_x("\"a\";\"b\"\n1,5;2\n3;4\n5;6\n"),
                 "x:2:1: text '1,5', expected a number (with a decimal point");
       }},
      {"R `write.table`", "position 100000 of a `.bim` as `1e+05`", "refused: `scipen`",
       [](const Desk& desk) {
         desk.folder.write("p.bim", "1\trs1\t0\t1e+05\tA\tG\n1\trs2\t0\t200\tC\tT\n");
         refuses(desk.genotypes(), "p.bim:1:9: position '1e+05'");
         refuses(desk.genotypes(), "scipen");
       }},
      {"R `write.table(ids)`", "quoted ids with row names", "refused: `quote = FALSE`; `writeLines(ids)` is read",
       [](const Desk& desk) {
         InputOptions options = desk.genotypes();
         options.variables.exclude = desk.folder.write("snps", "\"x\"\n\"1\" \"rs1\"\n");
         refuses(options, "quote = FALSE");
         options.variables.exclude = desk.folder.write("snps", "rs1\n");
         EXPECT_EQ(load(options)->columns().excluded[0], 1);
       }},
      {"R, pandas, polars", "`TRUE`, `True`, `true`", "refused: 1 and 0",
       [](const Desk& desk) {
         refuses(desk.with_x("a,b\n1,TRUE\n2,FALSE\n3,TRUE\n"), "x:2:3: text 'TRUE', expected a number (true and");
       }},
      {"readr `write_csv`, data.table `fwrite`", "commas, `NA` or nothing", "read; `...1` of row names is refused",
       [](const Desk& desk) {
         reads(desk.with_y("y,z\n1.5,a\n2.5,b\n4,c\n"), kThreeHeights);
         reads(desk.with_y("y,z\n1.5,a\n,b\n4,c\n"), {1.5, 4});
         refuses(desk.with_x("...1,a\n1,5\n2,6\n3,7\n"), "'...1', holds ids or row numbers");
       }},
  };
}

std::vector<ForeignFile> of_python() {
  return {
      {"pandas `to_csv(f)`", "the index under an empty name", "refused: `index=False`",
       [](const Desk& desk) { refuses(desk.with_x(",a,b\n0,1,2\n1,3,4\n"), "index=False"); }},
      {"pandas, read and written again", "`Unnamed: 0`", "refused in X and as a response, no covariate",
       [](const Desk& desk) {
         refuses(desk.with_x("Unnamed: 0,a\n0,5\n1,6\n2,7\n"), "'Unnamed: 0', holds ids or row numbers");
         refuses(desk.with_y("Unnamed: 0,y\n0,5\n1,6\n2,7\n"), "name the column with --y-name (for example y)");
         has_covariates(desk.with_covar("Unnamed: 0,FID,IID,age\n0,F1,s1,30\n1,F2,s2,40\n2,F3,s3,50\n"),
                        {{30, 40, 50}});
       }},
      {"pandas `to_csv(f, index=False)`, polars `write_csv`",
       "commas, nothing for a missing value, quotes where needed", "read",
       [](const Desk& desk) {
         reads(desk.with_y("y,\"a, b\"\n1.5,x\n,y\n4.0,z\n"), {1.5, 4});
         InputOptions options = desk.with_x("a,b\n1,\n2,3\n3,5\n");
         options.source.missing_mean = true;
         has_matrix(options, {{1, 4}, {2, 3}, {3, 5}});
       }},
      {"pandas without names of columns", "`0,1,2`", "read",
       [](const Desk& desk) {
         has_matrix(desk.with_x("0,1,2\n1,2,3\n4,5,6\n7,8,9\n"), {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
       }},
      {"any", "`id,y` given to `--y`", "refused: `--y-name`, `--id-column`; matched by `--id-column id`",
       [](const Desk& desk) {
         refuses(desk.with_y("id,y\n1,1.5\n2,2.5\n3,4\n"), "--id-column id");
         refuses(desk.with_y("number,y\n1,1.5\n2,2.5\n3,4\n"), "'number', holds ids or row numbers");
         InputOptions options = desk.with_y("id,y\ns3,4\ns1,1.5\ns2,2.5\n");
         options.source.x = desk.folder.path("x.csv");
         options.samples.id_column = "id";
         reads(options, kThreeHeights);
       }},
      {"any", "`IID FID height`, in any order", "FID and IID are ids wherever they stand",
       [](const Desk& desk) {
         reads(desk.with_pheno("IID\tFID\theight\ns1\tF1\t1.5\ns2\tF2\t2.5\ns3\tF3\t4\n"), kThreeHeights);
         has_covariates(desk.with_covar("age IID x FID\n30 s1 1 F1\n40 s2 2 F2\n50 s3 3 F3\n"),
                        {{30, 40, 50}, {1, 2, 3}});
         InputOptions options = desk.with_pheno("IID\tFID\theight\ns1\tF1\t1.5\ns2\tF2\t2.5\ns3\tF3\t4\n");
         options.response.pheno_name = "FID";
         refuses(options, "is a column of sample ids");
       }},
      {"any", "two columns of one name", "refused",
       [](const Desk& desk) {
         refuses(desk.with_x("a,b,a\n1,2,3\n4,5,6\n7,8,9\n"), "two columns are called 'a', number 1 and number 3");
         refuses(desk.with_covar("FID IID age age\nF1 s1 1 2\nF2 s2 2 3\nF3 s3 4 5\n"), "two columns are called 'age'");
         refuses(desk.with_pheno("FID IID t t\nF1 s1 1 2\nF2 s2 2 3\nF3 s3 4 5\n"), "two columns are called 't'");
       }},
      {"numpy `save`", "int8 and uint8 with a code for missing: -9, -1, -127, 127, 9, 255",
       "refused, where all else is 0, 1, 2",
       [](const Desk& desk) {
         refuses(desk.with_x(npy("|i1", true, "(3, 2)", std::string("\x00\x01\x02\x81\x01\x00", 6))),
                 "row 1, column 2: -127 among");
         refuses(desk.with_x(npy("|u1", true, "(3, 2)", std::string("\x00\x01\x02\xff\x01\x00", 6))),
                 "row 1, column 2: 255 among");
         has_matrix(desk.with_x(npy("|i1", true, "(3, 1)", std::string("\xff\x00\x01", 3))), {{-1}, {0}, {1}});
       }},
      {"numpy `savetxt`", "numbers without a header, or a header after `# `", "refused: names of columns",
       [](const Desk& desk) {
         refuses(desk.with_x("1.5e+00 2.0e+00\n3.0e+00 4.0e+00\n"), "the first line holds numbers only");
         refuses(desk.with_x("# a,b\n1,2\n3,4\n5,6\n"), "comments=''");
       }},
      {"scipy `save_npz`; numpy `savez`", "a sparse matrix; arrays", "read; refused",
       [](const Desk& desk) {
         Arrays arrays{{"format", npy("|S3", false, "()", "csr")},
                       {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({3, 2}))},
                       {"data", npy("<f8", false, "(3,)", raw<double>({1, 2, 3}))},
                       {"indices", npy("<i4", false, "(3,)", raw<std::int32_t>({0, 1, 1}))},
                       {"indptr", npy("<i4", false, "(4,)", raw<std::int32_t>({0, 1, 2, 3}))}};
         has_matrix(desk.with_x(zipped(arrays)), {{1, 0}, {0, 2}, {0, 3}});
         arrays.erase("format");
         refuses(desk.with_x(zipped(arrays)), "holds no array 'format'");
       }},
      {"scikit-learn `dump_svmlight_file`", "indices from 0", "refused: `zero_based=False`",
       [](const Desk& desk) { refuses(desk.with_x("1 0:0.5 1:2\n2 1:3\n4 0:1\n"), "x:1:3: feature index 0"); }},
      {"any libsvm", "a broken first row, an index that cannot be meant", "refused with the line",
       [](const Desk& desk) {
         refuses(desk.with_x("1 1 0.5\n2 1:3\n4 1:1\n"), "x:1:3: found '1', expected index:value");
         refuses(desk.with_x("1 1:0.5\n2 999999999:3\n4 1:1\n"), "x:2:3: feature index 999999999, expected at most");
       }},
  };
}

std::vector<ForeignFile> of_sheets() {
  return {
      {"Excel 'CSV UTF-8'", "a byte-order mark, `\\r\\n`", "read",
       [](const Desk& desk) { reads(desk.with_y("\xef\xbb\xbfy,z\r\n1.5,a\r\n2.5,b\r\n4,c\r\n"), kThreeHeights); }},
      {"Excel 'CSV' where the comma is decimal", "`1,5;2`", "semicolons are read, decimal commas refused",
       [](const Desk& desk) {
         has_matrix(desk.with_x("a;b\r\n1;2\r\n3;4\r\n5;6\r\n"), {{1, 2}, {3, 4}, {5, 6}});
         refuses(desk.with_x("a;b\r\n1;2\r\n3;4,5\r\n5;6\r\n"),
                 "x:3:3: text '4,5', expected a number (with a decimal point");
         refuses(desk.with_y("y;z\r\n1,5;2\r\n3;4,5\r\n5;6\r\n"), "y:2:1: text '1,5'");
       }},
      {"Excel, thousands", "`\"1,000\"`", "refused",
       [](const Desk& desk) {
         refuses(desk.with_y("y,z\n\"1,000\",a\n2,b\n3,c\n"), "y:2:1: text '1,000', expected a number (with a");
       }},
      {"Excel 'Unicode Text'; 'CSV (Macintosh)'; `.xlsx`", "UTF-16; lines that end with `\\r`; a workbook",
       "refused: 'CSV UTF-8'",
       [](const Desk& desk) {
         refuses(desk.with_x(std::string("\xff\xfe"
                                         "a\0,\0b\0\n\0",
                                         10)),
                 "is UTF-16");
         refuses(desk.with_y("y,z\r1,2\r3,4\r5,6\r"), "y:1:4: a carriage return inside the first line");
         refuses(desk.with_x("PK\x03\x04" + std::string(26, '\0') + "[Content_Types].xml" + std::string(30, 'x')),
                 "CSV UTF-8");
       }},
      {"editors", "tabs and blanks mixed", "read where the words of all lines agree in number",
       [](const Desk& desk) {
         reads(desk.with_pheno("FID\tIID height\nF1 s1\t1.5\nF2\ts2 2.5\nF3 s3\t4\n"), kThreeHeights);
         has_matrix(desk.with_x("a\tb c\n1 2\t3\n4\t5 6\n7 8 9\n"), {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
       }},
      {"editors, exports", "comments, empty lines between rows", "refused with the line",
       [](const Desk& desk) {
         refuses(desk.with_x("# by export\na,b\n1,2\n3,4\n5,6\n"), "x:1:1: the first line begins with '# '");
         refuses(desk.with_x("a,b\n\n1,2\n3,4\n5,6\n"), "x:2:1: an empty line between rows");
         refuses(desk.with_x("a,b\n1,2\n3,4\n#end\n5,6\n"), "x:4:1: a line that begins with '#'");
         refuses(desk.with_y("#by export\ny,z\n1,2\n3,4\n5,6\n"), "y:1:1: the first line begins with '#'");
       }},
  };
}

std::vector<ForeignFile> all_written() {
  std::vector<ForeignFile> all;
  for (const auto& part : {of_plink(), of_r(), of_python(), of_sheets()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(WrittenByOthers, IsReadRightlyOrRefusedWithWhatToDo) {
  for (const ForeignFile& one : all_written()) {
    SCOPED_TRACE(one.program + ": " + one.writes);
    const Desk desk;
    one.check(desk);
  }
}

TEST(WrittenByOthers, StandsInTheDocument) {
  constexpr const char* kDocument = STRADS_SOURCE_DIR "/docs/FORMATS.md";
  const std::string begin_line = "<!-- written by others -->\n", end_line = "<!-- end of written by others -->\n";
  std::ifstream in(kDocument);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::size_t begin = text.find(begin_line), end = text.find(end_line);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  std::string table = "\n| program | writes | here |\n| --- | --- | --- |\n";
  for (const ForeignFile& one : all_written()) {
    table += "| " + one.program + " | " + one.writes + " | " + one.outcome + " |\n";
  }
  table += "\n";
  const std::size_t first = begin + begin_line.size();
  if (std::getenv("STRADS_REWRITE") != nullptr) {
    std::ofstream(kDocument) << text.substr(0, first) << table << text.substr(end);
    return;
  }
  EXPECT_EQ(text.substr(first, end - first), table)
      << "docs/FORMATS.md is out of date; run this test with STRADS_REWRITE=1 in the environment and review the diff";
}

}  // namespace
}  // namespace strads::data
