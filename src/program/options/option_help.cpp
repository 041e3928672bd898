// The option table for people: --help, --help-all, --print-config, docs/OPTIONS.md.
#include <algorithm>

#include "program/options/option_values.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads {
namespace {

using Option = OptionTable::Option;
using Kind = OptionTable::Kind;

constexpr std::size_t kColumns = 100;      // of a screen
constexpr std::size_t kEffectColumn = 30;  // where effects begin

std::string head(const Option& option) {
  std::string value = option.text.placeholder;
  if (option.kind == Kind::choice || option.kind == Kind::on_off) value = range_text(option);
  if (option.kind == Kind::choice && value.size() + option.text.name.size() > kEffectColumn) value = "NAME";
  if (!option.implied.empty()) return "  --" + option.text.name + "[=" + value + "]";
  return "  --" + option.text.name + (value.empty() ? "" : " " + value);
}

bool has_default(const Option& option) {
  return option.kind != Kind::flag && !option.fallback.empty();
}

std::string effect_with_facts(const Option& option) {
  std::string text = option.text.effect;
  std::string facts;
  const auto add = [&facts](const std::string& fact) { facts += (facts.empty() ? "" : "; ") + fact; };
  if (!option.text.unit.empty()) add("in " + option.text.unit);
  if (const auto range = range_text(option); !range.empty() && option.kind != Kind::on_off) add(range);
  if (has_default(option)) add("default " + option.fallback);
  if (!option.implied.empty()) add(option.implied + " when no value is given");
  return facts.empty() ? text : text + " (" + facts + ")";
}

std::string brief_effect(const Option& option) {
  std::string text = option.text.effect.substr(0, option.text.effect.find("; "));
  return has_default(option) ? text + " (default " + option.fallback + ")" : text;
}

/// Breaks `text` at blanks so that no line passes kColumns; continued lines are indented to the effects' column.
std::string wrapped(std::string line, const std::string& text) {
  std::string out;
  line.resize(std::max(line.size() + 1, kEffectColumn), ' ');
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(begin, end - begin);
    if (line.size() + word.size() > kColumns) {
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line.assign(kEffectColumn, ' ');
    }
    line += word + " ";
    begin = end + 1;
  }
  return out + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string for_table(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::vector<std::string> sections_of(const std::vector<Option>& options) {
  std::vector<std::string> sections;
  for (const auto& option : options) {
    const auto& section = option.text.section;
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
  }
  // Options of the command line alone come last, as in the help of other programs.
  std::stable_partition(sections.begin(), sections.end(), [](const std::string& section) { return !section.empty(); });
  return sections;
}

}  // namespace

std::string OptionTable::help() const {
  std::string out = usage_;
  for (const auto& option : options_) {
    if (option.text.common) out += wrapped(head(option), brief_effect(option));
  }
  return out;
}

void OptionTable::show_only(std::span<const std::string_view> names) {
  for (auto& option : options_) {
    option.text.common = std::find(names.begin(), names.end(), option.text.name) != names.end();
  }
}

std::string OptionTable::help_all() const {
  std::string out = usage_;
  for (const auto& section : sections_of(options_)) {
    out += "\n" + (section.empty() ? std::string("command line only") : section) + ":\n";
    for (const auto& option : options_) {
      if (option.text.section == section) out += wrapped(head(option), effect_with_facts(option));
    }
  }
  return out;
}

std::string OptionTable::config(std::span<const std::string_view> left_out) const {
  std::string out = "# " + command_ + ", strads " + std::string(version()) + ": effective options\n";
  for (const auto& section : sections_of(options_)) {
    if (section.empty() || std::find(left_out.begin(), left_out.end(), section) != left_out.end()) continue;
    std::string lines;
    for (const auto& option : options_) {
      if (option.text.section != section) continue;
      const auto value = value_text(option);
      // An option that another one sets aside must not come back with the file; of two defaults the first one stays.
      const bool set_aside = std::any_of(exclusions_.begin(), exclusions_.end(), [&](const auto& pair) {
        const auto& a = options_[pair.first];
        const auto& b = options_[pair.second];
        return (&option == &a && b.given) || (&option == &b && (a.given || (!b.given && !value_text(a).empty())));
      });
      if (!value.empty() && !set_aside) lines += option.text.name + " = " + value + "\n";
    }
    if (!lines.empty()) out += "\n[" + section + "]\n" + lines;
  }
  return out;
}

std::string OptionTable::markdown() const {
  std::string out =
      "## `" + command_ + "`\n\n| option | values | default | section | effect |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& option : options_) {
    const auto& text = option.text;
    std::string values = range_text(option);
    if (!text.placeholder.empty()) values = text.placeholder + (values.empty() ? "" : " " + values);
    if (!text.unit.empty()) values += " (" + text.unit + ")";
    if (!option.implied.empty()) values += ", " + option.implied + " when left out";
    out += "| `--" + text.name + "` | " + for_table(values) + " | " +
           (has_default(option) ? "`" + for_table(option.fallback) + "`" : std::string()) + " | " +
           (text.section.empty() ? "command line only" : text.section) + " | " + for_table(text.effect) + " |\n";
  }
  return out;
}

}  // namespace strads
