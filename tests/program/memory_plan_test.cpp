// What is said of a run's memory before it begins, and when the run is refused.
#include "strads/program/memory_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "program/process/load_failure.hpp"

namespace strads {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

ProcessMemory process(std::uint64_t mebibytes, std::uint64_t guessed = 0) {
  ProcessMemory memory;
  memory.who = "node";
  memory.parts = {{"columns", 1000 * kMebibyte, 0}, {"statistics", 0, mebibytes * kMebibyte}};
  memory.guessed = guessed * kMebibyte;
  return memory;
}

TEST(MemoryOfAProcess, IsThatOfItsPartsOrOfReading) {
  ProcessMemory memory = process(10, 4);
  EXPECT_EQ(memory.mapped(), 1000 * kMebibyte);
  EXPECT_EQ(memory.anonymous(), 10 * kMebibyte);
  EXPECT_EQ(memory.certain(), 6 * kMebibyte);
  memory.reading = 8 * kMebibyte;
  EXPECT_EQ(memory.anonymous(), 10 * kMebibyte);
  EXPECT_EQ(memory.certain(), 8 * kMebibyte);
  memory.reading = 20 * kMebibyte;
  EXPECT_EQ(memory.anonymous(), 20 * kMebibyte);
}

TEST(MemoryPlan, ThatFitsIsTaken) {
  EXPECT_TRUE(expect_to_fit({"", {process(100)}}, 100 * kMebibyte).ok());
}

TEST(MemoryPlan, ThatDoesNotFitIsRefusedWithFiguresAndWhatToDo) {
  const Status refused = expect_to_fit({"", {process(100)}}, 100 * kMebibyte - 1);
  EXPECT_EQ(refused.code(), StatusCode::input);
  EXPECT_EQ(
      refused.message(),
      "not enough memory: at least 100 MiB would be taken on this host besides mapped files, and 100 MiB can be had "
      "(machine and control groups); run on more hosts or a larger one, or give --memory-check off to try all the "
      "same (--dry-run shows what takes it)");
}

TEST(MemoryPlan, CountsAllProcessesOfThisHostAndNoOthers) {
  ProcessMemory nodes = process(40);
  nodes.count = 3;
  MemoryPlan plan{"", {nodes, process(10)}};
  EXPECT_FALSE(expect_to_fit(plan, 129 * kMebibyte).ok());
  EXPECT_TRUE(expect_to_fit(plan, 130 * kMebibyte).ok());
  plan.processes[0].on_this_host = false;
  EXPECT_TRUE(expect_to_fit(plan, 10 * kMebibyte).ok());
}

TEST(MemoryPlan, IsNotRefusedForWhatIsGuessed) {
  EXPECT_TRUE(expect_to_fit({"", {process(100, 60)}}, 40 * kMebibyte).ok());
  EXPECT_FALSE(expect_to_fit({"", {process(100, 60)}}, 39 * kMebibyte).ok());
}

TEST(MemoryPlan, OfDataThatCannotBeLookedAtIsNobodysError) {
  EXPECT_TRUE(check_memory(Status::input("x.csv: is empty"), true).ok());
  ProcessMemory endless = process(1);
  endless.reading = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(check_memory(MemoryPlan{"", {endless}}, true).ok());
  EXPECT_TRUE(check_memory(MemoryPlan{"", {endless}}, false).ok()) << "--memory-check off";
}

TEST(MemoryPlan, IsShownAsATable) {
  ProcessMemory node = process(40);
  node.count = 2;
  node.reading = 50 * kMebibyte;
  EXPECT_EQ(memory_table({"3 samples x 4 variables", {node}}, 300 * kMebibyte),
            "memory   3 samples x 4 variables\n"
            "  2 x node                                           mapped    anonymous\n"
            "    columns                                        1000 MiB      0.0 MiB\n"
            "    statistics                                                  40.0 MiB\n"
            "    at the most while data are read                             50.0 MiB\n"
            "    at the most                                    1000 MiB     50.0 MiB\n"
            "host     100 MiB of anonymous memory on this host, which has 300 MiB left for it\n"
            "needs    100 MiB of it whatever is in the data: with less left a run is refused\n");
}

TEST(MemoryPlan, IsShownWithTheFigureThatARunIsRefusedFor) {
  const MemoryPlan plan{"", {process(100, 60)}};
  EXPECT_THAT(memory_table(plan, 39 * kMebibyte), HasSubstr("\nneeds    40.0 MiB of it "));
  EXPECT_THAT(expect_to_fit(plan, 39 * kMebibyte).message(), HasSubstr("at least 40.0 MiB would be taken"));
}

TEST(MemoryPlan, OfAHostThatSaysNothingIsShownWithoutIt) {
  const auto unknown = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(memory_table({"", {process(40)}}, unknown), Not(HasSubstr("left for it")));
}

TEST(MemoryPlan, ThatIsRefusedOnANodeIsToldToTheDriverAsItStands) {
  const Status refused = expect_to_fit({"", {process(100)}}, 1);
  EXPECT_THAT(refused.message(), StartsWith(kNotEnoughMemory));
  EXPECT_EQ(for_the_driver(refused, {"/data/x"}).message(), refused.message());
}

}  // namespace
}  // namespace strads
