// The panel's variants by place and by id, for looking up. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// By chromosome and position. Variants without one, and those that take no part, are not in it.
class PanelByPlace {
 public:
  explicit PanelByPlace(const SummaryPanel& panel);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Columns there, ascending. Cost: a few steps where rows come in the panel's order, else a search by halves. One
  /// thread at a time: it remembers where it was.
  void find(std::string_view chromosome, std::string_view position, std::vector<VarId>& columns) const;

 private:
  using Entry = std::pair<std::uint64_t, VarId>;  // sequence << 40 | position, column
  [[nodiscard]] std::uint64_t sequence_number(std::string_view chromosome) const;

  std::unordered_map<std::string, std::uint64_t> numbers_;  // of sequences; looked up only
  std::vector<Entry> entries_;
  mutable std::string last_chromosome_;
  mutable std::uint64_t last_number_ = 0;
  mutable std::size_t cursor_ = 0;
};

/// By id; "." is none.
class PanelById {
 public:
  explicit PanelById(const SummaryPanel& panel);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  void find(std::string_view id, std::vector<VarId>& columns) const;

 private:
  using Entry = std::pair<std::uint64_t, VarId>;  // hash of the id, column
  const SummaryPanel& panel_;
  std::vector<Entry> entries_;
};

/// Whether column j takes part: it is not left out, and its position is none of plink2's negative ones.
[[nodiscard]] bool takes_part(const SummaryPanel& panel, VarId j, const VariableName& name);

}  // namespace strads::data
