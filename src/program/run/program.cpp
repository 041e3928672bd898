#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "data/files/memory_limit.hpp"
#include "program/files/read_file.hpp"
#include "program/process/data_faults.hpp"
#include "program/process/event_log.hpp"
#include "strads/program/build_facts.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads {
namespace {

/// Begins with run_program().
const Stopwatch& since_start() {
  static const Stopwatch watch;
  return watch;
}

std::string megabytes(std::uint64_t bytes) {
  return bytes == 0 ? "an unknown amount" : std::to_string(bytes >> 20) + " MiB";
}

/// What the exception that is being handled means for a user: the machine's limits are no bug of ours.
Status status_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Status::input("out of memory: " + megabytes(peak_rss_bytes()) +
                         " were held at most; machine and control groups have " + megabytes(data::memory_left()) +
                         " left, and ulimit -v may set a limit of its own; use fewer columns or threads, or a larger "
                         "machine");
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      return Status::input(
          "the system starts no more threads (ulimit -u, or the container's limit of processes); give a smaller "
          "--threads, or raise the limit");
    }
    return Status::internal(std::string("internal error: ") + error.what() +
                            "; please report it with the command line");
  } catch (const std::exception& error) {
    return Status::internal(std::string("internal error: ") + error.what() +
                            "; please report it with the command line");
  } catch (...) {
    return Status::internal("internal error: exception of an unknown type; please report it with the command line");
  }
}

/// An exception that no one caught, on whichever thread: said, then the end, never a silent abort.
[[noreturn]] void on_terminate() {
  const Status status = std::current_exception() ? status_of_exception() : Status::internal("internal error");
  print_error(program_name(), status);
  log_end(static_cast<int>(status.code()), since_start().seconds());
  std::fflush(nullptr);
  ::_exit(static_cast<int>(status.code()));
}

/// What was printed has to have arrived: a result on stdout may be all that a command leaves.
Status flush_stdout() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return Status::input("stdout: what the program printed could not be written; is the disk full?");
}

}  // namespace

int run_program(const char* name, const std::function<Status()>& body) {
  use_large_pages();
  static_cast<void>(since_start());
  std::set_terminate(on_terminate);
  install_data_fault_handler(name);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error of write(), like a full disk
  Status status;
  try {
    status = body();
  } catch (...) {
    status = status_of_exception();
  }
  if (!status.message().empty()) print_error(name, status);
  if (const Status flushed = flush_stdout(); !flushed.ok()) {
    print_error(name, flushed);
    if (status.ok() || status.code() == StatusCode::stopped) status = flushed;
  }
  log_end(static_cast<int>(status.code()), since_start().seconds());
  return static_cast<int>(status.code());
}

Status run_subcommand(const std::string& program, const char* usage, std::span<const Subcommand> commands,
                      std::span<const std::string> arguments) {
  choose_log_format(arguments);
  if (arguments.empty()) return Status::usage(std::string("no command given\n") + usage);
  const std::string& name = arguments.front();
  std::vector<std::string> names;
  std::string listed;
  for (const Subcommand& command : commands) {
    if (name == command.name) return command.run(arguments.subspan(1));
    names.emplace_back(command.name);
    listed += (listed.empty() ? "" : ", ") + names.back();
  }
  if (name == "--help" || name == "-h" || name == "--help-all" || name == "help") {
    std::fputs(usage, stdout);
    return {};
  }
  if (asks_for_version_details(arguments)) {
    std::fputs(version_details(program).c_str(), stdout);
    return {};
  }
  if (name == "--version") {
    if (arguments.size() > 1) {
      return Status::usage("found '" + arguments[1] + "' after --version, expected --verbose or nothing");
    }
    std::fputs(version_line(program).c_str(), stdout);
    return {};
  }
  const auto near = nearest_name(name, names);
  return Status::usage("unknown command '" + name + "'" + (near.empty() ? "" : "; did you mean " + near + "?") +
                       " (commands: " + listed + ")");
}

void end_program(const char* name, const Status& outcome) {
  if (!outcome.message().empty()) print_error(name, outcome);
  log_end(static_cast<int>(outcome.code()), since_start().seconds());
  std::fflush(nullptr);
  ::_exit(static_cast<int>(outcome.code()));
}

void print_note(std::string_view name, std::string_view text) {
  if (logs_json()) return log_note(text);
  std::fprintf(stderr, "%.*s: note: %.*s\n", static_cast<int>(name.size()), name.data(), static_cast<int>(text.size()),
               text.data());
}

Stopwatch::Stopwatch() : start_nanoseconds_(std::chrono::steady_clock::now().time_since_epoch().count()) {}

double Stopwatch::seconds() const {
  return static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count() - start_nanoseconds_) / 1e9;
}

std::uint64_t peak_rss_bytes() {
  const auto status = read_whole_file("/proc/self/status");
  if (!status.ok()) return 0;
  const auto at = status.value().find("VmHWM:");
  if (at == std::string::npos) return 0;
  constexpr std::uint64_t kKibibyte = 1024;
  return kKibibyte * std::strtoull(status.value().c_str() + at + 6, nullptr, 10);
}

}  // namespace strads
