// load_dataset on one set of PLINK files for each chromosome: PREFIX with an @.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/fixtures.hpp"
#include "data/genotypes/pgen_writer.hpp"
#include "strads/data/data_shape.hpp"

namespace strads::data {
namespace {

const std::string kBedStart("\x6c\x1b\x01", 3);
const std::string kFamilies = "F1 a 0 0 1 1\nF1 b 0 0 1 2\nF2 a 0 0 2 -9\nF2 c 0 0 2 4\nF3 d 0 0 1 3\n";

/// Five samples; two bytes a column. Chromosomes 2, 10 and X, and a file that holds them all.
class LoadChromosomes : public ::testing::Test {
 protected:
  LoadChromosomes() {
    write("c2", "abcd", "2 rs1 0 10 A G\n2 rs2 0 20 C T\n");
    write("c10", "efghij", "10 rs3 0 30 A C\n10 rs4 0 -5 A C\n10 rs5 0 50 G C\n");
    write("cX", "kl", "X rs6 0 5 A G\n");
    write("whole", "abcdefghijkl",
          "2 rs1 0 10 A G\n2 rs2 0 20 C T\n10 rs3 0 30 A C\n10 rs4 0 -5 A C\n10 rs5 0 50 G C\nX rs6 0 5 A G\n");
    of_chromosomes.source.bfile = folder.path("c@");
    of_whole.source.bfile = folder.path("whole");
  }
  void write(const std::string& name, const std::string& columns, const std::string& variants,
             const std::string& people = kFamilies) const {
    folder.write(name + ".bed", kBedStart + columns);
    folder.write(name + ".bim", variants);
    folder.write(name + ".fam", people);
  }
  [[nodiscard]] std::string refusal() const { return load_dataset(of_chromosomes).status().message(); }

