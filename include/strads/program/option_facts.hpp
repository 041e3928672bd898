// Option tables as data: what manual pages, completion for shells and documents are written from. Layer: program.
#pragma once

#include <functional>
#include <string>

#include "strads/program/option_table.hpp"
#include "strads/program/summary.hpp"

namespace strads {

/// What is done with each option table of a program, in the order of its documents.
using TableVisit = std::function<void(const OptionTable&)>;

/// {command, usage, options: [{name, placeholder, effect, section, common, unit, kind, range, choices, default,
/// implied}]}: all strings but `common` and `choices`; "" where there is nothing. `kind`: flag, on_off, text, list,
/// choice, number, count. `range`: as the help shows it.
[[nodiscard]] Summary facts_of(const OptionTable& table);

/// The tables that `visit_tables` shows, in Markdown, an empty line between two of them.
[[nodiscard]] std::string markdown_of(const std::function<void(const TableVisit&)>& visit_tables);

}  // namespace strads
