// load_dataset on PLINK 2 files: what is mapped, and when it is unpacked anew.
#include <random>
#include <thread>

#include "data/fixtures.hpp"
#include "data/genotypes/pgen_writer.hpp"

namespace strads::data {
namespace {

class LoadPgen : public ::testing::Test {
 protected:
  LoadPgen() {
    std::mt19937 random(1);
    std::string fam, psam = "#FID\tIID\tSEX\tqt\tother\n", bim, pvar = "#CHROM\tPOS\tID\tREF\tALT\n";
    for (int i = 0; i < 11; ++i) {
      const std::string id = "i" + std::to_string(i), value = i == 4 ? "-9" : std::to_string(i) + ".5";
      fam += "F " + id + " 0 0 1 " + value + "\n";
      psam += "F\t" + id + "\t1\t" + value + "\t" + std::to_string(10 * i) + "\n";
    }
    for (std::size_t j = 0; j < 6; ++j) {
      const std::string at = std::to_string(10 * j), id = "rs" + std::to_string(j);
      bim += "1 " + id + " 0 " + at + " A G\n";
      pvar += "1\t" + at + "\t" + id + "\tG\tA\n";
      variants.emplace_back();
      for (int i = 0; i < 11; ++i) {
        variants[j].calls.push_back(static_cast<int>(random() % 4));
        variants[j].dosages.push_back(i % 4 == 0 ? 65535 : static_cast<int>(random() % 32769));
      }
      bed += packed_bits(bed_codes(variants[j].calls), 2);
    }
    folder.write("b.bed", "\x6c\x1b\x01" + bed);
    folder.write("b.bim", bim);
    folder.write("b.fam", fam);
    folder.write("p.psam", psam);
    folder.write("p.pvar", pvar);
    options.source.pfile = folder.path("p");
  }
  static std::vector<int> bed_codes(const std::vector<int>& calls) {
    std::vector<int> out;
    for (const int call : calls) out.push_back(call == 3 ? 1 : call == 2 ? 0 : call == 1 ? 2 : 3);
    return out;
  }
  [[nodiscard]] std::string hard() const { return fixed_pgen_of(variants, 11, 2); }
  [[nodiscard]] std::string with_dosages() const { return fixed_pgen_of(variants, 11, 3); }
  [[nodiscard]] std::string variable() const {
    std::vector<WrittenRecord> records;
    for (const auto& variant : variants) {
      records.push_back(records.empty() ? record_of(variant, Written::plain)
                                        : record_of(variant, Written::like, WrittenDosages::no, variants[0].calls));
    }
    return pgen_of(records, 11);
  }
  static std::string bytes_of(const Dataset& set) {
    const ColumnsView& x = set.columns();
    return {reinterpret_cast<const char*>(x.values), static_cast<std::size_t>(x.columns * x.column_stride)};
  }
  [[nodiscard]] std::string unpacked() const { return options.source.pfile + ".pgen.unpacked"; }

  TempFolder folder;
  std::vector<WrittenVariant> variants;
  std::string bed;
  InputOptions options;
};

TEST_F(LoadPgen, IsTheSameDataAsTheBedInEveryMode) {
  InputOptions plink1;
  plink1.source.bfile = folder.path("b");
  const auto first = load(plink1);
  for (const std::string& bytes : {"\x6c\x1b\x01" + bed, hard(), variable()}) {
    folder.write("p.pgen", bytes);
    const auto set = load(options);
    EXPECT_EQ(set->columns().storage, Storage::genotype_2bit);
    EXPECT_EQ(bytes_of(*set), bed);
    EXPECT_EQ(set->fingerprint(), first->fingerprint());
    EXPECT_EQ(set->variable(3).id, "rs3");
    EXPECT_EQ(set->variable(3).counted, "A");
    EXPECT_EQ(set->response_name(), "qt");
    EXPECT_EQ(response(*set), response(*first));
    EXPECT_EQ(set->files().size(), 3u);
  }
}

TEST_F(LoadPgen, IsTheSameDataWithTheTablesOfPlink1) {
  InputOptions plink1;
  plink1.source.bfile = folder.path("b");
  const auto first = load(plink1);
  folder.write("b.pgen", variable());
  options.source.bpfile = folder.path("b");
  options.source.pfile.clear();
  const auto set = load(options);
  EXPECT_EQ(set->fingerprint(), first->fingerprint());
  EXPECT_EQ(set->variable(3).counted, "A");
  EXPECT_EQ(set->response_name(), "phenotype");
  EXPECT_THAT(set->files(), ::testing::ElementsAre(folder.path("b.fam"), folder.path("b.bim"), folder.path("b.pgen")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("b.pgen.unpacked")));
}

TEST_F(LoadPgen, HasTheDosagesIn16Bits) {
  folder.write("p.pgen", with_dosages());
  const auto set = load(options);
  const ColumnsView& x = set->columns();
  ASSERT_EQ(x.storage, Storage::dosage_u16);
  EXPECT_EQ(x.column_stride, 22u);
  const auto* const values = reinterpret_cast<const std::uint16_t*>(x.values);
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t i = 0; i < 11; ++i) {
      const int stored = variants[j].dosages[i], call = variants[j].calls[i];
      EXPECT_EQ(values[11 * j + i], stored != 65535 || call == 3 ? stored : 16384 * call);
    }
  }
}

