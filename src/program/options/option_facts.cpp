#include "strads/program/option_facts.hpp"

#include "program/options/option_values.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/summary.hpp"

namespace strads {
namespace {

Summary facts_of_option(const OptionTable::Option& option) {
  Summary facts;
  facts.add("name", option.text.name);
  facts.add("placeholder", option.text.placeholder);
  facts.add("effect", option.text.effect);
  facts.add("section", option.text.section);
  facts.add("common", option.text.common);
  facts.add("unit", option.text.unit);
  facts.add("kind", kind_name(option.kind));
  facts.add("range", range_text(option));
  facts.add("choices", option.choices);
  facts.add("default", option.kind == OptionTable::Kind::flag ? std::string() : option.fallback);
  facts.add("implied", option.implied);
  return facts;
}

}  // namespace

Summary facts_of(const OptionTable& table) {
  Summary facts;
  facts.add("command", table.command());
  facts.add("usage", table.usage());
  std::vector<Summary> options;
  for (const auto& option : table.options()) options.push_back(facts_of_option(option));
  facts.add("options", options);
  return facts;
}

std::string markdown_of(const std::function<void(const TableVisit&)>& visit_tables) {
  std::string out;
  visit_tables([&out](const OptionTable& table) { out += (out.empty() ? "" : "\n") + table.markdown(); });
  return out;
}

}  // namespace strads
