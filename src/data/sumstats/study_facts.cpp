#include "data/sumstats/study_facts.hpp"

#include <filesystem>
#include <system_error>

#include "data/files/mapped_file.hpp"
#include "data/text/text.hpp"

namespace strads::data {
namespace {

std::string_view without_yaml_quotes(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

Status add_people(std::optional<double>& people, std::string_view value, const std::string& where) {
  double number = 0;
  const Number kind = parse_number(value, number);
  if (kind == Number::missing) return {};
  if (kind != Number::value || number < 0) {
    return Status::input(where + in_quotes(value) + ", expected a number of people");
  }
  people = people.value_or(0) + number;
  return {};
}

void add_trait(std::string& traits, std::string_view value) {
  if (value.empty()) return;
  traits += (traits.empty() ? "" : ", ") + std::string(value);
}

}  // namespace

Result<StudyFacts> parse_study_facts(std::string_view text, const std::string& path) {
  StudyFacts facts;
  bool in_traits = false;
  LineReader lines = LineReader::of_file(text);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = trimmed(line);
    if (rest.empty() || rest.starts_with('#')) continue;
    const bool is_item = rest.starts_with("- ");
    if (is_item) rest = trimmed(rest.substr(2));
    const std::size_t colon = rest.find(':');
    if (is_item && in_traits) {
      add_trait(facts.trait, without_yaml_quotes(rest));
      continue;
    }
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(rest.substr(0, colon));
    const std::string_view value = without_yaml_quotes(rest.substr(colon + 1));
    const std::string where = at(path, lines.number(), 1) + std::string(key) + " is ";
    in_traits = key == "trait_description";
    Status read;
    if (in_traits) {
      add_trait(facts.trait, value);
    } else if (key == "genome_assembly") {
      facts.build = value;
    } else if (key == "sample_size") {
      read = add_people(facts.n, value, where);
    } else if (key == "case_count") {
      read = add_people(facts.cases, value, where);
    } else if (key == "control_count") {
      read = add_people(facts.controls, value, where);
    }
    if (!read.ok()) return read;
  }
  return facts;
}

Result<std::optional<StudyFacts>> study_facts_of(const std::string& path) {
  std::string name = path + "-meta.yaml";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(name, failed)) {
    name.clear();
    for (const char* const end : {".gz", ".bgz", ".zst"}) {
      if (path.ends_with(end)) name = path.substr(0, path.size() - std::string_view(end).size()) + "-meta.yaml";
    }
    if (name.empty() || !std::filesystem::is_regular_file(name, failed)) return std::optional<StudyFacts>();
  }
  STRADS_ASSIGN_OR_RETURN(const InputFile file, InputFile::open(name));
  STRADS_ASSIGN_OR_RETURN(StudyFacts facts, parse_study_facts(file.bytes(), name));
  return std::optional<StudyFacts>(std::move(facts));
}

}  // namespace strads::data
