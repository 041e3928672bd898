#include "program/status/metrics_text.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "strads/program/program.hpp"

namespace strads {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// What the format asks for in a label's value.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || c == '"') out += '\\';
      out += c;
    }
  }
  return out;
}

/// Its rows follow its head at once, as the format asks for.
class Family {
 public:
  Family(std::string& out, const char* type, std::string name, const char* help) : out_(out), name_(std::move(name)) {
    head_ = "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
  }
  void row(const Labels& labels, double value) {
    if (!std::isfinite(value)) return;
    out_ += std::exchange(head_, {}) + name_;
    std::string inside;
    for (const auto& [label, text] : labels) {
      inside += (inside.empty() ? "" : ",") + std::string(label) + "=\"" + escaped(text) + "\"";
    }
    if (!inside.empty()) out_ += "{" + inside + "}";
    out_ += " " + exact_text(value) + "\n";
  }
  void row(const Labels& labels, std::uint64_t value) { row(labels, static_cast<double>(value)); }

 private:
  std::string& out_;
  std::string name_, head_;
};

void one(std::string& out, const char* type, const char* name, const char* help, double value) {
  Family(out, type, name, help).row({}, value);
}

void add_program(std::string& out, const StatusView& view) {
  Family(out, "gauge", "strads_build_info", "Always 1; what is running.")
      .row({{"command", view.facts.command}, {"version", view.facts.version}, {"build", view.facts.build}},
           std::uint64_t{1});
  Family(out, "gauge", "strads_stage_info", "Always 1; what the program does now.")
      .row({{"stage", view.stage}}, std::uint64_t{1});
  one(out, "gauge", "strads_ready", "1 while it computes, or a node that stays waits for a driver.",
      view.ready ? 1 : 0);
  one(out, "gauge", "strads_solving_seconds", "Seconds of solving at the last event.", view.solving);
  if (view.end) {
    one(out, "gauge", "strads_exit_code", "Exit code of the program, which has ended.", view.end->code);
    one(out, "gauge", "strads_end_time_seconds", "When it ended, in seconds since 1970.",
        view.facts.started + view.elapsed);
  }
  one(out, "gauge", "process_start_time_seconds", "Start of the process in seconds since 1970.", view.facts.started);
  one(out, "counter", "process_cpu_seconds_total", "Processor time of this process.", view.memory.cpu_seconds);
  one(out, "gauge", "process_resident_memory_bytes", "Resident memory of this process.",
      static_cast<double>(view.memory.resident));
  one(out, "gauge", "strads_memory_peak_bytes", "Most resident memory that this process ever held.",
      static_cast<double>(view.memory.peak));
}

void add_runs(std::string& out, const StatusView& view) {
  if (view.runs_total == 0) return;
  one(out, "gauge", "strads_runs", "Runs of the command: folds, points of a grid, paths.",
      static_cast<double>(view.runs_total));
  one(out, "gauge", "strads_runs_ended", "Those that have ended.", static_cast<double>(view.runs_ended));
  one(out, "counter", "strads_updates_total", "Updates of variables that were committed, of all runs.",
      static_cast<double>(view.updates));
  one(out, "counter", "strads_rounds_total", "Committed rounds, of all runs.", static_cast<double>(view.rounds));
  one(out, "counter", "strads_phases_total", "Phases, of all runs.", static_cast<double>(view.phases));
  const auto of_each = [&](const char* name, const char* help, const std::function<double(const StatusPoint&)>& value) {
    Family family(out, "gauge", name, help);
    for (const StatusRun& run : view.runs) {
      if (run.now.number == 0) continue;  // it has not begun
      family.row({{"run", std::to_string(run.place)}, {"name", run.name}}, value(run.now));
    }
  };
  of_each("strads_objective", "Objective of a run.", [](const StatusPoint& now) { return now.objective; });
  of_each("strads_relative_gap", "Duality gap divided by the objective, where the model has one.",
          [](const StatusPoint& now) { return now.gap < 0 ? std::nan("") : now.gap; });
  of_each("strads_nonzeros", "Nonzero coefficients at the last barrier.",
          [](const StatusPoint& now) { return static_cast<double>(now.nonzeros); });
}

void add_nodes(std::string& out, const StatusView& view) {
  const auto of_each = [&](const char* type, const char* name, const char* help,
                           const std::function<double(const StatusNode&)>& value) {
    Family family(out, type, name, help);
    for (const StatusNode& node : view.nodes) {
      family.row({{"rank", std::to_string(node.rank)}, {"node", node.name}}, value(node));
    }
  };
  const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
  Family states(out, "gauge", "strads_nodes", "Nodes by state.");
  if (!view.nodes.empty()) {
    for (const char* state : {"ok", "slow", "silent", "lost", "left"}) {
      std::uint64_t nodes = 0;
      for (const StatusNode& node : view.nodes) nodes += node.state == state ? 1 : 0;
      states.row({{"state", state}}, nodes);
    }
  }
  of_each("gauge", "strads_node_last_word_seconds", "Seconds since a node was heard.",
          [](const StatusNode& node) { return node.last_word; });
  of_each("counter", "strads_node_updates_total", "Updates that a node has computed.",
          [&](const StatusNode& node) { return count(node.updates); });
  of_each("counter", "strads_node_sent_messages_total", "Messages that a node has sent to others.",
          [&](const StatusNode& node) { return count(node.messages); });
  of_each("counter", "strads_node_sent_bytes_total", "Bytes that a node has sent to others.",
          [&](const StatusNode& node) { return count(node.bytes); });
  of_each("counter", "strads_node_busy_seconds_total", "Seconds of its threads that a node has computed.",
          [](const StatusNode& node) { return node.seconds_busy; });
  of_each("counter", "strads_node_waiting_seconds_total",
          "Seconds in which a turn had come and its plan was not ready.",
          [](const StatusNode& node) { return node.seconds_waiting; });
  of_each("gauge", "strads_node_memory_peak_bytes", "Most memory that a node ever held.",
          [&](const StatusNode& node) { return count(node.memory_peak); });
}

}  // namespace

std::string metrics_text(const StatusView& view) {
  std::string out;
  add_program(out, view);
  add_runs(out, view);
  add_nodes(out, view);
  return out;
}

}  // namespace strads