  TempFolder folder;
  InputOptions of_chromosomes, of_whole;
};

std::vector<std::uint8_t> flags_of(const Dataset& set) {
  const auto flags = set.columns().excluded;
  return {flags.begin(), flags.end()};
}

TEST_F(LoadChromosomes, AreOneDataSetAsIfOneFileHeldThemAll) {
  const auto parts = load(of_chromosomes), whole = load(of_whole);
  EXPECT_EQ(parts->fingerprint(), whole->fingerprint());
  ASSERT_EQ(parts->columns().columns, 6U);
  for (VarId j = 0; j < 6; ++j) {
    EXPECT_EQ(parts->variable(j).id, whole->variable(j).id);
    EXPECT_EQ(parts->variable(j).chromosome, whole->variable(j).chromosome);
    EXPECT_EQ(parts->variable(j).counted, whole->variable(j).counted);
  }
  EXPECT_TRUE(parts->has_alleles());
  EXPECT_EQ(parts->files().size(), 9U);
  EXPECT_EQ(parts->mapped_memory().first, 0U);
  parts->release_columns(0, 6);
  EXPECT_EQ(static_cast<char>(parts->columns().values[11]), 'l');
  EXPECT_EQ(response(*parts), response(*whole));
}

TEST_F(LoadChromosomes, TakeTheFiltersOfTheWhole) {
  for (InputOptions* options : {&of_chromosomes, &of_whole}) {
    options->variables.chromosomes = {"10"};
    options->variables.from_bp = 40;
  }
  EXPECT_EQ(flags_of(*load(of_chromosomes)), flags_of(*load(of_whole)));
  for (InputOptions* options : {&of_chromosomes, &of_whole}) {
    options->variables = {};
    options->variables.maf = 0.3;
    options->samples.remove = folder.write("remove", "F1 b\n");
  }
  const auto parts = load(of_chromosomes), whole = load(of_whole);
  EXPECT_EQ(flags_of(*parts), flags_of(*whole));
  EXPECT_EQ(parts->fingerprint(), whole->fingerprint());
}

TEST_F(LoadChromosomes, OfWhichOneIsThereAreMappedAndAFileOfThatVeryNameGoesFirst) {
  write("one3", "ab", "3 rs1 0 10 A G\n");
  of_chromosomes.source.bfile = folder.path("one@");
  EXPECT_EQ(load(of_chromosomes)->mapped_memory().first, 5U);
  write("c@", "zz", "1 rs9 0 10 A G\n");
  of_chromosomes.source.bfile = folder.path("c@");
  EXPECT_EQ(load(of_chromosomes)->variable(0).id, "rs9");
}

TEST_F(LoadChromosomes, HaveTheSamePeopleInTheSameOrder) {
  const std::string advice =
      "; files of one set of people have the same samples in the same order: plink2 --keep and --indiv-sort";
  write("cX", "kl", "X rs6 0 5 A G\n", "F1 a 0 0 1 1\nF2 a 0 0 2 -9\nF1 b 0 0 1 2\nF2 c 0 0 2 4\nF3 d 0 0 1 3\n");
  EXPECT_EQ(refusal(),
            folder.path("cX.fam") + ": sample 2 is 'F2 a', expected 'F1 b' as in " + folder.path("c2.fam") + advice);
  write("cX", "kl", "X rs6 0 5 A G\n", kFamilies + "F4 e 0 0 1 3\n");
  EXPECT_EQ(refusal(), folder.path("cX.fam") + ": 6 samples, expected the 5 of " + folder.path("c2.fam") + advice);
}

TEST_F(LoadChromosomes, ThatAreNotThereAreAskedFor) {
  of_chromosomes.source.bfile = folder.path("none@");
  EXPECT_EQ(refusal(),
            folder.path("none@") +
                ".bed: no file has this name, nor one with a chromosome (1 to 99, X, Y, XY, MT) in place of @ "
                "as " +
                folder.path("none1") + ".bed; expected one set of files, or one for each chromosome");
  folder.write("c7.bed", "x");
  of_chromosomes.source.bfile = folder.path("c@");
  EXPECT_THAT(refusal(), ::testing::HasSubstr("c7.fam"));
}

TEST_F(LoadChromosomes, AreCountedBeforeTheyAreRead) {
  const auto shape = look_at_dataset(of_chromosomes, Look::quick);
  ASSERT_TRUE(shape.ok()) << shape.status().message();
  EXPECT_EQ(shape.value().rows, 5U);
  EXPECT_EQ(shape.value().columns, 6U);
  EXPECT_EQ(shape.value().mapped_bytes, 0U);
  EXPECT_EQ(shape.value().held_bytes, 3 * 3 + 12U);  // with the heads of the files
  EXPECT_EQ(files_of(of_chromosomes).size(), 9U);
}

TEST_F(LoadChromosomes, OfPlink2AreJoinedIfTheyHaveCallsAlone) {
  const std::string psam = "#FID\tIID\tqt\nF\ta\t1\nF\tb\t2\nF\tc\t4\nF\td\t3\n";
  const WrittenVariant first{{0, 1, 2, 3}, {0, 100, 200, 300}}, second{{2, 1, 0, 1}, {9, 9, 9, 9}};
  const auto write_pgen = [&](const std::string& name, const WrittenVariant& variant, int mode) {
    folder.write(name + ".pgen", fixed_pgen_of({variant}, 4, mode));
    folder.write(name + ".pvar", "#CHROM\tPOS\tID\tREF\tALT\n1\t10\trs" + name + "\tG\tA\n");
    folder.write(name + ".psam", psam);
  };
  write_pgen("p1", first, 2);
  write_pgen("p2", second, 2);
  InputOptions options;
  options.source.pfile = folder.path("p@");
  const auto set = load(options);
  ASSERT_EQ(set->columns().columns, 2U);
  // As in a .bed: 00 two copies, 01 missing, 10 one copy, 11 none; the first sample lowest.
  EXPECT_EQ(std::to_integer<int>(set->columns().values[0]), 0b01001011);
  EXPECT_EQ(std::to_integer<int>(set->columns().values[1]), 0b10111000);
  write_pgen("p2", second, 3);
  EXPECT_EQ(load_dataset(options).status().message(),
            folder.path("p2.pgen") +
                ": has dosages, expected calls in files that are joined by an @; take one file of all chromosomes, or "
                "plink2 --pfile P --make-pgen erase-dosage --out Q");
}

}  // namespace
}  // namespace strads::data
