// Options of a command that is called by another program instead of a person. Layer: program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads {

/// One option of a command, as on its command line but without the dashes. A flag has the value "on".
struct OptionValue {
  std::string name;
  std::string value;
};

/// What a person reads about one option, for the documents of a binding.
struct OptionFacts {
  std::string name, effect, unit;
  std::string kind;      ///< "flag", "on_off", "text", "list", "choice", "number" or "count"
  std::string fallback;  ///< the default, as text; "": none
  std::vector<std::string> choices;
};

/// Whether a run inside of another program can have the option: it writes no files, prints nothing, and is no cluster.
[[nodiscard]] bool is_embeddable(const OptionTable::Option& option);

/// The options of a command that such a run can have.
[[nodiscard]] std::vector<OptionFacts> embeddable_options(const OptionTable& table);

/// Reads the options into what the table writes to, with the table's own checks and messages. `cluster`: those of the
/// section of this name, by which the other program sends the run to nodes that it has started.
/// Errors: usage: as OptionTable::parse(); an option that is not embeddable.
[[nodiscard]] Status take_values(OptionTable& table, std::span<const OptionValue> values,
                                 std::span<const OptionValue> cluster = {});

}  // namespace strads
