#include "transport/time_log.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace strads::transport {
namespace {

// The numbers of TimeRecord::what: kinds of tasks as they are, messages by their type.
constexpr std::uint32_t kSent = 32;
constexpr std::uint32_t kTaken = 64;
constexpr std::uint32_t kGap = 8;
constexpr std::array<const char*, 9> kTasks{"scan",  "plan",      "push",    "combine", "pull",
                                            "apply", "recompute", "refresh", "gap"};
constexpr std::uint64_t kLooksEvery = 64;       ///< so many that are left out between two looks at the clock
constexpr std::size_t kRecordsAMessage = 8192;  ///< 300 KB, where a control message may have 1 MiB

struct Named {
  std::uint32_t number = 0, index = 0;
};

std::uint32_t short_number(std::int64_t number) {
  return static_cast<std::uint32_t>(number);
}

/// Nothing: not noted.
std::optional<Named> name_of(const wire::Message& message) {
  return std::visit(
      [](const auto& held) -> std::optional<Named> {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, wire::Assign> || std::is_same_v<Held, wire::Deltas>) {
          return Named{short_number(held.round), held.index};
        } else if constexpr (std::is_same_v<Held, wire::Commit>) {
          return Named{short_number(held.version), 0};
        } else if constexpr (std::is_same_v<Held, wire::SliceStatus>) {
          return Named{held.phase, held.scheduler};
        } else if constexpr (std::is_same_v<Held, wire::Phase>) {
          return Named{held.phase, 0};
        } else if constexpr (std::is_same_v<Held, wire::Beat>) {
          return Named{short_number(static_cast<std::int64_t>(held.number)), 0};
        } else {
          return std::nullopt;
        }
      },
      message);
}

std::uint32_t type_of(const wire::Message& message) {
  return std::visit([](const auto& held) { return std::uint32_t{std::decay_t<decltype(held)>::kType}; }, message);
}

}  // namespace

void TimeLog::add(const TimeRecord& record) {
  if (records_.size() >= kRecordsMax) {
    ++lost_;
  } else {
    records_.push_back(record);
  }
  if (--left_ > 0) return;
  notes_ = false;
  since_ = time_of_clock();
}

void TimeLog::leave_out() {
  if (++left_out_ % kLooksEvery != 0) return;
  const std::uint64_t now = time_of_clock();
  if (now - since_ < kInARow * 1'000'000'000 / kASecond) return;
  end_gap(now);
  left_ = kInARow;
  notes_ = true;
}

void TimeLog::end_gap(std::uint64_t now) {
  records_.push_back({kGap, 0, short_number(static_cast<std::int64_t>(left_out_)), 0, 0, since_, now});
  left_out_ = 0;
  since_ = now;
}

void TimeLog::note(const engine::Task& task, std::uint32_t run, std::uint64_t begin, std::uint64_t end) {
  if (begin == 0 || end == 0 || !notes_) return leave_out();
  add({static_cast<std::uint32_t>(task.kind), run, short_number(task.name.number), task.name.index, task.name.who,
       begin, end});
}

void TimeLog::note(Way way, const wire::Message& message, std::uint32_t run, std::uint32_t other) {
  const auto named = name_of(message);
  if (!named.has_value()) return;
  if (!notes_) return leave_out();
  const std::uint64_t now = time_of_clock();
  add({(way == Way::sent ? kSent : kTaken) + type_of(message), run, named->number, named->index, other, now, now});
}

void TimeLog::tell(std::uint32_t process, const TimesListener& listener) {
  if (left_out_ > 0) end_gap(time_of_clock());
  listener(process, records_, std::exchange(lost_, 0));
  records_.clear();
}

std::vector<wire::Times> TimeLog::release_messages() {
  if (left_out_ > 0) end_gap(time_of_clock());
  std::vector<wire::Times> messages;
  for (std::size_t first = 0; first < records_.size() || (first == 0 && lost_ > 0); first += kRecordsAMessage) {
    wire::Times& times = messages.emplace_back();
    times.lost = std::exchange(lost_, 0);
    for (std::size_t k = first; k < std::min(records_.size(), first + kRecordsAMessage); ++k) {
      const TimeRecord& record = records_[k];
      times.what.push_back(record.what);
      times.runs.push_back(record.run);
      times.numbers.push_back(record.number);
      times.indices.push_back(record.index);
      times.who.push_back(record.who);
      times.begins.push_back(record.begin);
      times.ends.push_back(record.end);
    }
  }
  records_.clear();
  return messages;
}

bool read_times(const wire::Times& times, std::vector<TimeRecord>& records) {
  const std::size_t count = times.what.size();
  const bool whole = times.runs.size() == count && times.numbers.size() == count && times.indices.size() == count &&
                     times.who.size() == count && times.begins.size() == count && times.ends.size() == count;
  if (!whole) return false;
  records.clear();
  records.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (times.ends[k] < times.begins[k] || name_of_time(times.what[k]).empty()) return false;
    records.push_back({times.what[k], times.runs[k], times.numbers[k], times.indices[k], times.who[k], times.begins[k],
                       times.ends[k]});
  }
  return true;
}

}  // namespace strads::transport

namespace strads {

std::string name_of_time(std::uint32_t what) {
  using transport::kSent, transport::kTaken, transport::kTasks;
  if (what < kTasks.size()) return kTasks[what];
  std::string name;
  wire::for_each_message_type([&]<class M>(std::type_identity<M>) {
    if (what == kSent + M::kType) name = std::string("sent ") + M::kName;
    if (what == kTaken + M::kType) name = std::string("taken ") + M::kName;
  });
  return name;
}

std::uint64_t time_of_clock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace strads
