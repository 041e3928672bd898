// The command line as names and values. Layer: program. The only user of Boost.Program_options.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strads/program/option_table.hpp"

namespace strads {

/// Splits arguments into (name, value) in their order; flags get the value "on". `nearest` names the option that a
/// wrong name may have meant, or "". Errors: usage.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> split_command_line(
    std::span<const OptionTable::Option> options, std::span<const std::string> arguments,
    const std::function<std::string(std::string_view)>& nearest);

}  // namespace strads
