// What programs say on stderr while they work: lines for people, or with --log-format json an object a line.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"
#include "strads/program/summary.hpp"

namespace strads {

/// The values of --log-format; the first one is the default.
inline constexpr const char* kLogFormats[] = {"text", "json"};

/// From here on, of all threads of the process. `format`: one of kLogFormats.
void use_log_format(std::string_view format);
/// What --log-format says among arguments that nobody has looked at yet: what is wrong with them is an event as well.
void choose_log_format(std::span<const std::string> arguments);
[[nodiscard]] bool logs_json();

/// "WHO: error: ..." on stderr, or an event `error`: of a failure that may not end the process.
void print_error(std::string_view who, const Status& status);
/// "WHO: text" on stderr, or an event `log`.
void print_line(std::string_view who, std::string_view text);
/// With JSON: the summary of a run as an event `result`. `out`: its directory; "": there is none.
void print_result(std::string_view command, const std::string& out, const Summary& summary);

/// The fields of all events as a table in Markdown, for docs/OUTPUT.md, and as a JSON schema.
[[nodiscard]] std::string event_log_markdown();
[[nodiscard]] std::string event_log_schema();

}  // namespace strads
