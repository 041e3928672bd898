// The only user of spdlog.
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <utility>

#include "strads/program/log.hpp"

namespace strads {
namespace {

/// A sink whose text can be read while others write.
class MemorySink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::string text() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }
  void show(std::shared_ptr<LiveFiles> files, const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    shown_ = std::move(files);
    shown_name_ = name;
    shown_->append(shown_name_, text_);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    text_.append(line.data(), line.size());
    if (shown_ != nullptr) shown_->append(shown_name_, {line.data(), line.size()});
  }
  void flush_() override {}

 private:
  std::string text_;
  std::shared_ptr<LiveFiles> shown_;
  std::string shown_name_;
};

}  // namespace

struct Log::State {
  std::shared_ptr<MemorySink> sink = std::make_shared<MemorySink>();
  spdlog::logger logger{"run", sink};
  std::function<void(std::string_view level, std::string_view line)> listener;

  void write(spdlog::level::level_enum level, const char* name, std::string_view line) {
    logger.log(level, "{}", line);  // "{}": a line may hold braces, which are not a format
    if (listener) listener(name, line);
  }
};

Log::Log() : state_(std::make_unique<State>()) {
  state_->logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %-5l %v");
}
Log::~Log() = default;

void Log::info(std::string_view line) {
  state_->write(spdlog::level::info, "info", line);
}
void Log::warn(std::string_view line) {
  state_->write(spdlog::level::warn, "warning", line);
}
void Log::error(std::string_view line) {
  state_->write(spdlog::level::err, "error", line);
}
void Log::tell(std::function<void(std::string_view level, std::string_view line)> listener) {
  state_->listener = std::move(listener);
}
std::string Log::text() const {
  return state_->sink->text();
}
void Log::show(std::shared_ptr<LiveFiles> files, const std::string& name) {
  state_->sink->show(std::move(files), name);
}

}  // namespace strads
