#include "program/options/command_line.hpp"

#include <boost/program_options.hpp>

#include "strads/program/option_table.hpp"

namespace strads {
namespace {

namespace po = boost::program_options;
using NameValue = std::pair<std::string, std::string>;

po::options_description describe(std::span<const OptionTable::Option> options) {
  po::options_description description;
  for (const auto& option : options) {
    if (option.kind == OptionTable::Kind::flag) {
      description.add_options()(option.text.name.c_str(), "");
    } else {
      description.add_options()(option.text.name.c_str(), po::value<std::string>(), "");
    }
  }
  return description;
}

Status unknown_option(const std::string& token, const std::function<std::string(std::string_view)>& nearest) {
  const auto begin = token.find_first_not_of('-');
  const auto name = begin == std::string::npos ? token : token.substr(begin, token.find('=') - begin);
  const auto near = nearest(name);
  return Status::usage("unknown option --" + name + (near.empty() ? "" : "; did you mean --" + near + "?") +
                       " (--help-all lists all)");
}

/// "--name" of an option whose value may be left out becomes "--name=VALUE": the word that follows, or what is implied.
std::vector<std::string> with_implied_values(std::span<const OptionTable::Option> options,
                                             std::span<const std::string> arguments) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    tokens.push_back(arguments[i] == "-h" ? "--help" : arguments[i]);
    for (const auto& option : options) {
      if (option.implied.empty() || tokens.back() != "--" + option.text.name) continue;
      const bool value_follows = i + 1 < arguments.size() && !arguments[i + 1].starts_with("-");
      tokens.back() += "=" + (value_follows ? arguments[++i] : option.implied);
    }
  }
  return tokens;
}

}  // namespace

Result<std::vector<NameValue>> split_command_line(std::span<const OptionTable::Option> options,
                                                  std::span<const std::string> arguments,
                                                  const std::function<std::string(std::string_view)>& nearest) {
  const auto tokens = with_implied_values(options, arguments);
  const auto description = describe(options);
  // No guessing: an abbreviation that works today could mean another option tomorrow. No short names: "-1" is a value.
  const int style = po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent |
                    po::command_line_style::long_allow_next;
  try {
    const auto parsed = po::command_line_parser(tokens).options(description).style(style).allow_unregistered().run();
    std::vector<NameValue> split;
    for (const auto& option : parsed.options) {
      if (option.unregistered) return unknown_option(option.string_key, nearest);
      if (option.position_key >= 0 || option.string_key.empty()) {
        const std::string found = option.value.empty() ? std::string() : option.value.front();
        return Status::usage("found '" + found + "', expected an option that starts with -- (--help shows them)");
      }
      split.emplace_back(option.string_key, option.value.empty() ? "on" : option.value.front());
    }
    return split;
  } catch (const po::error_with_option_name& error) {
    return Status::usage(std::string(error.what()) + " (--help shows the options)");
  } catch (const std::exception& error) {
    return Status::usage(std::string("the command line cannot be read: ") + error.what());
  }
}

}  // namespace strads