class FiltersOfDosages : public LoadPgen {
 protected:
  // Three variants of eleven people, of whom i4 has no phenotype. Every call is there but where a test takes it away.
  FiltersOfDosages() {
    variants.resize(3);
    for (auto& variant : variants) {
      variant.calls = {0, 0, 1, 1, 0, 2, 2, 0, 1, 0, 0};
      variant.dosages.assign(11, 65535);
    }
    folder.write("p.pvar", "#CHROM\tPOS\tID\tREF\tALT\n1\t1\ta\tG\tA\n1\t2\tb\tG\tA\nX\t3\tc\tG\tA\n");
  }
  std::vector<std::uint8_t> excluded() {
    folder.write("p.pgen", with_dosages());
    const auto set = load(options);
    EXPECT_EQ(set->columns().storage, Storage::dosage_u16);
    return {set->columns().excluded.begin(), set->columns().excluded.end()};
  }
};

TEST_F(FiltersOfDosages, TakeFrequenciesOfDosagesAndOfCallsWithoutOne) {
  options.variables.maf = 0.35;  // 7 of 20 copies by the calls
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 0, 0));
  variants[1].dosages[5] = 32767;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 1, 0));
  variants[1].dosages[6] = 1;  // of the call it says 2
  options.variables.maf = 0.25;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 0, 0));
  options.variables.maf = 0.26;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 1, 0));
  options.variables.maf = std::nullopt;
  options.variables.max_maf = 0.25;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(1, 0, 1));
  variants[1].dosages[5] = 32768;
  folder.write("p.pgen", with_dosages());
  EXPECT_THAT(load_dataset(options), FailsWith("no variable is left of 3"));
  variants[2].calls[10] = 3;  // nor a dosage: 7 of 18 copies
  options.variables.max_maf = 0.4;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 0, 0));
  options.variables.max_maf = 0.38;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 0, 1));
}

TEST_F(FiltersOfDosages, CountWhatIsMissingInTheCallsBesideThem) {
  variants[0].calls[0] = 3;
  variants[0].dosages[0] = 7000;  // too far from a call: a dosage, and yet no call
  options.variables.geno = 0.09;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(1, 0, 0));
  options.variables.geno = 0.1;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 0, 0));
  options.variables.geno = std::nullopt;
  options.samples.mind = 0.3;
  EXPECT_THAT(dropped(*load(options)), ::testing::Contains("1 --mind 0.3"));
  options.samples.mind = 0.34;
  EXPECT_THAT(dropped(*load(options)), ::testing::Contains("0 --mind 0.34"));
}

TEST_F(FiltersOfDosages, TestTheEquilibriumOfTheCallsBesideThem) {
  variants[1].calls = {0, 0, 0, 0, 1, 0, 2, 2, 2, 2, 2};  // no het among those who take part: p = 0.0011
  for (std::size_t i = 0; i < 11; ++i) variants[1].dosages[i] = 16384;
  options.variables.hwe = 0.01;
  EXPECT_THAT(excluded(), ::testing::ElementsAre(0, 1, 0));
}

TEST_F(LoadPgen, TakesThePhenotypeThatIsNamed) {
  folder.write("p.pgen", hard());
  options.response.pheno_name = "other";
  EXPECT_EQ(response(*load(options))[3], 30);
  options.response.pheno_name = "none";
  EXPECT_THAT(load_dataset(options), FailsAsUsage("--pheno-name none: no such column in"));
}

TEST_F(LoadPgen, LoadsSeveralPhenotypesOfThePsam) {
  folder.write("p.pgen", hard());
  const std::vector<std::string> names{"other", "qt"};
  const auto sets = load_datasets(options, names);
  ASSERT_TRUE(sets.ok()) << sets.status().message();
  EXPECT_EQ(sets.value()[0]->columns().samples(), 11u);
  EXPECT_EQ(sets.value()[1]->columns().samples(), 10u);
  EXPECT_EQ(sets.value()[1]->response_name(), "qt");
}

