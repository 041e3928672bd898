// Which columns of a table hold the names of its samples, and which only look like numbers: ids, row numbers.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <unordered_set>

#include "data/formats/table.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kRowsOfACount = 3;  // fewer are as likely a response

std::optional<std::size_t> place_of_name(const std::vector<std::string>& header, std::string_view name) {
  for (std::size_t column = 0; column < header.size(); ++column) {
    std::string_view found = header[column];
    if (column == 0 && found.starts_with('#')) found.remove_prefix(1);
    if (found == name) return column;
  }
  return std::nullopt;
}

// Digits alone, or digits with nothing but zeros behind a point.
bool is_whole(std::string_view field) {
  const std::size_t point = field.find('.');
  if (point != std::string_view::npos && field.find_first_not_of('0', point + 1) != std::string_view::npos)
    return false;
  std::uint64_t number = 0;
  return parse_count(field.substr(0, point), number);
}

}  // namespace

Status Table::check_unique_names() const {
  // Open addressing: a slot holds the upper half of a hash and the number of a column, from 1. A million names take 30
  // ms.
  constexpr std::uint64_t kNumber = 0xffff'ffff;
  const std::size_t slots = std::bit_ceil(2 * header_.size());
  std::vector<std::uint64_t> taken(slots, 0);
  for (std::size_t column = 0; column < header_.size(); ++column) {
    const std::uint64_t hash = std::hash<std::string_view>{}(header_[column]);
    const std::uint64_t upper = hash & ~kNumber;
    for (std::size_t slot = hash & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
      if (taken[slot] == 0) {
        taken[slot] = upper | (column + 1);
        break;
      }
      const std::size_t other = (taken[slot] & kNumber) - 1;
      if ((taken[slot] & ~kNumber) != upper || header_[other] != header_[column]) continue;
      return Status::input(at(path_, 1, 1) + "two columns are called " + in_quotes(header_[column]) + ", number " +
                           std::to_string(other + 1) + " and number " + std::to_string(column + 1) +
                           ": columns are found by their names; rename one");
    }
  }
  return {};
}

Result<IdColumns> find_id_columns(const Table& table, const std::string& id_column, bool required) {
  const auto& header = table.header();
  IdColumns ids;
  ids.individual = place_of_name(header, "IID");
  (ids.any() ? ids.family : ids.unused_family) = place_of_name(header, "FID");
  if (id_column.empty() || (ids.any() && header[*ids.individual] == id_column)) return ids;
  if (!required && std::find(header.begin(), header.end(), id_column) == header.end()) return ids;
  STRADS_ASSIGN_OR_RETURN(const auto found, table.find(id_column, "--id-column"));
  IdColumns named;
  named.individual = found;
  named.unused_family = ids.family ? ids.family : ids.unused_family;
  named.unused_individual = ids.individual;
  return named;
}

bool is_name_of_row_numbers(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames{"...1", "__index_level_0__", "level_0", "rownames"};
  return name.starts_with("Unnamed: ") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_name_of_ids(std::string_view name) {
  constexpr std::array<std::string_view, 19> kNames{
      "id",      "ids",      "idx",     "index",     "row",     "rowname", "row_names", "row.names", "rowid", "sample",
      "samples", "sampleid", "subject", "subjectid", "patient", "person",  "eid",       "iid",       "fid"};
  constexpr std::size_t kShortest = 2;
  if (name.size() < kShortest) return false;
  if (is_name_of_row_numbers(name)) return true;
  // A header may have a million names: those that are none of these are told by a letter or two.
  const auto small = [](char c) { return static_cast<char>(c | 0x20); };  // of letters
  if (name.size() > 2 && small(name.back()) == 'd' && small(name[name.size() - 2]) == 'i') {
    const char before = name[name.size() - 3];
    if (before == '_' || before == '.' || before == ' ') return true;
  }
  const char first = small(name.front());
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view known) { return known[0] == first && same_word(name, known); });
}

Result<bool> holds_ids(const Table& table, std::size_t column) {
  STRADS_ASSIGN_OR_RETURN(const auto texts, table.texts(column));
  std::unordered_set<std::string_view> seen;  // look-up only
  for (const std::string_view text : texts) {
    double value = 0;
    const Number kind = parse_number(text, value);
    if (kind == Number::text) return true;
    if (kind != Number::value || !is_whole(text) || !seen.insert(text).second) return false;
  }
  return true;
}

bool counts_rows(const Table& table, std::size_t column) {
  if (table.rows() < kRowsOfACount) return false;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < table.rows(); ++i) {
    FieldReader reader = table.row(i);
    std::string_view field;
    for (std::size_t k = 0; k <= column; ++k) {
      if (!reader.next(field)) return false;
    }
    std::uint64_t number = 0;
    if (!parse_count(field, number)) return false;
    if (i == 0) first = number;
    if (first > 1 || number != first + i) return false;
  }
  return true;
}

}  // namespace strads::data
