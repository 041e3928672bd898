#include <algorithm>

#include "program/files/read_file.hpp"
#include "program/options/command_line.hpp"
#include "program/options/config_file.hpp"
#include "program/options/option_values.hpp"
#include "strads/program/checkpoint_file.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/result_files.hpp"
#include "wire/printable.hpp"

namespace strads {

OptionTable::OptionTable(std::string command, std::string usage)
    : command_(std::move(command)), usage_(std::move(usage)) {}

OptionSection OptionTable::section(std::string name) {
  return {*this, std::move(name)};
}

void OptionTable::declare(OptionText text, Kind kind, Target target, Range range, std::vector<std::string> choices,
                          std::string implied) {
  STRADS_CHECK(!find(text.name).has_value(), "an option is written once");
  Option option{std::move(text), kind, target, range, std::move(choices), {}, std::move(implied), false};
  option.fallback = value_text(option);
  options_.push_back(std::move(option));
}

OptionSection OptionSection::common(bool is_common) const {
  OptionSection rows = *this;
  rows.is_common_ = is_common;
  return rows;
}

OptionSection OptionSection::unit(std::string unit) const {
  OptionSection rows = *this;
  rows.unit_ = std::move(unit);
  return rows;
}

OptionText OptionSection::row(std::string name, std::string placeholder, std::string effect) const {
  return {std::move(name), std::move(placeholder), std::move(effect), name_, is_common_, unit_};
}

void OptionSection::flag(std::string name, std::string effect, bool* target) const {
  table_.declare(row(std::move(name), "", std::move(effect)), OptionTable::Kind::flag, target);
}
void OptionSection::on_off(std::string name, std::string effect, bool* target) const {
  table_.declare(row(std::move(name), "", std::move(effect)), OptionTable::Kind::on_off, target);
}
void OptionSection::text(std::string name, std::string placeholder, std::string effect, std::string* target) const {
  table_.declare(row(std::move(name), std::move(placeholder), std::move(effect)), OptionTable::Kind::text, target);
}
void OptionSection::list(std::string name, std::string placeholder, std::string effect,
                         std::vector<std::string>* target) const {
  table_.declare(row(std::move(name), std::move(placeholder), std::move(effect)), OptionTable::Kind::list, target);
}
void OptionSection::choice(std::string name, std::string effect, std::string* target,
                           std::vector<std::string> choices) const {
  table_.declare(row(std::move(name), "", std::move(effect)), OptionTable::Kind::choice, target, {},
                 std::move(choices));
}
void OptionSection::number(std::string name, std::string placeholder, std::string effect, OptionTable::Target target,
                           Range range) const {
  table_.declare(row(std::move(name), std::move(placeholder), std::move(effect)), OptionTable::Kind::number, target,
                 range);
}
void OptionSection::count(std::string name, std::string placeholder, std::string effect, OptionTable::Target target,
                          Range range) const {
  table_.declare(row(std::move(name), std::move(placeholder), std::move(effect)), OptionTable::Kind::count, target,
                 range);
}
void OptionSection::optional_count(std::string name, std::string placeholder, std::string effect, std::uint32_t* target,
                                   Range range, std::uint32_t implied) const {
  table_.declare(row(std::move(name), std::move(placeholder), std::move(effect)), OptionTable::Kind::count, target,
                 range, {}, std::to_string(implied));
}

void OptionTable::exclusive(std::string_view first, std::string_view second) {
  const auto a = find(first);
  const auto b = find(second);
  STRADS_CHECK(a.has_value() && b.has_value(), "exclusive options are declared before");
  exclusions_.emplace_back(*a, *b);
}

std::optional<std::size_t> OptionTable::find(std::string_view name) const {
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (options_[i].text.name == name) return i;
  }
  return std::nullopt;
}

std::string OptionTable::nearest(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& option : options_) names.push_back(option.text.name);
  return nearest_name(name, names);
}

bool OptionTable::given(std::string_view name) const {
  const auto found = find(name);
  STRADS_CHECK(found.has_value(), "only declared options are asked about");
  return options_[*found].given;
}

Status OptionTable::parse(std::span<const std::string> arguments) {
  STRADS_ASSIGN_OR_RETURN(
      auto split, split_command_line(options_, arguments, [this](std::string_view name) { return nearest(name); }));
  Assignments flags;
  for (auto& [name, value] : split) {
    const auto index = find(name);
    STRADS_CHECK(index.has_value(), "the parser knows declared options only");
    if (!flags.emplace(*index, Given{std::move(value), "--" + name, true}).second) {
      return Status::usage("--" + name + " is given twice, expected once");
    }
  }
  Assignments all;
  if (const auto config = find("config"); config.has_value() && flags.contains(*config)) {
    if (Status read = read_config(flags.at(*config).value, all); !read.ok()) return read;
  }
  if (Status read = read_resumed(flags, all); !read.ok()) return read;
  for (auto& [index, given] : flags) all.insert_or_assign(index, std::move(given));
  if (Status settled = settle_exclusions(all); !settled.ok()) return settled;
  return assign(all);
}