TEST_F(LoadPgen, FindsWhatWasUnpackedBefore) {
  folder.write("p.pgen", hard());
  const auto first = load(options);
  const auto written = std::filesystem::last_write_time(unpacked());
  const auto second = load(options);
  EXPECT_EQ(std::filesystem::last_write_time(unpacked()), written);
  EXPECT_EQ(bytes_of(*first), bytes_of(*second));
}

TEST_F(LoadPgen, UnpacksAnewWhatChanged) {
  folder.write("p.pgen", hard());
  const auto first = load(options);
  variants[5].calls[10] = 3 - variants[5].calls[10];
  folder.write("p.pgen", hard());
  const auto second = load(options);
  EXPECT_NE(bytes_of(*first), bytes_of(*second));  // the first one still has its own
}

TEST_F(LoadPgen, UnpacksAnewWhereTheFileIsCutOff) {
  folder.write("p.pgen", hard());
  const std::string whole = bytes_of(*load(options));
  std::filesystem::resize_file(unpacked(), std::filesystem::file_size(unpacked()) - 1);
  EXPECT_EQ(bytes_of(*load(options)), whole);
}

TEST_F(LoadPgen, UnpacksIntoAScratchFolderUnderNamesOfTheirOwn) {
  folder.write("p.pgen", hard());
  std::filesystem::create_directory(folder.path("scratch"));
  std::filesystem::create_directory(folder.path("more"));
  for (const char* file : {"p.pgen", "p.pvar", "p.psam"}) {
    std::filesystem::copy(folder.path(file), folder.path("more/") + file);
  }
  options.source.scratch = folder.path("scratch");
  const auto one = load(options);
  options.source.pfile = folder.path("more/p");
  const auto other = load(options);
  EXPECT_EQ(bytes_of(*one), bytes_of(*other));
  EXPECT_FALSE(std::filesystem::exists(unpacked()));
  const auto files = std::filesystem::directory_iterator(folder.path("scratch"));
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

TEST_F(LoadPgen, NamesTheFolderThatCannotBeWrittenAndTheWayOut) {
  folder.write("p.pgen", hard());
  options.source.scratch = folder.path("absent");
  EXPECT_THAT(load_dataset(options), FailsWith("cannot write: No such file or directory"));
  EXPECT_THAT(load_dataset(options), FailsWith("--scratch DIR names another folder"));
}

TEST_F(LoadPgen, LeavesNothingOfADamagedFile) {
  std::string bytes = variable();
  bytes[bytes.size() - 1] = '\x7f';
  folder.write("p.pgen", bytes);
  EXPECT_THAT(load_dataset(options), FailsWith("record 6 of 6"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
    EXPECT_EQ(entry.path().string().find("unpacked"), std::string::npos) << entry.path();
  }
}

TEST_F(LoadPgen, IsUnpackedOnceBySeveralAtATime) {
  folder.write("p.pgen", hard());
  std::vector<std::thread> threads;
  std::vector<std::string> found(4);
  for (std::string& bytes : found) {
    threads.emplace_back([&] { bytes = bytes_of(*load(options)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& bytes : found) EXPECT_EQ(bytes, bed);
}

TEST_F(LoadPgen, SaysThatPhasesAreNotUsed) {
  std::vector<WrittenRecord> records;
  for (auto& variant : variants) {
    variant.phased.assign(11, 1);
    records.push_back(record_of(variant, Written::plain));
  }
  folder.write("p.pgen", pgen_of(records, 11));
  const auto set = load(options);
  EXPECT_EQ(bytes_of(*set), bed);
  EXPECT_THAT(set->warnings(), ::testing::Contains(::testing::HasSubstr("6 of 6 variants have phases")));
}

TEST_F(LoadPgen, ReadsPackedTablesOfVariants) {
  folder.write("p.pgen", hard());
  std::ifstream plain(folder.path("p.pvar"));
  const std::string text((std::istreambuf_iterator<char>(plain)), {});
  std::filesystem::remove(folder.path("p.pvar"));
  folder.write("p.pvar.gz", gzipped(text));
  EXPECT_EQ(load(options)->variable(5).id, "rs5");
  std::filesystem::remove(folder.path("p.pvar.gz"));
  EXPECT_THAT(load_dataset(options), FailsWith("p.pvar: cannot open"));
}

}  // namespace
}  // namespace strads::data
