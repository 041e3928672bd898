// --penalty-factors: how much of the penalty each column gets.
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "data/files/mapped_file.hpp"
#include "data/filters/variant_choice.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Entry {
  std::string_view id;  ///< empty: the next column
  double factor = 1;
  std::uint64_t line = 0;
};

Status wrong_factor(const std::string& path, std::uint64_t line, std::uint64_t column, std::string_view word) {
  return Status::input(
      at(path, line, column) + "penalty factor " + in_quotes(word) +
      ", expected a number >= 0 (0: no penalty, Inf: the variable takes no part), and from 1e-100 to 1e100 where "
      "it is neither");
}

/// A file of another program's, whose words stand between commas: a header would hide it.
Status with_commas(const std::string& path, std::uint64_t line, std::string_view word) {
  return Status::input(at(path, line, 1) + "found " + in_quotes(word) +
                       ", expected id and factor separated by blanks or tabs, not commas");
}

/// A factor, or nothing where the word is none.
std::optional<double> factor_of(std::string_view word) {
  double value = 0;
  const Number kind = parse_number(word, value);
  if (kind == Number::not_finite && word[0] != '-') return kInfinite;
  if (kind != Number::value || value < 0) return std::nullopt;
  if (value != 0 && (value < 1e-100 || value > 1e100)) return std::nullopt;  // products with lambda would overflow
  return value;
}

/// True iff the word is meant as a number: a header's is not.
Result<std::vector<Entry>> parse_entries(std::string_view text, const std::string& path) {
  std::vector<Entry> entries;
  LineReader lines = LineReader::of_file(text);
  std::size_t width = 0;
  for (std::string_view line; lines.next(line);) {
    WordReader words(line);
    std::string_view word;
    std::string_view id;
    std::size_t count = 0;
    std::uint64_t column = 0;
    for (std::string_view next; words.next(next); ++count) {
      if (count == 1) id = word;
      word = next;
      column = words.column();
    }
    if (count == 0) continue;
    if (width == 0) width = count;
    if (count == 1 && word.find(',') != std::string_view::npos) return with_commas(path, lines.number(), word);
    if (count > 2 || count != width) {
      return Status::input(at(path, lines.number(), 1) + std::to_string(count) + " words, expected " +
                           (width == 1 ? "one factor" : "id and factor") + " as in the other lines");
    }
    if (lines.number() == 1 && !is_number(word)) continue;  // a header
    const auto factor = factor_of(word);
    if (!factor.has_value()) return wrong_factor(path, lines.number(), column, word);
    entries.push_back({id, *factor, lines.number()});
  }
  if (entries.empty()) return Status::input(path + ": no penalty factors, expected lines of id and factor");
  return entries;
}

Result<std::vector<double>> by_position(const std::vector<Entry>& entries, const std::string& path,
                                        std::uint64_t columns) {
  if (entries.size() != columns) {
    return Status::input(path + ": " + std::to_string(entries.size()) + " penalty factors, expected " +
                         std::to_string(columns) + ", one for each column of X; lines of id and factor may be fewer");
  }
  std::vector<double> factors;
  factors.reserve(entries.size());
  for (const Entry& entry : entries) factors.push_back(entry.factor);
  return factors;
}

Result<std::vector<double>> by_id(const std::vector<Entry>& entries, const std::string& path,
                                  const VariableNames& names) {
  struct Place {
    const Entry* entry;
    std::uint64_t columns = 0;
  };
  std::unordered_map<std::string_view, Place> places;  // look-up only
  for (const Entry& entry : entries) {
    const auto [place, is_new] = places.try_emplace(entry.id, Place{&entry});
    if (is_new) continue;
    return Status::input(at(path, entry.line, 1) + "variable " + in_quotes(entry.id) + " again (first in line " +
                         std::to_string(place->second.entry->line) + "), expected each variable once");
  }
  std::vector<double> factors(names.size(), 1.0);
  names.for_each([&](std::uint64_t j, const VariableName& name) {
    const auto place = places.find(name.id);
    if (place == places.end()) return;
    factors[j] = place->second.entry->factor;
    ++place->second.columns;
  });
  for (const Entry& entry : entries) {
    const std::uint64_t columns = places.at(entry.id).columns;
    if (columns == 1) continue;
    return Status::input(at(path, entry.line, 1) + "variable " + in_quotes(entry.id) +
                         (columns == 0 ? " is not in the data, expected an id as there, for example " +
                                             in_quotes(names.at(0).id) + "; variables that are not listed have factor 1"
                                       : " stands for " + std::to_string(columns) +
                                             " columns, expected an id that only one has; one factor a line, in the "
                                             "order of the columns, needs no ids"));
  }
  return factors;
}

/// From the file of --penalty-factors.
Result<std::vector<double>> read_factors(const std::string& path, const VariableNames& names) {
  STRADS_ASSIGN_OR_RETURN(const auto source, InputFile::open(path));
  STRADS_ASSIGN_OR_RETURN(const auto entries, parse_entries(source.bytes(), path));
  const bool positions = entries[0].id.empty();
  return positions ? by_position(entries, path, names.size()) : by_id(entries, path, names);
}

/// Those that the caller has in memory.
Result<std::vector<double>> factors_in_memory(std::span<const double> factors, std::uint64_t columns) {
  if (factors.size() != columns) {
    return Status::input("penalty factors: " + std::to_string(factors.size()) + ", expected " +
                         std::to_string(columns) + ", one for each column of X");
  }
  for (std::size_t j = 0; j < factors.size(); ++j) {
    const double factor = factors[j];
    if (factor == 0 || factor == kInfinite || (factor >= 1e-100 && factor <= 1e100)) continue;
    return Status::input("penalty factors: that of column " + std::to_string(j + 1) + " is " + short_number(factor) +
                         ", expected a number >= 0 (0: no penalty, Inf: the variable takes no part), and from 1e-100 "
                         "to 1e100 where it is neither");
  }
  return std::vector<double>(factors.begin(), factors.end());
}

}  // namespace

Result<std::vector<double>> penalty_factors(const std::string& file, const DataInMemory* memory,
                                            const VariableNames& names, std::vector<std::uint8_t>& excluded) {
  const bool in_memory = memory != nullptr && !memory->penalty_factors.empty();
  if (file.empty() && !in_memory) return std::vector<double>{};
  const std::string path = in_memory ? "penalty factors" : file;
  STRADS_ASSIGN_OR_RETURN(
      auto factors, in_memory ? factors_in_memory(memory->penalty_factors, names.size()) : read_factors(path, names));
  excluded.resize(names.size(), 0);
  std::uint64_t penalised = 0;
  for (std::uint64_t j = 0; j < names.size(); ++j) {
    double& factor = factors[j];
    if (std::isinf(factor)) {
      excluded[j] = 1;
      factor = 1;
    }
    if (factor > 0 && excluded[j] == 0) ++penalised;
  }
  if (penalised == 0) {
    return Status::input(path + ": no variable is left with a factor between 0 and Inf, expected at least one");
  }
  return factors;
}

}  // namespace strads::data