Status OptionTable::parse_config(const std::string& path) {
  Assignments all;
  if (Status read = read_config(path, all); !read.ok()) return read;
  if (Status settled = settle_exclusions(all); !settled.ok()) return settled;
  return assign(all);
}

Status OptionTable::parse_config_text(const std::string& origin, std::string_view text) {
  Assignments all;
  if (Status taken = take_config(origin, text, all); !taken.ok()) return taken;
  if (Status settled = settle_exclusions(all); !settled.ok()) return settled;
  return assign(all);
}

/// A run that is resumed has its options and --out from where it is resumed.
Status OptionTable::read_resumed(const Assignments& flags, Assignments& out) const {
  const auto resume = find("resume");
  if (!resume.has_value() || !flags.contains(*resume)) return {};
  for (const char* other : {"config", "out", "force"}) {
    const auto index = find(other);
    if (index.has_value() && flags.contains(*index)) {
      return Status::usage("--resume takes options and --out from its directory; leave out --" + std::string(other));
    }
  }
  const std::string& directory = flags.at(*resume).value;
  STRADS_ASSIGN_OR_RETURN(auto found, read_checkpoint(directory + "/" + kCheckpointFolder));
  // Before its options: those of another command are unknown here, or mean something else.
  const std::string& command = found.checkpoint.identity.command;
  if (command != command_) {
    return Status::usage("--resume " + directory + ": its checkpoint is one of " + wire::printable(command, 64) +
                         ", this is " + command_ + "; go on with that command (" + wire::printable(command, 64) +
                         " --resume " + directory + "), or start a new run, without --resume");
  }
  if (Status taken = take_config("options of the checkpoint in " + directory, found.checkpoint.options, out);
      !taken.ok()) {
    return taken;
  }
  out.insert_or_assign(*find("out"), Given{directory, "--resume", true});
  return {};
}

Status OptionTable::read_config(const std::string& path, Assignments& out) const {
  constexpr std::size_t kConfigMax = std::size_t{4} << 20;  // options, with comments
  STRADS_ASSIGN_OR_RETURN(auto text, read_whole_file(path, kConfigMax));
  return take_config(path, text, out);
}

Status OptionTable::take_config(const std::string& origin, std::string_view text, Assignments& out) const {
  STRADS_ASSIGN_OR_RETURN(auto lines, read_config_lines(origin, text));
  for (auto& line : lines) {
    const std::string where = origin + ":" + std::to_string(line.line) + ": ";
    const auto index = find(line.name);
    if (!index.has_value()) {
      const auto near = nearest(line.name);
      return Status::usage(where + "unknown key '" + line.name + "'" +
                           (near.empty() ? "" : "; did you mean " + near + "?"));
    }
    const auto& section = options_[*index].text.section;
    if (section.empty()) {
      return Status::usage(where + "'" + line.name + "' belongs on the command line, not in a config file");
    }
    if (!line.section.empty() && line.section != section) {
      return Status::usage(where + "found '" + line.name + "' in [" + line.section + "], expected it in [" + section +
                           "]");
    }
    if (!out.emplace(*index, Given{std::move(line.value), where + line.name, false}).second) {
      return Status::usage(where + "'" + line.name + "' is given twice, expected once");
    }
  }
  return {};
}

Status OptionTable::settle_exclusions(Assignments& assignments) const {
  for (const auto& [first, second] : exclusions_) {
    const auto a = assignments.find(first);
    const auto b = assignments.find(second);
    if (a == assignments.end() || b == assignments.end()) continue;
    if (a->second.from_command_line == b->second.from_command_line) {
      return Status::usage(a->second.where + " and " + b->second.where + " exclude each other; give one of them");
    }
    assignments.erase(a->second.from_command_line ? b : a);
  }
  return {};
}

Status OptionTable::assign(const Assignments& assignments) {
  for (const auto& [index, given] : assignments) {
    if (Status checked = check_value(options_[index], given.where, given.value); !checked.ok()) return checked;
  }
  for (const auto& [index, given] : assignments) {
    if (Status stored = store_value(options_[index], given.where, given.value); !stored.ok()) return stored;
    options_[index].given = true;
  }
  return {};
}

}  // namespace strads
