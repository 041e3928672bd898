// What a process notes of its tasks and messages for --trace-times.
#include "transport/time_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace strads::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// In words: "push 5.2 by 3".
std::string words_of(const TimeRecord& record) {
  return name_of_time(record.what) + " " + std::to_string(record.number) + "." + std::to_string(record.index) + " of " +
         std::to_string(record.who);
}

std::vector<std::string> told_by(TimeLog& log, std::uint64_t* lost = nullptr) {
  std::vector<std::string> told;
  log.tell(7, [&](std::uint32_t process, std::span<const TimeRecord> records, std::uint64_t missing) {
    EXPECT_EQ(process, 7u);
    for (const TimeRecord& record : records) told.push_back(words_of(record));
    if (lost != nullptr) *lost = missing;
  });
  return told;
}

engine::Task push_of(std::int64_t round, std::uint32_t index, std::uint32_t worker) {
  engine::Task task;
  task.name = {round, index, worker};
  return task;
}

TEST(ATimeLog, NamesTasksAndMessages) {
  TimeLog log;
  log.note(push_of(5, 2, 3), 0, 10, 20);
  wire::Assign assign;
  assign.round = 5;
  assign.index = 2;
  log.note(Way::sent, assign, 0, 1);
  wire::Deltas deltas;
  deltas.round = 5;
  deltas.index = 2;
  log.note(Way::taken, deltas, 0, 1);
  wire::SliceStatus status;
  status.phase = 4;
  status.scheduler = 1;
  log.note(Way::sent, status, 0, 9);
  EXPECT_THAT(told_by(log), ElementsAre("push 5.2 of 3", "sent Assign 5.2 of 1", "taken Deltas 5.2 of 1",
                                        "sent SliceStatus 4.1 of 9"));
  EXPECT_TRUE(log.empty());
}

TEST(ATimeLog, LeavesOutMessagesThatAreOfNoRoundPhaseOrBeat) {
  TimeLog log;
  log.note(Way::sent, wire::Hello{}, 0, 1);
  log.note(Way::sent, wire::Times{}, 0, 1);
  EXPECT_TRUE(log.empty());
}

TEST(ATimeLog, HasItsRecordsInMessagesThatReadBack) {
  TimeLog log;
  constexpr std::size_t kMany = 9'000;  // more than one message takes
  for (std::size_t k = 1; k <= kMany; ++k) log.note(push_of(static_cast<std::int64_t>(k), 1, 2), 3, k, k + 7);
  std::vector<TimeRecord> all, part;
  for (const wire::Times& times : log.release_messages()) {
    EXPECT_LE(times.what.size() * 36, std::size_t{1} << 20) << "a control message has room for them";
    ASSERT_TRUE(read_times(times, part));
    all.insert(all.end(), part.begin(), part.end());
  }
  ASSERT_THAT(all, SizeIs(kMany));
  for (std::size_t k = 0; k < kMany; ++k) {
    EXPECT_EQ(all[k].number, k + 1);
    EXPECT_EQ(all[k].begin, k + 1);
    EXPECT_EQ(all[k].end, k + 8);
    EXPECT_EQ(all[k].run, 3u);
  }
  EXPECT_TRUE(log.empty());
}

TEST(ATimeLog, LeavesOutWhatWouldBeFelt) {
  TimeLog log;
  for (std::size_t k = 0; k < TimeLog::kInARow + 3; ++k) log.note(push_of(1, 0, 0), 0, 1, 2);
  EXPECT_EQ(log.time(), 0u) << "nobody reads the clock meanwhile";
  const auto told = told_by(log);
  ASSERT_THAT(told, SizeIs(TimeLog::kInARow + 1));
  EXPECT_EQ(told.back(), "gap 3.0 of 0");
  EXPECT_THAT(told_by(log), IsEmpty()) << "said once";
}

TEST(ATimeLog, GoesOnAfterAWhile) {
  TimeLog log;
  const std::uint64_t begin = time_of_clock();
  for (std::size_t k = 0; k < TimeLog::kInARow; ++k) log.note(push_of(1, 0, 0), 0, 1, 2);
  std::uint64_t left_out = 0;
  while (log.time() == 0) {
    log.note(push_of(1, 0, 0), 0, 0, 0);
    ++left_out;
  }
  EXPECT_GE(time_of_clock() - begin, TimeLog::kInARow * 1'000'000'000 / TimeLog::kASecond);
  const auto told = told_by(log);
  EXPECT_EQ(told.back(), "gap " + std::to_string(left_out) + ".0 of 0");
}

TEST(Times, OfAHostileNodeAreRefused) {
  TimeLog log;
  log.note(push_of(1, 0, 0), 0, 1, 2);
  const wire::Times good = log.release_messages().at(0);
  std::vector<TimeRecord> records;
  ASSERT_TRUE(read_times(good, records));
  wire::Times shorter = good, backwards = good, unknown = good;
  shorter.ends.clear();
  backwards.ends = {0};
  unknown.what = {31};
  for (const wire::Times& bad : {shorter, backwards, unknown}) EXPECT_FALSE(read_times(bad, records));
}

}  // namespace
}  // namespace strads::transport
