#include "program/run/run_checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <utility>

#include "strads/program/log.hpp"
#include "strads/program/program.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunCheckpoint barrier_at(Version version) {
  RunCheckpoint barrier;
  barrier.barrier.version = version;
  barrier.totals.rounds = static_cast<std::uint64_t>(version + 1);
  return barrier;
}

RunEnd end_after(std::uint64_t rounds) {
  RunEnd end;
  end.stop_reason = "converged";
  end.totals.rounds = rounds;
  end.statuses.resize(2);
  return end;
}

CheckpointOptions every_rounds(std::uint64_t rounds) {
  CheckpointOptions when;
  when.rounds = rounds;
  return when;
}

CheckpointOptions every_million_seconds() {
  CheckpointOptions when;
  when.seconds = 1e6;
  return when;
}

CheckpointOptions before(const char* deadline) {
  CheckpointOptions when;
  when.deadline = deadline;
  return when;
}

/// Of three runs in one folder.
class CheckpointsOfAList : public testing::Test {
 protected:
  [[nodiscard]] RunCheckpoints checkpoints(CheckpointOptions when, std::optional<double> deadline = {},
                                           std::size_t runs = 3) const {
    return {when,
            path_,
            {build_id(), "avx2", "lasso cv", "", 1},
            "",
            runs,
            deadline,
            [this] { return now_; },
            [this] { return steady_; }};
  }
  /// A barrier of a run: whether it was handed over.
  bool barrier(RunCheckpoints& checkpoints, std::size_t run, Version version) {
    const bool due = checkpoints.is_due(run, version);
    if (due) checkpoints.write(run, barrier_at(version), 1, log_);
    return due;
  }
  /// In the file: "begun at 5", "-", "ended".
  [[nodiscard]] std::vector<std::string> in_file() const {
    const auto found = read_checkpoint(path_);
    std::vector<std::string> said;
    if (!found.ok()) return said;
    for (const ListedRun& run : found.value().checkpoint.runs) {
      const bool goes_on = run.stage() == ListedRun::Stage::going_on;
      said.push_back(goes_on ? "at " + std::to_string(run.at->barrier.version) : run.ended ? "ended" : "-");
    }
    return said;
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.path(kCheckpointFolder);
  Log log_;
  double now_ = 1000, steady_ = 5;
};

TEST_F(CheckpointsOfAList, AreDueWhenAllRunsTogetherHaveDoneTheRounds) {
  auto some = checkpoints(every_rounds(10));
  EXPECT_FALSE(barrier(some, 0, 4));
  EXPECT_FALSE(barrier(some, 1, 3));
  EXPECT_THAT(in_file(), IsEmpty());
  EXPECT_TRUE(barrier(some, 0, 6));
  EXPECT_THAT(in_file(), ElementsAre("at 6", "-", "-"));
}

TEST_F(CheckpointsOfAList, AreWrittenByTheFirstThatHandsItsBarrierOverAndByTheLast) {
  auto some = checkpoints(every_rounds(10));
  for (const std::size_t run : {0U, 1U, 2U}) (void)barrier(some, run, 0);
  EXPECT_TRUE(barrier(some, 0, 9));
  EXPECT_THAT(in_file(), ElementsAre("at 9", "-", "-"));
  EXPECT_TRUE(barrier(some, 1, 2));
  EXPECT_THAT(in_file(), ElementsAre("at 9", "-", "-")) << "one is still to come";
  EXPECT_FALSE(barrier(some, 0, 10)) << "it has done its part";
  EXPECT_TRUE(barrier(some, 2, 3));
  EXPECT_THAT(in_file(), ElementsAre("at 9", "at 2", "at 3"));
  EXPECT_FALSE(barrier(some, 1, 4));
}

TEST_F(CheckpointsOfAList, DoNotWaitForARunThatHasEnded) {
  auto some = checkpoints(every_rounds(10));
  (void)barrier(some, 0, 0);
  (void)barrier(some, 1, 0);
  EXPECT_TRUE(barrier(some, 0, 9));
  some.note_end(1, end_after(12), {{{{1}, {2}, {}}}, {"kept"}});
  EXPECT_FALSE(barrier(some, 0, 10));
  EXPECT_TRUE(barrier(some, 0, 20));
  EXPECT_THAT(in_file(), ElementsAre("at 20", "ended", "-"));
  const auto found = read_checkpoint(path_);
  const ListedRun& ended = found.value().checkpoint.runs[1];
  EXPECT_EQ(ended.end.totals.rounds, 12U);
  EXPECT_THAT(ended.end.statuses, IsEmpty());
  EXPECT_THAT(ended.kept.texts, ElementsAre("kept"));
}

TEST_F(CheckpointsOfAList, AreOwedAtTheNextBarrierWhenTheRunThatIsWaitedForHasEnded) {
  auto some = checkpoints(every_rounds(30));
  for (const std::size_t run : {0U, 1U, 2U}) (void)barrier(some, run, 0);
  EXPECT_TRUE(barrier(some, 0, 29));
  EXPECT_TRUE(barrier(some, 1, 2));
  EXPECT_THAT(in_file(), ElementsAre("at 29", "-", "-")) << "the third is still to come";
  some.note_end(2, end_after(4), {});
  EXPECT_TRUE(barrier(some, 0, 30)) << "nobody else writes what the second handed over";
  EXPECT_THAT(in_file(), ElementsAre("at 30", "at 2", "ended"));
  EXPECT_TRUE(barrier(some, 1, 3));
  EXPECT_FALSE(barrier(some, 0, 31));
}

TEST_F(CheckpointsOfAList, CountTheSecondsFromTheLastOne) {
  CheckpointOptions when;
  when.seconds = 60;
  auto some = checkpoints(when, {}, 1);
  steady_ += 59;
  EXPECT_FALSE(barrier(some, 0, 1));
  steady_ += 1;
  EXPECT_TRUE(barrier(some, 0, 2));
  EXPECT_FALSE(barrier(some, 0, 3)) << "the clock begins anew";
  steady_ += 59;
  EXPECT_FALSE(barrier(some, 0, 4));
  steady_ += 1;
  EXPECT_TRUE(barrier(some, 0, 5));
}

TEST_F(CheckpointsOfAList, KeepTheNewestBarrierOfARunThatIsLeft) {
  auto some = checkpoints(every_rounds(1));
  EXPECT_TRUE(barrier(some, 0, 5));
  EXPECT_TRUE(barrier(some, 1, 5));
  some.leave(1);
  EXPECT_FALSE(barrier(some, 1, 9));
  some.note_end(1, end_after(10), {});
  EXPECT_TRUE(barrier(some, 0, 7));
  EXPECT_THAT(in_file(), ElementsAre("at 7", "at 5", "-"));
}

TEST_F(CheckpointsOfAList, GiveBackWhatEachRunIs) {
  {
    auto some = checkpoints(every_rounds(1));
    EXPECT_TRUE(barrier(some, 2, 5));
    some.note_end(0, end_after(3), {{}, {"x"}});
    EXPECT_TRUE(barrier(some, 2, 6));
  }
  auto again = checkpoints(every_rounds(4));
  const auto found = again.take_up(log_);
  ASSERT_TRUE(found.ok()) << found.status().message();
  ASSERT_EQ(found.value().size(), 3U);
  EXPECT_EQ(found.value()[0].stage(), ListedRun::Stage::ended);
  EXPECT_EQ(found.value()[1].stage(), ListedRun::Stage::not_begun);
  EXPECT_EQ(found.value()[2].stage(), ListedRun::Stage::going_on);
  EXPECT_EQ(again.resumed_rounds(), 10U);
  EXPECT_EQ(again.resumed_ended(), 1U);
  EXPECT_FALSE(barrier(again, 2, 9)) << "three rounds since";
  EXPECT_TRUE(barrier(again, 1, 0)) << "and one of another run";
  EXPECT_THAT(in_file(), ElementsAre("ended", "at 0", "at 6")) << "what is not new yet stays";
}

TEST_F(CheckpointsOfAList, AreNotThoseOfAListOfAnotherLength) {
  auto some = checkpoints(every_rounds(1));
  EXPECT_TRUE(barrier(some, 2, 5));
  auto other = checkpoints({}, {}, 2);
  const auto found = other.take_up(log_);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.status().message(), HasSubstr("one of 3 runs, this list has 2"));
}

