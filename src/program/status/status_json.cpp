#include "program/status/status_json.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

namespace strads {
namespace {

using nlohmann::json;

/// Columns of a point, in this order; a gap that is not known is null.
json point_json(const StatusPoint& point) {
  return json::array({point.seconds, point.updates, point.objective, point.gap >= 0 ? json(point.gap) : json(),
                      point.nonzeros, point.rounds, point.phase});
}

json run_json(const StatusRun& run) {
  json points = json::array();
  for (const StatusPoint& point : run.points) points.push_back(point_json(point));
  return {{"place", run.place},
          {"name", run.name},
          {"state", run.state},
          {"now", point_json(run.now)},
          {"points", std::move(points)}};
}

json node_json(const StatusNode& node) {
  return {{"rank", node.rank},           {"name", node.name},
          {"process", node.process},     {"roles", node.roles},
          {"stage", node.stage},         {"state", node.state},
          {"last_word", node.last_word}, {"updates", node.updates},
          {"blocks", node.blocks},       {"messages", node.messages},
          {"bytes", node.bytes},         {"running", node.seconds_running},
          {"busy", node.seconds_busy},   {"waiting", node.seconds_waiting},
          {"memory", node.memory_peak}};
}

json whole_json(const StatusView& view) {
  json out = {{"whole", view.whole},
              {"number", view.number},
              {"instance", view.facts.instance},
              {"elapsed", view.elapsed},
              {"solving", view.solving},
              {"stage", view.stage},
              {"ready", view.ready},
              {"line", view.line},
              {"figures", view.figures},
              {"runs_total", view.runs_total},
              {"runs_ended", view.runs_ended},
              {"updates", view.updates},
              {"rounds", view.rounds},
              {"memory", view.memory.resident},
              {"memory_peak", view.memory.peak},
              {"cpu", view.memory.cpu_seconds},
              {"end", view.end ? json{{"code", view.end->code}, {"reason", view.end->reason}} : json()}};
  json& runs = out["runs"] = json::array();
  for (const StatusRun& run : view.runs) runs.push_back(run_json(run));
  json& messages = out["messages"] = json::array();
  for (const StatusMessage& message : view.messages) {
    messages.push_back(
        {{"number", message.number}, {"time", message.time}, {"level", message.level}, {"text", message.text}});
  }
  if (view.has_nodes) {
    json& nodes = out["nodes"] = json::array();
    for (const StatusNode& node : view.nodes) nodes.push_back(node_json(node));
  }
  if (view.whole) {
    out["program"] = {{"command", view.facts.command}, {"version", view.facts.version},
                      {"build", view.facts.build},     {"host", view.facts.host},
                      {"process", view.facts.process}, {"started", view.facts.started}};
  }
  return out;
}

}  // namespace

std::string status_json(const StatusView& view) {
  return whole_json(view).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string status_event(const StatusView& view) {
  return "id: " + view.facts.instance + ":" + std::to_string(view.number) + "\ndata: " + status_json(view) + "\n\n";
}

std::uint64_t number_of_event(std::string_view id, std::string_view instance) {
  if (!id.starts_with(instance) || id.substr(instance.size(), 1) != ":") return 0;
  id.remove_prefix(instance.size() + 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

}  // namespace strads
