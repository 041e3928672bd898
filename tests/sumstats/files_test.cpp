// Panels and people in files: one set for each chromosome, people who choose and are in the panel, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/random.hpp"
#include "sumstats/library/sumstats_library.hpp"
#include "sumstats/report/path_files.hpp"
#include "support/made_up_data.hpp"
#include "support/temporary_folder.hpp"

namespace strads::sumstats {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr std::uint32_t kPeople = 40;
constexpr VarId kVariants = 24;

class SummaryFiles : public ::testing::Test {
 protected:
  SummaryFiles() {
    write_genotypes("panel", "p", 0, kVariants, 7);
    std::string table = "id,a,b,z,n\n";
    CounterRng random(5, Purpose::tests);
    for (VarId j = 0; j < kVariants; ++j) {
      table += "rs" + std::to_string(j) + ",A,G," + std::to_string(12 * (random.unit() - 0.5)) + ",500\n";
    }
    folder_.write("study.csv", table);
  }

  /// Variants [first, last) of made-up genotypes; half of them on chromosome 1. The trait of a person is its number,
  /// or `trait`.
  void write_genotypes(const std::string& name, const std::string& person, VarId first, VarId last, std::uint64_t seed,
                       std::uint32_t people = kPeople, const std::string& trait = "", const std::string& id = "rs") {
    const auto data =
        support::genotype_dataset({.rows = people, .columns = kVariants, .seed = seed, .correlation = 0.4});
    const ColumnsView& view = data->columns();
    std::string bed("\x6c\x1b\x01", 3), bim, fam;
    bed.append(reinterpret_cast<const char*>(view.values) + first * view.column_stride,
               (last - first) * view.column_stride);
    const VarId at = id == "rs" ? 1 : 1000;  // those of other names are at other places
    for (VarId j = first; j < last; ++j) {
      bim += (j < kVariants / 2 ? "1 " : "2 ") + id + std::to_string(j) + " 0 " + std::to_string(at + j) + " A G\n";
    }
    for (std::uint32_t i = 0; i < people; ++i) {
      const std::string number = std::to_string(i);
      fam += "F " + person + number + " 0 0 0 " + (trait.empty() ? number + ".5" : trait) + "\n";
    }
    folder_.write(name + ".bed", bed);
    folder_.write(name + ".bim", bim);
    folder_.write(name + ".fam", fam);
  }

  Result<SummaryPathCall> called(const std::string& panel, const std::vector<OptionValue>& more = {}) {
    SummaryCall call;
    call.options = {{"sumstats", folder_.path("study.csv")},
                    {"sumstats-columns", "id=id,a1=a,a2=b,z=z,n=n"},
                    {"bfile", folder_.path(panel)},
                    {"qc", "off"},
                    {"shrink", "0.5,1"},
                    {"lambdas", "3"},
                    {"threads", "1"}};
    call.options.insert(call.options.end(), more.begin(), more.end());
    return call_path(call);
  }
  Result<SummaryPathCall> validated(const std::string& people) {
    return called("panel", {{"validate-bfile", folder_.path(people)}});
  }

  test::TemporaryFolder folder_;
};

TEST_F(SummaryFiles, OfAPanelWithOneSetForEachChromosomeHaveTheBitsOfOneFile) {
  write_genotypes("part1", "p", 0, kVariants / 2, 7);
  write_genotypes("part2", "p", kVariants / 2, kVariants, 7);
  const auto whole = called("panel"), parts = called("part@");
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  ASSERT_TRUE(parts.ok()) << parts.status().message();
  EXPECT_EQ(parts.value().model_hash, whole.value().model_hash);
  EXPECT_EQ(parts.value().variants.columns, whole.value().variants.columns);
  EXPECT_EQ(parts.value().variants.begins, (std::vector<std::uint64_t>{0, kVariants / 2, kVariants}));
  EXPECT_FALSE(parts.value().variables.empty());
}

TEST_F(SummaryFiles, OfPeopleWhoChooseAndAreInThePanelSaySo) {
  write_genotypes("others", "v", 0, kVariants, 8);
  const auto with_others = validated("others");
  ASSERT_TRUE(with_others.ok()) << with_others.status().message();
  ASSERT_TRUE(with_others.value().choice.has_value());
  EXPECT_EQ(with_others.value().choice->people, kPeople);
  EXPECT_THAT(with_others.value().notes, Each(Not(HasSubstr("in the panel, by their ids"))));
  const auto with_panel = validated("panel");
  ASSERT_TRUE(with_panel.ok()) << with_panel.status().message();
  EXPECT_THAT(
      with_panel.value().notes,
      Contains("40 of the people of --validate are in the panel, by their ids: what their R2 says is optimistic; "
               "take others, as --validate-keep FILE can"));
}

TEST_F(SummaryFiles, OfPeopleWhoCannotChooseAreRefused) {
  write_genotypes("few", "v", 0, kVariants, 8, 9);
  EXPECT_EQ(validated("few").status().message(),
            folder_.path("few") +
                ": 9 people have a trait, expected at least 10 who choose s and lambda; look at --pheno and "
                "--pheno-name, or leave --validate-bfile out for pseudo-validation");
  write_genotypes("alike", "v", 0, kVariants, 8, kPeople, "3.5");
  EXPECT_THAT(validated("alike").status().message(), HasSubstr("3.5"));
  write_genotypes("strangers", "v", 0, kVariants, 8, kPeople, "", "other");
  EXPECT_EQ(validated("strangers").status().message(),
            folder_.path("strangers") +
                ": none of the model's 24 variables is in the data (first: 'rs0'); is it the right file?");
}

TEST(FilesOfAPath, HaveAFolderForEachShrinkageHoweverNearTheyAre) {
  PathOptions options;
  options.shrinks = {0.2, 0.5, 0.50000001};
  EXPECT_THAT(files_of_path(options), IsSupersetOf({"s_0.2/path.bin", "s_0.5/path.bin", "s_0.50000001/path.bin"}));
}

}  // namespace
}  // namespace strads::sumstats