TEST_F(CheckpointsOfAList, AreDueAfterASignal) {
  install_checkpoint_signal();
  auto some = checkpoints(every_million_seconds());
  EXPECT_FALSE(barrier(some, 0, 5));
  std::raise(SIGUSR1);
  EXPECT_TRUE(barrier(some, 0, 6));
  EXPECT_FALSE(barrier(some, 0, 7));
}

TEST_F(CheckpointsOfAList, BeforeADeadlineBeginAtTheFirstBarrier) {
  auto some = checkpoints(before("later"), 2000);
  EXPECT_TRUE(barrier(some, 0, -1)) << "to know how long it takes";
  EXPECT_FALSE(barrier(some, 0, 3));
  EXPECT_FALSE(some.gives_up(1, log_));
  EXPECT_THAT(in_file(), ElementsAre("at -1", "-", "-"));
}

TEST_F(CheckpointsOfAList, GiveUpBeforeADeadlineWhenEveryRunHasHandedItsBarrierOver) {
  auto some = checkpoints(before("later"), 2000);
  some.note_begin(0);
  some.note_begin(1);
  for (const std::size_t run : {0U, 1U}) EXPECT_TRUE(barrier(some, run, -1));
  now_ = 1100;
  EXPECT_FALSE(barrier(some, 0, 3)) << "100 seconds from barrier to barrier, 900 are left";
  now_ = 1900;
  EXPECT_TRUE(barrier(some, 0, 5));
  EXPECT_FALSE(some.gives_up(1, log_)) << "the other one may come in time";
  EXPECT_THAT(in_file(), ElementsAre("at -1", "at -1", "-"));
  EXPECT_TRUE(barrier(some, 1, 6));
  EXPECT_TRUE(some.gives_up(1, log_));
  EXPECT_THAT(in_file(), ElementsAre("at 5", "at 6", "-"));
  EXPECT_THAT(some.last_words("DIR"), HasSubstr("--deadline later: --resume DIR goes on after 13 rounds"));
}

