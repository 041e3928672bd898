// Filters of genotypes against plink2 with the same flags, on the data that are shipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

const std::string kData = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/1000g-chr2-eur/";

std::uint64_t lines_of(const std::string& text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

class LassoFilters : public testing::Test {
 protected:
  // The shipped .bed has bits behind the last sample of a column, which plink2 counts with the samples.
  LassoFilters() : prefix_(folder_.path("g")) {
    plink({"--bfile", kData + "chr2-eur", "--make-bed", "--out", prefix_});
    list("people", ".fam", "keep", 3);
    list("people", ".fam", "remove", 7);
    list("variants", ".bim", "extract", 2);
    list("variants", ".bim", "exclude", 5);
  }
  void plink(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plink2", "--threads", "1", "--memory", "640"});
    const auto ended = Process(std::move(arguments)).wait();
    ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  }
  // Every n-th line's id or ids; of --keep all others.
  void list(const std::string& what, const std::string& suffix, const std::string& name, std::size_t n) {
    std::istringstream lines(folder_.read("g" + suffix));
    std::ostringstream out;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
      std::istringstream words(line);
      std::string first, second;
      words >> first >> second;
      if ((number % n == 0) == (name == "keep")) continue;
      out << (what == "people" ? first + " " : "") << second << "\n";
    }
    folder_.write(name, out.str());
  }
  std::vector<std::string> with(std::vector<std::string> filters, const std::string& more) {
    for (const char* name : {"keep", "remove", "extract", "exclude"}) {
      if (more.find(name) == std::string::npos) continue;
      filters.push_back("--" + std::string(name));
      filters.push_back(folder_.path(name));
    }
    return filters;
  }
  void expect_what_plink2_leaves(const std::vector<std::string>& filters) {
    std::string flags;
    for (const auto& word : filters) flags += word + " ";
    std::vector<std::string> theirs{"--bfile",
                                    prefix_,
                                    "--pheno",
                                    kData + "pheno.tsv",
                                    "--pheno-name",
                                    "sim20",
                                    "--require-pheno",
                                    "--write-samples",
                                    "--write-snplist",
                                    "--out",
                                    folder_.path("plink")};
    theirs.insert(theirs.end(), filters.begin(), filters.end());
    plink(theirs);
    std::vector<std::string> ours{"fit",    "--bfile",        prefix_, "--pheno", kData + "pheno.tsv", "--pheno-name",
                                  "sim20",  "--lambda-ratio", "1",     "--out",   folder_.path("run"), "--force",
                                  "--quiet"};
    ours.insert(ours.end(), filters.begin(), filters.end());
    const auto ended = lasso(std::move(ours));
    ASSERT_EQ(ended.code, 0) << ended.err;
    const std::string summary = folder_.read("run/summary.json");
    const std::string variables = summary.substr(summary.find("\"variables\""));
    EXPECT_EQ(json_number(summary, "kept"), static_cast<double>(lines_of(folder_.read("plink.id")) - 1)) << flags;
    EXPECT_EQ(json_number(variables, "in_file") - json_number(variables, "excluded"),
              static_cast<double>(lines_of(folder_.read("plink.snplist"))))
        << flags;
  }

  Folder folder_;
  std::string prefix_;
};

TEST_F(LassoFilters, LeaveTheSamplesAndVariantsThatPlink2Leaves) {
  expect_what_plink2_leaves({"--maf", "0.1"});
  expect_what_plink2_leaves({"--max-maf", "0.1"});
  expect_what_plink2_leaves({"--geno", "0.01"});
  expect_what_plink2_leaves({"--mind", "0.0005"});
  expect_what_plink2_leaves({"--hwe", "0.05"});
  expect_what_plink2_leaves({"--chr", "2", "--from-bp", "100000", "--to-bp", "50000000", "--maf", "0.1"});
  expect_what_plink2_leaves(with({"--maf", "0.1", "--hwe", "0.001"}, "keep remove"));
  expect_what_plink2_leaves(with({"--hwe", "1e-3", "--geno", "0.005", "--max-maf", "0.4"}, "extract exclude"));
  expect_what_plink2_leaves(
      with({"--chr", "1-4", "--mind", "0.01", "--geno", "0.02", "--hwe", "0.01", "--maf", "0.05"}, "keep exclude"));
}

TEST_F(LassoFilters, AreSaidWithTheirCountsAndGiveTheSameBitsOnSeveralProcesses) {
  const std::vector<std::string> fit{"fit",          "--bfile",        prefix_, "--pheno", kData + "pheno.tsv",
                                     "--pheno-name", "sim20",          "--maf", "0.2",     "--mind",
                                     "0.01",         "--lambda-ratio", "0.5",   "--force"};
  const auto run = [&](std::vector<std::string> more, const std::string& out) {
    more.insert(more.begin(), fit.begin(), fit.end());
    more.insert(more.end(), {"--out", folder_.path(out)});
    return lasso(std::move(more));
  };
  const auto embedded = run({"--threads", "1"}, "one");
  ASSERT_EQ(embedded.code, 0) << embedded.err;
  EXPECT_THAT(embedded.err, testing::HasSubstr("0 samples left out: --mind 0.01"));
  EXPECT_THAT(embedded.err, testing::ContainsRegex("[0-9]+ variables left out: --maf 0.2"));
  EXPECT_THAT(folder_.read("one/summary.json"), testing::HasSubstr("\"excluded_by\""));
  const auto cluster = run({"--processes=2"}, "two");
  ASSERT_EQ(cluster.code, 0) << cluster.err;
  EXPECT_EQ(json_field(folder_.read("one/summary.json"), "beta_hash"),
            json_field(folder_.read("two/summary.json"), "beta_hash"));
}

}  // namespace
}  // namespace strads::test
