// As many schedulers and workers are taken as a problem can use, of every command and in every process.
#include "strads/engine/role_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/lasso_node.hpp"
#include "support/made_up_data.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

TEST(RoleLimits, AreTheVariablesAndNeverLessThan64) {
  const auto takes = [](std::uint32_t schedulers, std::uint32_t workers, std::uint64_t variables) {
    return check_roles({.schedulers = schedulers, .workers = workers}, variables).ok();
  };
  EXPECT_TRUE(takes(64, 64, 1));
  EXPECT_FALSE(takes(65, 1, 64));
  EXPECT_FALSE(takes(1, 65, 64));
  EXPECT_TRUE(takes(65, 65, 65));
  EXPECT_FALSE(takes(66, 1, 65));
}

TEST(RoleLimits, AreThoseOfNodesToo) {
  const auto dataset = support::dense_dataset({.rows = 20, .columns = 70});
  for (const auto& on : {lasso_on, path_on}) {
    const auto loaded = on(dataset, "[engine]\nschedulers = 71\n", nullptr, Shared::columns);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.status().code(), StatusCode::usage);
    EXPECT_THAT(loaded.status().message(), HasSubstr("--schedulers 71: the problem has 70 variables"));
    EXPECT_TRUE(on(dataset, "[engine]\nschedulers = 70\n", nullptr, Shared::columns).ok());
  }
}

}  // namespace
}  // namespace strads::lasso
