// All tests of this program wait for threads: each has a deadline.
#include <gtest/gtest.h>

#include <latch>

#include "support/test_deadline.hpp"

namespace strads::transport {
namespace {

using std::chrono::milliseconds;

[[maybe_unused]] const bool kEveryTestHasADeadline = [] {
  // Of the program's tests none takes a tenth of this, with sanitizers and on a machine that does other things.
  ::testing::UnitTest::GetInstance()->listeners().Append(new support::TestDeadline(milliseconds(60'000)));
  return true;
}();

TEST(TestDeadline, EndsATestThatWaitsForEver) {
  const auto wait_for_ever = [] {
    support::TestDeadline(milliseconds(5)).start();
    std::latch never(1);
    never.wait();
  };
  EXPECT_EXIT(wait_for_ever(), ::testing::ExitedWithCode(1), "the test has not ended in time");
}

}  // namespace
}  // namespace strads::transport
