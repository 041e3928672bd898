#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "daemon/data_faults.hpp"
#include "daemon/read_file.hpp"
#include "strads/run.hpp"

namespace strads {
namespace {

void print_error(std::string_view name, std::string_view text) {
  std::fprintf(stderr, "%.*s: error: %.*s\n", static_cast<int>(name.size()), name.data(), static_cast<int>(text.size()),
               text.data());
}

constexpr int kInternal = static_cast<int>(StatusCode::internal);

/// An exception that no one caught, on whichever thread: said, then exit 70, never a silent abort.
[[noreturn]] void on_terminate() {
  std::string what = "unknown exception";
  try {
    if (const auto current = std::current_exception()) std::rethrow_exception(current);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "exception of an unknown type";
  }
  std::fprintf(stderr, "internal error: %s; please report it with the command line\n", what.c_str());
  std::fflush(nullptr);
  ::_exit(kInternal);
}

}  // namespace

int run_program(const char* name, const std::function<Status()>& body) {
  use_large_pages();
  std::set_terminate(on_terminate);
  install_data_fault_handler(name);
  try {
    const Status status = body();
    if (!status.message().empty()) print_error(name, status.message());
    std::fflush(stdout);
    return static_cast<int>(status.code());
  } catch (const std::bad_alloc&) {
    print_error(name, "out of memory; the data or the working set does not fit, use fewer columns or a larger machine");
  } catch (const std::exception& error) {
    print_error(name, std::string("internal error: ") + error.what() + "; please report it with the command line");
  } catch (...) {
    print_error(name, "internal error: exception of an unknown type; please report it with the command line");
  }
  return kInternal;
}

void end_program(const char* name, const Status& outcome) {
  if (!outcome.message().empty()) print_error(name, outcome.message());
  std::fflush(nullptr);
  ::_exit(static_cast<int>(outcome.code()));
}

void print_note(std::string_view name, std::string_view text) {
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
