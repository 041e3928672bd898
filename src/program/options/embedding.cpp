#include "strads/program/embedding.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "program/options/option_values.hpp"
#include "strads/program/option_table.hpp"

namespace strads {
bool is_embeddable(const OptionTable::Option& option) {
  // The kernels belong to the process: two runs of it cannot have different ones. Sections: see kExecutionSections.
  constexpr std::array<std::string_view, 5> kOfPrograms{"", "output", "checkpoint", "cluster", "status"};
  return option.text.name != "simd" && std::ranges::find(kOfPrograms, option.text.section) == kOfPrograms.end();
}

std::vector<OptionFacts> embeddable_options(const OptionTable& table) {
  std::vector<OptionFacts> facts;
  for (const OptionTable::Option& option : table.options()) {
    if (!is_embeddable(option)) continue;
    facts.push_back({option.text.name, option.text.effect, option.text.unit, kind_name(option.kind), option.fallback,
                     option.choices});
  }
  return facts;
}

Status take_values(OptionTable& table, std::span<const OptionValue> values, std::span<const OptionValue> cluster) {
  const auto& rows = table.options();
  std::vector<std::string> arguments;
  for (const OptionValue& given : values) {
    const auto row =
        std::ranges::find_if(rows, [&](const OptionTable::Option& option) { return option.text.name == given.name; });
    if (row != rows.end() && !is_embeddable(*row)) {
      return Status::usage("--" + given.name +
                           " belongs to the programs: a run inside of another program writes no files, prints nothing "
                           "and is no cluster; leave it out");
    }
    const bool flag = row != rows.end() && row->kind == OptionTable::Kind::flag;
    if (flag && given.value != "on" && given.value != "off") {
      return Status::usage("--" + given.name + ": found '" + given.value + "', expected on or off");
    }
    if (flag && given.value == "off") continue;
    arguments.push_back("--" + given.name + (flag ? "" : "=" + given.value));
  }
  for (const OptionValue& given : cluster) {
    arguments.push_back("--" + given.name + (given.value.empty() ? "" : "=" + given.value));
  }
  return table.parse(arguments);
}

}  // namespace strads
