// The one place that writes events, and that says what their fields are.
#include "program/process/event_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>

#include "program/process/last_words.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/progress_line.hpp"

namespace strads {
namespace {

using Json = nlohmann::ordered_json;

/// A field of events. `events`: names with blanks between them; "": of all.
struct EventField {
  const char* name;
  const char* type;  ///< of JSON; "time": a string
  const char* events;
  bool always;
  const char* meaning;
};

constexpr const char* kEvents[][2] = {
    {"start", "the command begins: its options were understood"},
    {"progress", "at most one a second, and the first one of a run"},
    {"note", "what the text form says as `NAME: note: ...`"},
    {"log", "what the text form says as `NAME: ...`"},
    {"error", "what the text form says as `NAME: error: ...`"},
    {"result", "of a run: its summary, recomputed and, with `--out`, written"},
    {"end", "the last line; a process that was killed, or ended by a second Ctrl-C, has none"}};

constexpr EventField kFields[] = {
    {"event", "string", "", true, "one of the names above"},
    {"time", "time", "", true, "UTC, with milliseconds: `2026-11-24T18:00:00.123Z`"},
    {"program", "string", "", true, "`lasso`, `mf`, `lda`, `svm`, `strads_sim`, `stradsd`"},
    {"command", "string", "start result", true, "`lasso path`; of programs without commands the program"},
    {"version", "string", "start", true, "of the release"},
    {"build", "string", "start", true, "16 hexadecimal digits, as `--version` shows"},
    {"process", "integer", "start", true, "its number (pid)"},
    {"message", "string", "note log error", true, "what people read in the text form"},
    {"seconds", "number", "progress end", true, "of solving, reading or checking; of `end` since the program began"},
    {"text", "string", "progress", true, "the line that people see, whole"},
    {"kind", "string", "progress", false,
     "of a run: `started` (all data looked at), `commit` (a round), `barrier` (figures are new)"},
    {"round", "integer", "progress", false, "of a run: commits so far, of all its parts"},
    {"phase", "integer", "progress", false, "of a run: barriers that went on"},
    {"updates", "integer", "progress", false, "of a run: updates of variables so far"},
    {"unit", "string", "progress", false, "what is counted: `lambda`, `fit`, `sweep`, `solution` and others"},
    {"done", "integer", "progress", false, "so many of them have ended"},
    {"total", "integer", "progress", false, "of so many, where that is known"},
    {"at_most", "boolean", "progress", false, "true: the run may end before `total`"},
    {"seconds_left", "number", "progress", false, "an estimate; only where all units take about as long"},
    {"figures", "object", "progress", true, "numbers by name, those of the line; null where one is not finite"},
    {"out", "string", "result", false, "the directory of `--out`"},
    {"summary", "object", "result", true, "as [summary.json](#files-of-lasso), without `files` and `file_hashes`"},
    {"exit_code", "integer", "error end", true,
     "[of the process](#exit-codes-and-signals); of an `error` without an `end` behind it, what it would be"}};

std::atomic<bool> writes_json{false};
std::atomic<const char*> named_program{"strads"};
std::mutex one_line;

bool names_event(const EventField& field, std::string_view event) {
  const std::string events = std::string(" ") + field.events + " ";
  return *field.events == '\0' || events.find(" " + std::string(event) + " ") != std::string::npos;
}

Json event_of(const char* kind) {
  std::array<char, kTimeBytes> time{};
  write_time(time.data());
  return {{"event", kind}, {"time", std::string(time.data(), time.size())}, {"program", named_program.load()}};
}

void write_event(const Json& event) {
  // Names come from outside: what is not UTF-8 must not end a run.
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(one_line);
  const LineBeingWritten mark;
  for (std::size_t at = 0; at < line.size();) {
    const auto count = ::write(STDERR_FILENO, line.data() + at, line.size() - at);
    if (count <= 0) return;  // nowhere to say it
    at += static_cast<std::size_t>(count);
  }
}

void write_message(const char* kind, std::string_view text) {
  Json event = event_of(kind);
  event["message"] = text;
  write_event(event);
}

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

const char* name_of(ProgressEvent::Kind kind) {
  if (kind == ProgressEvent::Kind::started) return "started";
  return kind == ProgressEvent::Kind::commit ? "commit" : "barrier";
}

void add_count(const ProgressLine& line, Json& event) {
  if (const auto& count = line.counted(); count.has_value()) {
    event["unit"] = count->unit;
    event["done"] = count->done;
    if (count->total > 0) {
      event["total"] = count->total;
      event["at_most"] = count->at_most;
    }
  }
  if (line.seconds_to_go().has_value()) event["seconds_left"] = *line.seconds_to_go();
}

Json type_of(const EventField& field) {
  if (field.type == std::string_view("time")) return {{"type", "string"}, {"format", "date-time"}};
  Json type = {{"type", field.type}};
  if (field.name == std::string_view("figures")) type["additionalProperties"] = {{"type", {"number", "null"}}};
  if (field.name == std::string_view("kind")) type["enum"] = {"started", "commit", "barrier"};
  if (field.type == std::string_view("integer")) type["minimum"] = 0;
  return type;
}

}  // namespace

void use_log_format(std::string_view format) {
  writes_json = format == kLogFormats[1];
  say_last_words_as_events(writes_json);
}

void choose_log_format(std::span<const std::string> arguments) {
  constexpr std::string_view kOption = "--log-format";
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& word = arguments[k];
    if (word == kOption && k + 1 < arguments.size()) use_log_format(arguments[k + 1]);
    if (word.starts_with(std::string(kOption) + "=")) use_log_format(word.substr(kOption.size() + 1));
  }
}

