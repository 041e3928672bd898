#include "strads/program/live_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace strads {
namespace {

constexpr std::chrono::seconds kInterval{1};

/// Takes the text up to the next comma, and the comma.
std::string_view next_field(std::string_view& rest) {
  const auto end = rest.find(',');
  const auto field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return field;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/// Whether all of it was written.
bool write_whole(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Signals are for the threads that wait for something.
void take_no_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

struct LiveFiles::State {
  struct File {
    std::string path;
    std::string told;  ///< and not yet written
    int descriptor = -1;
    bool is_given_up = false;
  };
  struct Row {
    std::string header, fields;
  };

  explicit State(std::string where) : folder(std::move(where) + "/") {}

  void write_told();
  void write_status(const Row& row) const;

  std::string folder;
  std::mutex telling;  ///< of `files`, what was told to each, and `status`
  std::mutex writing;  ///< of descriptors and what is given up; taken first
  std::map<std::string, File> files;
  std::optional<Row> status;
  bool is_finished = false;
  std::condition_variable_any ended;
  std::jthread thread;
};

void LiveFiles::State::write_told() {
  const std::lock_guard<std::mutex> one(writing);
  std::vector<std::pair<File*, std::string>> texts;
  std::optional<Row> shown;
  {
    const std::lock_guard<std::mutex> brief(telling);
    if (is_finished) return;
    for (auto& [name, file] : files) {
      if (!file.told.empty()) texts.emplace_back(&file, std::exchange(file.told, {}));
    }
    shown = std::exchange(status, std::nullopt);
  }
  for (const auto& [file, text] : texts) {
    if (file->is_given_up) continue;
    if (file->descriptor < 0) {
      file->descriptor = ::open(file->path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    file->is_given_up = file->descriptor < 0 || !write_whole(file->descriptor, text);
  }
  if (shown.has_value()) write_status(*shown);
}

/// A reader finds the old one or the new one, never half of one.
void LiveFiles::State::write_status(const Row& row) const {
  const std::string path = folder + kStatusFile, next = path + ".next";
  const int descriptor = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  const bool is_whole = write_whole(descriptor, json_of_row(row.header, row.fields));
  ::close(descriptor);
  (void)(is_whole ? std::rename(next.c_str(), path.c_str()) : std::remove(next.c_str()));
}

LiveFiles::LiveFiles(const std::string& folder) : state_(std::make_unique<State>(folder)) {
  state_->thread = std::jthread([state = state_.get()](const std::stop_token& stop) {
    take_no_signals();
    while (!stop.stop_requested()) {
      {
        std::unique_lock<std::mutex> lock(state->telling);
        state->ended.wait_for(lock, stop, kInterval, [] { return false; });
      }
      state->write_told();
    }
  });
}

LiveFiles::~LiveFiles() {
  finish();
}

void LiveFiles::append(const std::string& name, std::string_view text) {
  const std::lock_guard<std::mutex> lock(state_->telling);
  State::File& file = state_->files[name];
  if (file.path.empty()) file.path = state_->folder + name;
  file.told.append(text);
}

void LiveFiles::show_status(std::string_view header, std::string_view row) {
  const std::lock_guard<std::mutex> lock(state_->telling);
  if (!state_->status.has_value()) state_->status.emplace();
  state_->status->header = header;
  state_->status->fields = row;
}

void LiveFiles::flush() {
  state_->write_told();
}

void LiveFiles::finish() {
  if (!state_->thread.joinable()) return;
  state_->thread.request_stop();
  state_->thread.join();
  state_->write_told();
  const std::lock_guard<std::mutex> lock(state_->telling);
  state_->is_finished = true;
  for (const auto& [name, file] : state_->files) {
    if (file.descriptor >= 0) ::close(file.descriptor);
  }
}

std::string json_of_row(std::string_view header, std::string_view row) {
  std::string text;
  while (!header.empty()) {
    const auto name = next_field(header), value = next_field(row);
    text += text.empty() ? "{\n  \"" : ",\n  \"";
    text.append(name).append("\": ");
    if (value.empty()) {
      text += "null";
    } else if (is_number(value)) {
      text += value;
    } else {
      text.append("\"").append(value).append("\"");
    }
  }
  return text + "\n}\n";
}

}  // namespace strads
