// Summaries as JSON. Beside process/event_log.cpp the only user of the JSON library.
#include <nlohmann/json.hpp>

#include <cmath>

#include "program/output/summary_files.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"

namespace strads {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<Summary::Entry>& entries);

struct ToJson {
  Json operator()(bool value) const { return value; }
  Json operator()(std::uint64_t value) const { return value; }
  Json operator()(double value) const { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const std::vector<std::string>& values) const { return values; }
  Json operator()(const std::vector<std::uint32_t>& values) const { return values; }
  Json operator()(const std::vector<Summary::Entry>& entries) const { return to_json(entries); }
  Json operator()(const std::vector<std::vector<Summary::Entry>>& objects) const {
    Json list = Json::array();
    for (const auto& object : objects) list.push_back(to_json(object));
    return list;
  }
};

Json to_json(const std::vector<Summary::Entry>& entries) {
  Json object = Json::object();
  for (const auto& entry : entries) object[entry.name] = std::visit(ToJson{}, entry.value);
  return object;
}

}  // namespace

std::string Summary::json() const {
  // Names of files and columns come from outside: what is not UTF-8 must not end a finished run.
  return to_json(entries_).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_text(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_refusals(Summary& facts, const Refusals& refusals) {
  Summary kinds;
  for (std::size_t kind = 0; kind < kRefusalKinds; ++kind) {
    kinds.add(refusal_name(static_cast<Refusal>(kind)), refusals[static_cast<Refusal>(kind)]);
  }
  facts.add("refused", refusals.total());
  facts.add("refused_by_kind", kinds);
}

std::vector<std::string> files_of_summary(const std::string& text) {
  std::vector<std::string> files;
  const Json summary = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!summary.is_object() || !summary.contains("files") || !summary["files"].is_array()) return files;
  for (const auto& file : summary["files"]) {
    if (file.is_string()) files.push_back(file.get<std::string>());
  }
  return files;
}

std::optional<ModelFormat> model_format_of_summary(const std::string& text) {
  const Json summary = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!summary.is_object()) return std::nullopt;
  ModelFormat found;
  if (summary.contains("version") && summary["version"].is_string()) found.release = summary["version"];
  if (!summary.contains(kModelFormat)) return found;
  if (!summary[kModelFormat].is_number_unsigned()) return std::nullopt;
  found.format = summary[kModelFormat];
  return found;
}

std::optional<double> number_of_summary(const std::string& text, const std::string& name, double otherwise) {
  const Json summary = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!summary.is_object()) return std::nullopt;
  if (!summary.contains(name)) return otherwise;
  return summary[name].is_number() ? std::optional(summary[name].get<double>()) : std::nullopt;
}

std::string text_of_summary(const std::string& text, const std::string& name) {
  const Json summary = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!summary.is_object() || !summary.contains(name) || !summary[name].is_string()) return "";
  return summary[name].get<std::string>();
}

std::optional<std::map<std::string, std::string>> hashes_of_summary(const std::string& text) {
  const Json summary = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!summary.is_object() || !summary.contains(kFileHashes) || !summary[kFileHashes].is_object()) return std::nullopt;
  std::map<std::string, std::string> hashes;
  for (const auto& [name, hash] : summary[kFileHashes].items()) {
    if (hash.is_string()) hashes[name] = hash.get<std::string>();
  }
  return hashes;
}

}  // namespace strads
