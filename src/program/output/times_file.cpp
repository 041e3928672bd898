#include "program/output/times_file.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace strads {
namespace {

constexpr const char* kTimesHeader = "process\trun\twhat\tnumber\tindex\twho\tbegin\tnanoseconds\n";
constexpr std::size_t kTimesBufferBytes = 1U << 16U;
constexpr std::uint32_t kWhatMax = 128;
constexpr std::uint32_t kOfNoRun = 0xffffffff;

std::string name_of_process(std::uint32_t process) {
  return process == kTimesOfDriver ? "driver" : std::to_string(process);
}

void add_number(std::uint64_t number, std::string& out) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace

TimesFile::TimesFile(ResultWriter file) : file_(std::move(file)), rows_(kTimesHeader) {
  for (std::uint32_t what = 0; what < kWhatMax; ++what) names_.push_back(name_of_time(what));
}

Result<std::shared_ptr<TimesFile>> TimesFile::open(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(auto file, ResultWriter::open(path));
  return std::shared_ptr<TimesFile>(new TimesFile(std::move(file)));
}

TimesListener TimesFile::listener() {
  return [this](std::uint32_t process, std::span<const TimeRecord> records, std::uint64_t lost) {
    add(process, records, lost);
  };
}

void TimesFile::add(std::uint32_t process, std::span<const TimeRecord> records, std::uint64_t lost) {
  if (lost > 0) lost_[process] += lost;
  if (!outcome_.ok()) return;
  const std::string name = name_of_process(process);
  for (const TimeRecord& record : records) add(name, names_.at(record.what), record);
  if (rows_.size() >= kTimesBufferBytes) write_out();
}

void TimesFile::add(const std::string& process, const std::string& what, const TimeRecord& record) {
  rows_ += process;
  rows_ += '\t';
  if (record.run != kOfNoRun) add_number(record.run, rows_);
  rows_ += '\t';
  rows_ += what;
  for (const std::uint32_t number : {record.number, record.index}) {
    rows_ += '\t';
    add_number(number, rows_);
  }
  rows_ += '\t';
  record.who == kTimesOfDriver ? void(rows_ += "driver") : add_number(record.who, rows_);
  rows_ += '\t';
  add_number(record.begin, rows_);
  rows_ += '\t';
  add_number(record.end - record.begin, rows_);
  rows_ += '\n';
}

void TimesFile::write_out() {
  outcome_ = file_.write(rows_);
  rows_.clear();
}

Status TimesFile::finish(double seconds) {
  const std::uint64_t now = time_of_clock();
  const auto solving = static_cast<std::uint64_t>(seconds * 1e9);
  add("driver", "solving", {0, kOfNoRun, 0, 0, 0, now - solving, now});
  for (const auto& [process, count] : lost_) {
    add(name_of_process(process), "lost", {0, kOfNoRun, static_cast<std::uint32_t>(count), 0, 0, now, now});
  }
  if (outcome_.ok()) write_out();
  return outcome_.ok() ? file_.commit() : outcome_;
}

}  // namespace strads
