// What a user hears who gives a folder that holds no run.
#include "strads/program/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class RunFolder : public testing::Test {
 protected:
  [[nodiscard]] Status expect(const std::string& name) const {
    return expect_run_folder(folder_.path(name), "users.tsv", "mf fit");
  }
  test::TemporaryFolder folder_;
};

TEST_F(RunFolder, IsFineWhereTheFileIs) {
  folder_.write("users.tsv", "id\tratings\n");
  EXPECT_TRUE(expect(".").ok());
}

TEST_F(RunFolder, ThatIsNotThereIsNamedWithWhatToGive) {
  const Status status = expect("none");
  EXPECT_EQ(status.code(), StatusCode::input);
  EXPECT_THAT(status.message(), HasSubstr("none: there is no such folder"));
  EXPECT_THAT(status.message(), EndsWith("expected the folder that mf fit --out wrote"));
}

TEST_F(RunFolder, OfSomethingElseLacksAFile) {
  folder_.write("notes.txt", "");
  EXPECT_THAT(expect(".").message(), HasSubstr("/.: is no finished run: it has no users.tsv; expected"));
}

TEST_F(RunFolder, MayNotBeAFile) {
  folder_.write("file", "");
  EXPECT_THAT(expect("file").message(), HasSubstr("file: is a file; expected"));
}

}  // namespace
}  // namespace strads
