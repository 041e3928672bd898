// How failures are said: Status and Result for what users and peers get wrong, STRADS_CHECK for our own bugs.
// Layer: base. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace strads {

/// Kind of a failure. The value is the exit code of the command-line programs (docs: README, "Exit codes").
enum class StatusCode : int {
  ok = 0,        ///< done
  usage = 2,     ///< a wrong option or combination of options
  stopped = 3,   ///< a limit or a signal ended the run; results are written
  input = 4,     ///< a file is missing, damaged, shortened, or unfit for the others; no memory, threads or disk
  cluster = 5,   ///< a process or connection was lost
  internal = 70  ///< a bug of ours; the message asks for a report
};

/// Outcome of an operation that can fail for a reason outside the program. An error's message says where, what was
/// found, what was expected and what to do, e.g.
/// `train.libsvm:17:9: feature index 0, expected >= 1 (libsvm counts from one)`.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status usage(std::string message) { return {StatusCode::usage, std::move(message)}; }
  static Status input(std::string message) { return {StatusCode::input, std::move(message)}; }
  static Status cluster(std::string message) { return {StatusCode::cluster, std::move(message)}; }
  static Status internal(std::string message) { return {StatusCode::internal, std::move(message)}; }

  [[nodiscard]] bool ok() const noexcept { return code_ == StatusCode::ok; }
  [[nodiscard]] StatusCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

 private:
  StatusCode code_ = StatusCode::ok;
  std::string message_;
};

/// Reports a broken invariant and ends the process. Never returns.
[[noreturn]] void check_failed(const char* file, int line, const char* expression, std::string_view why);

/// Either a value or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (status_.ok()) check_failed(__FILE__, __LINE__, "!status.ok()", "a Result without a value needs an error");
  }

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  [[nodiscard]] const Status& status() const noexcept { return status_; }

  /// REQUIRES: ok().
  [[nodiscard]] const T& value() const& {
    require();
    return *value_;
  }
  [[nodiscard]] T& value() & {
    require();
    return *value_;
  }
  [[nodiscard]] T&& value() && {
    require();
    return *std::move(value_);
  }

 private:
  void require() const {
    if (!value_.has_value()) check_failed(__FILE__, __LINE__, "result.ok()", status_.message());
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace strads

/// A condition that only a bug of ours can break; stays on in release builds. The second argument says why it holds.
#define STRADS_CHECK(condition, why)                                                 \
  do {                                                                               \
    if (!(condition)) ::strads::check_failed(__FILE__, __LINE__, #condition, (why)); \
  } while (false)

/// STRADS_ASSIGN_OR_RETURN(const auto text, read_file(path)); declares `text`, or assigns to it, where the Result that
/// follows has a value; else the function returns its Status.
#define STRADS_ASSIGN_OR_RETURN(target, ...) \
  STRADS_ASSIGN_OR_RETURN_BY(STRADS_JOINED(strads_result_, __LINE__), target, __VA_ARGS__)
#define STRADS_ASSIGN_OR_RETURN_BY(result, target, ...) \
  auto result = __VA_ARGS__;                            \
  if (!result.ok()) return result.status();             \
  target = std::move(result).value()
#define STRADS_JOINED(first, second) STRADS_JOINED_NOW(first, second)
#define STRADS_JOINED_NOW(first, second) first##second
