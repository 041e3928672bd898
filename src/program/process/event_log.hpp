// The events of a log of JSON that are this layer's own. Each is written as one line by one write(). All do nothing
// where the log is text, but for the last words.
#pragma once

#include <string>
#include <string_view>

#include "strads/program/event_log.hpp"

namespace strads {

class ProgressLine;
struct ProgressEvent;

/// Whose lines these are: "lasso". Also in last words.
void name_program(const char* program);
[[nodiscard]] const char* program_name();

void log_start(std::string_view command, std::string_view version, const std::string& build);
/// `of`: the event of a run; null: other work.
void log_progress(const ProgressLine& line, const ProgressEvent* of);
void log_note(std::string_view text);
void log_error(std::string_view text, int exit_code);
void log_end(int exit_code, double seconds);

}  // namespace strads
