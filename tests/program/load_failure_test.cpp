#include "program/process/load_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::HasSubstr;
using testing::Not;

class LoadFailure : public testing::Test {
 protected:
  LoadFailure() : file_(folder_.write("secret", "root:x:0")) {}
  test::TemporaryFolder folder_;
  std::string file_;
};

TEST_F(LoadFailure, NamesTheFileAndQuotesNothing) {
  const Status told = for_the_driver(Status::input(file_ + ":1: found 'root:x:0', expected a number"), {"", file_});
  EXPECT_EQ(told.code(), StatusCode::input);
  EXPECT_EQ(told.message(), file_ + ": cannot be used; that node itself says what is wrong (its log or terminal)");
}

TEST_F(LoadFailure, TellsTheSystemsReasonOfAFileThatDoesNotOpen) {
  const auto absent = folder_.path("absent");
  const Status told = for_the_driver(Status::input(absent + ".fam: cannot open: No such file"), {absent});
  EXPECT_EQ(told.message(),
            absent + ".fam: cannot open: No such file or directory; check the name and the permissions");
}

TEST_F(LoadFailure, TakesNothingThatWasReadForTheNameOfAFile) {
  const std::vector<std::string> messages = {"sample 'root' is not in " + file_ + ":x", file_ + " root x: not a table",
                                             file_ + ".root1:x: not a table", "root:x:0", file_};
  for (const auto& message : messages) {
    const Status told = for_the_driver(Status::usage(message), {file_});
    EXPECT_EQ(told.message(), "the data cannot be used; that node itself says what is wrong (its log or terminal)")
        << message;
    EXPECT_THAT(told.message(), Not(HasSubstr("root")));
  }
}

}  // namespace
}  // namespace strads
