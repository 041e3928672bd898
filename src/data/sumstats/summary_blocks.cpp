#include "data/sumstats/summary_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "data/text/text.hpp"
#include "strads/data/chromosomes.hpp"

namespace strads::data {
namespace {

std::optional<std::size_t> region_of_variant(const LdRegions& regions, const VariableName& name) {
  std::uint64_t position = 0;
  if (!parse_count(name.position, position)) return std::nullopt;
  return regions.find(sequence_of(name.chromosome), position);
}

/// A row on its way to its place.
struct PlacedRow {
  std::uint32_t chromosome = 0;  ///< in the order in which the panel has them
  std::uint32_t region = 0;
  VarId column = 0;
  std::uint32_t row = 0;

  [[nodiscard]] auto key() const { return std::tuple(chromosome, region, column); }
};

}  // namespace

void drop_outside(std::span<MatchedRow> rows, const LdRegions& regions, const SummaryPanel& panel) {
  for (MatchedRow& row : rows) {
    if (row.dropped || region_of_variant(regions, panel.variant(row.statistic.column))) continue;
    row.dropped = SummaryReason::outside_blocks;
  }
}

void take_blocks(std::span<const MatchedRow> rows, const LdRegions* regions, const SummaryPanel& panel,
                 SummaryData& out) {
  std::vector<PlacedRow> placed;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!rows[k].dropped) placed.push_back({0, 0, rows[k].statistic.column, static_cast<std::uint32_t>(k)});
  }
  std::ranges::sort(placed, {}, &PlacedRow::column);
  std::vector<std::string> chromosomes;
  std::unordered_map<std::string, std::uint32_t> numbers;  // looked up only
  for (PlacedRow& row : placed) {
    const VariableName name = panel.variant(row.column);
    std::string sequence = sequence_of(name.chromosome);
    const auto [found, is_new] = numbers.try_emplace(sequence, static_cast<std::uint32_t>(chromosomes.size()));
    row.chromosome = found->second;
    if (is_new) chromosomes.push_back(std::move(sequence));
    if (regions != nullptr) row.region = static_cast<std::uint32_t>(region_of_variant(*regions, name).value_or(0));
  }
  std::ranges::sort(placed, {}, &PlacedRow::key);
  out.variants.reserve(placed.size());
  for (const PlacedRow& row : placed) {
    const bool is_new = out.variants.empty() ||
                        std::tuple(row.chromosome, row.region) != std::tuple((&row)[-1].chromosome, (&row)[-1].region);
    if (is_new) {
      SummaryBlock block{out.variants.size(), out.variants.size(), chromosomes[row.chromosome], 0, 0};
      if (regions != nullptr) {
        block.begin = regions->regions()[row.region].begin;
        block.end = regions->regions()[row.region].end;
      }
      out.blocks.push_back(std::move(block));
    }
    out.variants.push_back(rows[row.row].statistic);
    out.blocks.back().last = out.variants.size();
  }
}

}  // namespace strads::data
