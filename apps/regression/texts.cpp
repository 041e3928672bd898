#include "regression/texts.hpp"

#include <cstdint>
#include <filesystem>

namespace strads::lasso {

std::string field(std::string_view name) {
  std::string text(name);
  for (char& letter : text) {
    if (letter == '\t' || letter == '\n' || letter == '\r') letter = ' ';
  }
  return text;
}

std::string variable_id(const FittedModel& model, const FittedVariable& variable) {
  return model.has_names ? field(variable.id) : std::to_string(std::uint64_t{variable.column} + 1);
}

std::string variable_columns(const FittedModel& model) {
  return model.has_alleles ? "id\tchromosome\tposition\tA1\tA2" : "id";
}

std::string variable_fields(const FittedModel& model, const FittedVariable& variable) {
  std::string id = variable_id(model, variable);
  if (!model.has_alleles) return id;
  return id + "\t" + field(variable.chromosome) + "\t" + field(variable.position) + "\t" + field(variable.counted) +
         "\t" + field(variable.other);
}

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Summary sample_facts(const Dataset& dataset) {
  std::uint64_t dropped_count = 0;
  Summary dropped;
  for (const auto& reason : dataset.dropped_samples()) {
    dropped.add(reason.reason, reason.count);
    dropped_count += reason.count;
  }
  Summary samples;
  samples.add("in_file", dataset.columns().samples() + dropped_count);
  samples.add("kept", dataset.columns().samples());
  samples.add("dropped", dropped);
  return samples;
}

}  // namespace strads::lasso
