// A program's frame: its version, its end, signals, threads, and how numbers are written.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads {

/// The project's version, e.g. "0.1.0".
[[nodiscard]] std::string_view version();

/// 16 hex digits: the same for programs built from the same sources with the same compiler and flags, wherever their
/// source trees lie; else different. Written by cmake/BuildId.cmake.
[[nodiscard]] std::string build_id();

/// SIGINT, SIGTERM or SIGHUP (unless it is ignored, as under nohup): finish_requested() turns true. A second SIGINT, or
/// a SIGTERM a second later, ends the process with 128 + its number, after the file that is being written. Call once,
/// from commands that finish in order.
void install_signal_handlers();
[[nodiscard]] bool finish_requested();

/// A pool of `threads` threads (0: as many as it may use) for what a program computes outside of a run. Pieces of
/// a for_each are taken by the caller and by the pool's threads.
[[nodiscard]] std::shared_ptr<Chunks> make_threads(unsigned threads);

/// VmHWM of this process: the most memory it ever held, mapped pages included. 0 where the system does not say.
[[nodiscard]] std::uint64_t peak_rss_bytes();

/// Long arrays of floats come in large pages where the system has them. Call before there are threads.
void use_large_pages();

/// Runs a program's body and turns its outcome into an exit code. Errors go to stderr as "NAME: error: ..."; an
/// exception, also one of another thread, ends with 70 and its message. StatusCode::input ends what the machine lacks:
/// memory, threads, a stdout that takes everything; and a mapped file that is shortened meanwhile, by its name.
[[nodiscard]] int run_program(const char* name, const std::function<Status()>& body);
/// Prints the outcome as run_program() would and ends the process at once, although threads of it still load or
/// compute: nobody waits for them any more.
[[noreturn]] void end_program(const char* name, const Status& outcome);
/// "NAME: note: ..." on stderr.
void print_note(std::string_view name, std::string_view text);

/// Shortest text that reads back as the same double.
[[nodiscard]] std::string exact_text(double value);
/// `digits` significant digits, for people.
[[nodiscard]] std::string short_text(double value, int digits = 6);

}  // namespace strads
