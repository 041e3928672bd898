#include "data/samples/samples.hpp"

#include <unordered_map>
#include <utility>

#include "data/text/text.hpp"

namespace strads::data {

namespace {

using Name = std::pair<std::string_view, std::string_view>;  // FID (empty where it does not count), IID

struct NameHash {
  std::size_t operator()(const Name& name) const noexcept {
    const std::hash<std::string_view> hash;
    return hash(name.first) * 31 + hash(name.second);
  }
};

// Look-up only: its order never reaches a result.
using NameIndex = std::unordered_map<Name, std::uint64_t, NameHash>;

Name name_of(const SampleIds& ids, std::uint64_t row, bool with_family) {
  return {with_family ? ids.family[row] : std::string_view{}, ids.individual[row]};
}

std::string shown(const Name& name) {
  return name.first.empty() ? in_quotes(name.second)
                            : in_quotes(std::string(name.first) + ' ' + std::string(name.second));
}

Status twice(const SampleIds& ids, const Name& name, std::uint64_t first, std::uint64_t second, bool with_family) {
  const bool hides_family = !with_family && !ids.family.empty();
  return Status::input(ids.path + ": sample " + shown(name) + " twice, as samples " + std::to_string(first + 1) +
                       " and " + std::to_string(second + 1) +
                       (hides_family ? ": the other file has no FID column to tell them apart; add one"
                                     : "; expected every sample once"));
}

Result<NameIndex> index_names(const SampleIds& ids, bool with_family) {
  NameIndex index;
  index.reserve(ids.individual.size());
  for (std::uint64_t i = 0; i < ids.individual.size(); ++i) {
    const Name name = name_of(ids, i, with_family);
    const auto [found, fresh] = index.emplace(name, i);
    if (!fresh) return twice(ids, name, found->second, i, with_family);
  }
  return index;
}

}  // namespace

Result<SampleIds> read_ids(const Table& table, const IdColumns& columns) {
  SampleIds ids;
  ids.path = table.path();
  const auto copy = [&](std::optional<std::size_t> column, StringList& out) -> Status {
    if (!column) return {};
    STRADS_ASSIGN_OR_RETURN(const auto texts, table.texts(*column));
    for (std::uint64_t i = 0; i < table.rows(); ++i) {
      const std::string_view text = texts[i];
      if (text.empty()) {
        return Status::input(at(table.path(), table.line_number(i), 1) + "empty sample id in column " +
                             in_quotes(table.header()[*column]) + ", expected a name");
      }
      out.push_back(text);
    }
    return {};
  };
  if (Status status = copy(columns.family, ids.family); !status.ok()) return status;
  if (Status status = copy(columns.individual, ids.individual); !status.ok()) return status;
  return ids;
}

std::string name_or_row(const SampleIds& ids, std::uint64_t row) {
  return ids.any() ? "sample " + in_quotes(ids.individual[row]) : "row " + std::to_string(row + 1);
}

Status check_unique(const SampleIds& ids) {
  const auto index = index_names(ids, !ids.family.empty());
  return index.ok() ? Status{} : index.status();
}

Result<std::vector<std::optional<std::uint64_t>>> match_rows(const SampleIds& x, const SampleIds& table) {
  const bool with_family = !x.family.empty() && !table.family.empty();
  STRADS_ASSIGN_OR_RETURN(const auto rows, index_names(x, with_family));
  if (const auto own = index_names(table, with_family); !own.ok()) return own.status();
  std::vector<std::optional<std::uint64_t>> match(x.individual.size());
  std::uint64_t common = 0;
  for (std::uint64_t i = 0; i < table.individual.size(); ++i) {
    const auto found = rows.find(name_of(table, i, with_family));
    if (found == rows.end()) continue;
    match[found->second] = i;
    ++common;
  }
  if (common == 0) {
    return Status::input(table.path + ": no sample in common with " + x.path + ": here for example " +
                         shown(name_of(table, 0, with_family)) + ", there " + shown(name_of(x, 0, with_family)) +
                         "; samples match by " + (with_family ? "FID and IID" : "id"));
  }
  return match;
}

std::vector<std::uint32_t> RowChoice::dropped_rows() const {
  std::vector<std::uint32_t> out;
  out.reserve(kept_.size() - kept_count_);
  for (std::uint64_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] == 0) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

}  // namespace strads::data
