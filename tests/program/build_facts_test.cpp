// --version --verbose: what a program was built from and with.
#include "strads/program/build_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"

namespace strads {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(VersionDetails, AreAskedForByTwoWordsInAnyOrderAndByNothingElse) {
  EXPECT_TRUE(asks_for_version_details(Words{"--version", "--verbose"}));
  EXPECT_TRUE(asks_for_version_details(Words{"--verbose", "--version"}));
  for (const Words& other :
       {Words{"--version"}, {"--verbose"}, {"--verbose", "--verbose"}, {"--version", "--verbose", "--x"}, {}}) {
    EXPECT_FALSE(asks_for_version_details(other));
  }
}

TEST(VersionDetails, BeginWithTheLineThatVersionAlonePrints) {
  EXPECT_EQ(version_line("lasso"), "lasso " + std::string(version()) + " (build " + build_id() + ")\n");
  EXPECT_THAT(version_details("lasso"), testing::StartsWith(version_line("lasso")));
}

TEST(VersionDetails, HaveEveryLibraryWithVersionAndLicence) {
  const std::string said = version_details("lasso");
  EXPECT_GE(dependencies().size(), 10U);
  for (const Dependency& each : dependencies()) {
    EXPECT_THAT(said, HasSubstr(std::string(each.name)));
    EXPECT_THAT(said, HasSubstr(std::string(each.licence)));
    EXPECT_THAT(std::string(each.version), testing::MatchesRegex("[0-9]+\\.[0-9.a-z]+"));
    EXPECT_THAT(std::string(each.how), testing::AnyOf("linked", "compiled"));
  }
}

TEST(VersionDetails, NameTheKernelsOfThisCpuAndLeaveTheBestOneChosen) {
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
  const std::string best(simd_name());
  EXPECT_THAT(version_details("lasso"), HasSubstr("kernels   " + best));
  EXPECT_EQ(simd_name(), best);
}

}  // namespace
}  // namespace strads
