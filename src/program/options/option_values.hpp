// Values of options as text: reading with a message that says what was expected, writing so that they read back.
// Layer: program.
#pragma once

#include <string>
#include <string_view>

#include "strads/program/option_table.hpp"

namespace strads {

/// "> 0", "1 to 8", "(0, 1]", "unit|y|ratio", "on|off"; "" for free text.
[[nodiscard]] std::string range_text(const OptionTable::Option& option);

/// The target's present value; "" when an optional number has none or a text is empty.
[[nodiscard]] std::string value_text(const OptionTable::Option& option);

/// Checks and stores one value. `where` names the option as the user wrote it ("--depth", "run.ini:3: depth").
/// Errors: usage; the target is unchanged then.
[[nodiscard]] Status store_value(const OptionTable::Option& option, const std::string& where, const std::string& value);

/// The same check without storing.
[[nodiscard]] Status check_value(const OptionTable::Option& option, const std::string& where, const std::string& value);

/// "flag", "on_off", "text", "list", "choice", "number" or "count": what files and bindings call the kinds.
[[nodiscard]] const char* kind_name(OptionTable::Kind kind);

}  // namespace strads