TEST_F(CheckpointsOfAList, AreWrittenBeforeADeadlineWithoutTheRunsThatComeTooLate) {
  auto some = checkpoints(before("later"), 2000);
  some.note_begin(0);
  some.note_begin(1);
  for (const std::size_t run : {0U, 1U}) EXPECT_TRUE(barrier(some, run, -1));
  now_ = 1900;
  EXPECT_TRUE(barrier(some, 0, 5));
  now_ = 1999;
  EXPECT_FALSE(some.gives_up(1, log_));
  now_ = 1999.8;
  EXPECT_TRUE(some.gives_up(1, log_));
  EXPECT_THAT(in_file(), ElementsAre("at 5", "at -1", "-"));
}

TEST_F(CheckpointsOfAList, SayThatNothingCouldBeKeptBeforeADeadlineWithoutABarrier) {
  auto some = checkpoints(before("soon"), now_);
  EXPECT_TRUE(some.gives_up(1, log_));
  EXPECT_THAT(in_file(), IsEmpty());
  EXPECT_THAT(some.last_words("DIR"), HasSubstr("nothing could be kept"));
}

TEST_F(CheckpointsOfAList, ThatCannotBeWrittenSayWhyAtTheDeadline) {
  folder_.write(kCheckpointFolder, "in the way");
  auto some = checkpoints(before("soon"), now_);
  EXPECT_TRUE(barrier(some, 0, 5));
  EXPECT_TRUE(some.gives_up(1, log_));
  EXPECT_THAT(some.last_words("DIR"), HasSubstr("no checkpoint could be written: " + path_));
}

}  // namespace
}  // namespace strads