bool logs_json() {
  return writes_json;
}

void name_program(const char* program) {
  named_program = program;
}

const char* program_name() {
  return named_program;
}

void log_start(std::string_view command, std::string_view version, const std::string& build) {
  if (!writes_json) return;
  Json event = event_of("start");
  event["command"] = command;
  event["version"] = version;
  event["build"] = build;
  event["process"] = ::getpid();
  write_event(event);
}

void log_progress(const ProgressLine& line, const ProgressEvent* of) {
  if (!writes_json) return;
  Json event = event_of("progress");
  event["seconds"] = line.seconds();
  event["text"] = line.text();
  if (of != nullptr) {
    event["kind"] = name_of(of->kind);
    event["round"] = of->totals.rounds;
    event["phase"] = of->phase;
    event["updates"] = of->totals.updates;
  }
  add_count(line, event);
  event["figures"] = Json::object();
  for (const auto& field : line.fields()) {
    if (!field.name.empty()) event["figures"][field.name] = finite(field.value);
  }
  write_event(event);
}

void log_note(std::string_view text) {
  if (writes_json) write_message("note", text);
}

void log_error(std::string_view text, int exit_code) {
  if (!writes_json) return;
  Json event = event_of("error");
  event["message"] = text;
  event["exit_code"] = exit_code;
  write_event(event);
}

void log_end(int exit_code, double seconds) {
  if (!writes_json) return;
  Json event = event_of("end");
  event["exit_code"] = exit_code;
  event["seconds"] = seconds;
  write_event(event);
}

void print_error(std::string_view who, const Status& status) {
  const std::string& text = status.message();
  if (writes_json) return log_error(text, static_cast<int>(status.code()));
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(who.size()), who.data(), text.c_str());
}

void print_line(std::string_view who, std::string_view text) {
  if (writes_json) return write_message("log", text);
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(who.size()), who.data(), static_cast<int>(text.size()),
               text.data());
}

void print_result(std::string_view command, const std::string& out, const Summary& summary) {
  if (!writes_json) return;
  Json event = event_of("result");
  event["command"] = command;
  if (!out.empty()) event["out"] = out;
  event["summary"] = Json::parse(summary.json());
  write_event(event);
}

std::string event_log_markdown() {
  std::string text = "| event | is |\n| --- | --- |\n";
  for (const auto& [event, meaning] : kEvents) text += std::string("| `") + event + "` | " + meaning + " |\n";
  text += "\n| field | type | of | is |\n| --- | --- | --- | --- |\n";
  for (const EventField& field : kFields) {
    std::string events = *field.events == '\0' ? "all" : field.events;
    std::string listed;
    for (const char letter : events) listed += letter == ' ' ? std::string(", ") : std::string(1, letter);
    text += std::string("| `") + field.name + "` | " +
            (field.type == std::string_view("time") ? "string" : field.type) + " | " + listed +
            (field.always ? "" : " (not always)") + " | " + field.meaning + " |\n";
  }
  return text;
}

std::string event_log_schema() {
  Json schemas = Json::array();
  for (const auto& [event, meaning] : kEvents) {
    Json properties = Json::object(), required = Json::array();
    for (const EventField& field : kFields) {
      if (!names_event(field, event)) continue;
      properties[field.name] = field.name == std::string_view("event") ? Json({{"const", event}}) : type_of(field);
      properties[field.name]["description"] = field.meaning;
      if (field.always) required.push_back(field.name);
    }
    schemas.push_back({{"title", event},
                       {"description", meaning},
                       {"type", "object"},
                       {"properties", properties},
                       {"required", required},
                       {"additionalProperties", false}});
  }
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "A line on stderr of a program of strads with --log-format json"},
                       {"oneOf", schemas}};
  return schema.dump(2) + "\n";
}

}  // namespace strads
