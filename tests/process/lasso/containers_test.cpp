// The same genotypes in every container that plink2 writes: one hash of the coefficients. plink2 is the oracle.
#include <gtest/gtest.h>

#include <filesystem>

#include "process/run_lasso.hpp"

namespace strads::test {
namespace {

const std::string kChr2 = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/1000g-chr2-eur/";

class Containers : public testing::Test {
 protected:
  void plink2(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "plink2");
    const auto ended = Process(std::move(arguments)).wait();
    ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  }
  std::string hash(const std::vector<std::string>& source, const std::string& run,
                   const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"fit"};
    arguments.insert(arguments.end(), source.begin(), source.end());
    for (const char* fixed : {"--pheno", "", "--pheno-name", "sim20", "--lambda-ratio", "0.2", "--out"}) {
      arguments.emplace_back(*fixed == '\0' ? kChr2 + "pheno.tsv" : fixed);
    }
    arguments.push_back(folder_.path(run));
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = lasso(std::move(arguments));
    EXPECT_EQ(ended.code, 0) << ended.err;
    return json_field(folder_.read(run + "/summary.json"), "beta_hash");
  }

  Folder folder_;
};

TEST_F(Containers, OfTheSameHardCallsGiveTheSameBits) {
  const std::string bed = kChr2 + "chr2-eur";
  const std::string first = hash({"--bfile", bed}, "bed");
  ASSERT_NE(first, "");
  plink2({"--bfile", bed, "--make-pgen", "--out", folder_.path("variable")});
  plink2({"--bfile", bed, "--make-pgen", "format=2", "--out", folder_.path("fixed")});
  plink2({"--bfile", bed, "--make-pgen", "vzs", "--out", folder_.path("packed")});
  for (const auto& [from, to] : {std::pair{".bed", ".pgen"}, {".bim", ".pvar"}, {".fam", ".psam"}}) {
    std::filesystem::copy(bed + from, folder_.path(std::string("same") + to));
  }
  for (const char* name : {"variable", "fixed", "packed", "same"}) {
    EXPECT_EQ(hash({"--pfile", folder_.path(name)}, std::string("run-") + name), first) << name;
  }
  for (const char* table : {".bim", ".fam"}) {
    std::filesystem::copy(bed + table, folder_.path(std::string("variable") + table));
  }
  EXPECT_EQ(hash({"--bpfile", folder_.path("variable")}, "run-tables"), first);
  EXPECT_TRUE(std::filesystem::exists(folder_.path("variable.pgen.unpacked")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("same.pgen.unpacked")));  // is mapped where it lies
}

TEST_F(Containers, AreUnpackedForSeveralProcessesAtOnce) {
  const std::string bed = kChr2 + "chr2-eur";
  plink2({"--bfile", bed, "--make-pgen", "--out", folder_.path("p")});
  std::filesystem::create_directory(folder_.path("scratch"));
  EXPECT_EQ(hash({"--pfile", folder_.path("p"), "--scratch", folder_.path("scratch")}, "several", {"--processes=2"}),
            hash({"--bfile", bed}, "bed"));
}

TEST_F(Containers, WithDosagesHaveThoseThatPlink2Exports) {
  plink2({"--dummy", "120", "90", "0.05", "dosage-freq=0.4", "--seed", "5", "--make-pgen", "--out", folder_.path("d")});
  plink2({"--pfile", folder_.path("d"), "--export", "A", "--out", folder_.path("d")});
  const auto fit = [&](std::vector<std::string> arguments, const std::string& run) {
    arguments.insert(arguments.begin(), "fit");
    for (const char* more : {"--lambda-ratio", "0.3", "--tolerance", "1e-11", "--out"}) arguments.emplace_back(more);
    arguments.push_back(folder_.path(run));
    const auto ended = lasso(std::move(arguments));
    EXPECT_EQ(ended.code, 0) << ended.err;
    return json_field(folder_.read(run + "/summary.json"), "objective");
  };
  // A trait of our own: what plink2 makes up are cases and controls.
  std::string by_id = "IID\ty\n";
  for (int i = 0; i < 120; ++i) by_id += "per" + std::to_string(i) + "\t" + std::to_string(i * 37 % 101) + ".5\n";
  folder_.write("by_id", by_id);
  const std::string pgen = fit({"--pfile", folder_.path("d"), "--pheno", folder_.path("by_id")}, "pgen");
  const std::string raw = fit(
      {"--x", folder_.path("d.raw"), "--id-column", "IID", "--y", folder_.path("by_id"), "--missing", "mean"}, "raw");
  EXPECT_NEAR(std::stod(pgen), std::stod(raw),
              2e-4 * std::stod(raw));  // --export A writes six digits, of the copies of REF
}

}  // namespace
}  // namespace strads::test
