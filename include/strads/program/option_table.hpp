// The options of a command: each is written once.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strads/base/nearest_name.hpp"
#include "strads/base/status.hpp"

namespace strads {

/// What a person reads about one option.
struct OptionText {
  std::string name;         ///< without the dashes
  std::string placeholder;  ///< what stands for the value in the help; "" for choices, on|off and flags
  std::string effect;       ///< what it does and costs; --help shows it up to the first "; "
  std::string section;      ///< of the config file; "": command line only (--help, --force)
  bool common = false;      ///< shown by --help; otherwise by --help-all alone
  std::string unit = {};    ///< "seconds"; "" where there is none
};

/// Values that a number may have.
struct Range {
  double min = 0;
  double max = 1e300;
  bool min_open = false;  ///< min itself is refused
  bool max_open = false;
};

class OptionSection;

/// The options of one command: command line, config file, effective config, help, documents and validation come from
/// this one list. An option writes into a variable of the caller; what stands there at the time of the declaration is
/// the default. The variables outlive the table.
class OptionTable {
 public:
  /// `command`: "lasso fit"; `usage`: lines shown above the options.
  OptionTable(std::string command, std::string usage);

  /// Where rows of this section of the config file are added; "": of the command line alone (--help, --force).
  [[nodiscard]] OptionSection section(std::string name);
  /// At most one of the two may be given. A flag on the command line sets aside the other one of a config file.
  /// REQUIRES: both declared.
  void exclusive(std::string_view first, std::string_view second);

  /// Of the options declared so far, only these are shown by --help; --help-all has all.
  void show_only(std::span<const std::string_view> names);

  /// Reads the arguments after the command's name, and the file of --config where one is declared; flags win.
  /// Errors: usage: unknown name (with the nearest one), missing or refused value, an option given twice. Nothing is
  /// assigned then. Config files: with path and line; a file that cannot be read is an input error.
  [[nodiscard]] Status parse(std::span<const std::string> arguments);
  /// Reads a config file alone (--cost-model).
  [[nodiscard]] Status parse_config(const std::string& path);
  /// Reads the text of a config file; `origin` stands for its path in messages.
  [[nodiscard]] Status parse_config_text(const std::string& origin, std::string_view text);

  [[nodiscard]] const std::string& command() const { return command_; }
  [[nodiscard]] const std::string& usage() const { return usage_; }
  /// True iff the command line or a config file named the option.
  [[nodiscard]] bool given(std::string_view name) const;

  /// At most 24 lines when the table declares few enough common options; no line over 100 columns.
  [[nodiscard]] std::string help() const;
  /// Every option with unit, range, default and full effect.
  [[nodiscard]] std::string help_all() const;
  /// The effective options as a config file that gives the same run when it is read back. Sections in `left_out` are
  /// not in it.
  [[nodiscard]] std::string config(std::span<const std::string_view> left_out = {}) const;
  /// A table in Markdown for docs/OPTIONS.md.
  [[nodiscard]] std::string markdown() const;

  using Target = std::variant<bool*, std::string*, std::vector<std::string>*, double*, std::optional<double>*,
                              std::uint32_t*, std::uint64_t*, std::optional<std::uint64_t>*>;
  enum class Kind : std::uint8_t { flag, on_off, text, list, choice, number, count };
  /// One row of the table. For this layer's own files; programs use the functions above.
  struct Option {
    OptionText text;
    Kind kind = Kind::text;
    Target target;
    Range range;
    std::vector<std::string> choices;
    std::string fallback;  ///< the default, as text
    std::string implied;   ///< the value of --name alone; "" where one must be given
    bool given = false;
  };
  [[nodiscard]] const std::vector<Option>& options() const { return options_; }

 private:
  struct Given {
    std::string value;
    std::string where;  ///< "--name" or "file.ini:12: name"
    bool from_command_line = false;
  };
  using Assignments = std::map<std::size_t, Given>;  // by position in options_

  friend class OptionSection;
  void declare(OptionText text, Kind kind, Target target, Range range = {}, std::vector<std::string> choices = {},
               std::string implied = {});
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] std::string nearest(std::string_view name) const;
  [[nodiscard]] Status read_config(const std::string& path, Assignments& out) const;
  [[nodiscard]] Status read_resumed(const Assignments& flags, Assignments& out) const;
  [[nodiscard]] Status take_config(const std::string& origin, std::string_view text, Assignments& out) const;
  [[nodiscard]] Status settle_exclusions(Assignments& assignments) const;
  [[nodiscard]] Status assign(const Assignments& assignments);

  std::string command_;
  std::string usage_;
  std::vector<Option> options_;
  std::vector<std::pair<std::size_t, std::size_t>> exclusions_;
};

/// Adds rows to a table. Each has a name, what stands for the value in the help, and what it does and costs.
class OptionSection {
 public:
  OptionSection(OptionTable& table, std::string name) : table_(table), name_(std::move(name)) {}
  /// For rows that --help shows; the others are shown by --help-all alone.
  [[nodiscard]] OptionSection common(bool is_common = true) const;
  /// For rows of this unit.
  [[nodiscard]] OptionSection unit(std::string unit) const;

  /// A switch without a value. In a config file: name = on|off.
  void flag(std::string name, std::string effect, bool* target) const;
  /// name on|off.
  void on_off(std::string name, std::string effect, bool* target) const;
  void text(std::string name, std::string placeholder, std::string effect, std::string* target) const;
  /// Values separated by commas.
  void list(std::string name, std::string placeholder, std::string effect, std::vector<std::string>* target) const;
  void choice(std::string name, std::string effect, std::string* target, std::vector<std::string> choices) const;
  /// `target`: a double, or one that may be absent.
  void number(std::string name, std::string placeholder, std::string effect, OptionTable::Target target,
              Range range) const;
  /// `target`: a whole number of 32 or 64 bits, or one of 64 that may be absent.
  void count(std::string name, std::string placeholder, std::string effect, OptionTable::Target target,
             Range range) const;
  /// --name[=N]: a count whose value may be left out, which means `implied`.
  void optional_count(std::string name, std::string placeholder, std::string effect, std::uint32_t* target, Range range,
                      std::uint32_t implied) const;

 private:
  [[nodiscard]] OptionText row(std::string name, std::string placeholder, std::string effect) const;

  OptionTable& table_;
  std::string name_, unit_;
  bool is_common_ = false;
};

/// Options that all commands have.
struct CommonOptions {
  bool help = false, help_all = false, version = false, print_config = false;
  bool quiet = false, force = false;
  std::string config, out;
  std::string log_format = "text";  ///< one of kLogFormats
};
/// --out, --force, --quiet, --log-format, --config, --print-config, --help, --help-all, --version. `out_effect` says
/// what --out does there; `run_directory`: --out names a directory, so that --force makes sense.
void add_common_options(OptionTable& table, CommonOptions& options, std::string out_placeholder, std::string out_effect,
                        bool run_directory);

/// --log-format, in the section `rows`.
void add_log_option(const OptionSection& rows, CommonOptions& options);

/// Answers --help, --help-all, --version and --print-config on stdout. True: answered, the command is done. Else it
/// begins: from here on stderr has the format that the options say.
[[nodiscard]] bool answered(const OptionTable& table, const CommonOptions& options, std::string_view program);

}  // namespace strads
