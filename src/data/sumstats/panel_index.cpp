#include "data/sumstats/panel_index.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "data/text/text.hpp"
#include "strads/base/hash.hpp"
#include "strads/data/alleles.hpp"
#include "strads/data/chromosomes.hpp"

namespace strads::data {
namespace {

constexpr std::uint64_t kNoSequence = ~std::uint64_t{0};
constexpr unsigned kPositionBits = 40;
constexpr std::uint64_t kPositionEnd = std::uint64_t{1} << kPositionBits;
constexpr std::size_t kStepsAhead = 16;

std::uint64_t hash_of_id(std::string_view id) {
  return xxh3(std::as_bytes(std::span(id)));
}

/// 0 for what is no place: no position, or 0.
std::uint64_t known_position(std::string_view text) {
  std::uint64_t position = 0;
  return parse_count(text, position) && position < kPositionEnd ? position : 0;
}

}  // namespace

bool takes_part(const SummaryPanel& panel, VarId j, const VariableName& name) {
  return (panel.excluded.empty() || panel.excluded[j] == 0) && !is_left_out(name.position);
}

PanelByPlace::PanelByPlace(const SummaryPanel& panel) {
  for (VarId j = 0; j < panel.variants; ++j) {
    const VariableName name = panel.variant(j);
    const std::uint64_t position = known_position(name.position);
    if (position == 0 || !takes_part(panel, j, name)) continue;
    if (last_chromosome_ != name.chromosome || entries_.empty()) {
      last_chromosome_ = name.chromosome;
      last_number_ = kNoSequence;
      if (!name.chromosome.empty() && name.chromosome != "0") {
        last_number_ = numbers_.try_emplace(sequence_of(name.chromosome), numbers_.size()).first->second;
      }
    }
    if (last_number_ != kNoSequence) entries_.emplace_back(last_number_ << kPositionBits | position, j);
  }
  if (!std::ranges::is_sorted(entries_)) std::ranges::sort(entries_);
  last_number_ = sequence_number(last_chromosome_);
}

std::uint64_t PanelByPlace::sequence_number(std::string_view chromosome) const {
  if (chromosome.empty() || chromosome == "0") return kNoSequence;
  const auto found = numbers_.find(sequence_of(chromosome));
  return found == numbers_.end() ? kNoSequence : found->second;
}

void PanelByPlace::find(std::string_view chromosome, std::string_view position, std::vector<VarId>& columns) const {
  columns.clear();
  if (last_chromosome_ != chromosome) {
    last_chromosome_ = chromosome;
    last_number_ = sequence_number(chromosome);
  }
  const std::uint64_t place = known_position(position);
  if (last_number_ == kNoSequence || place == 0) return;
  const std::uint64_t key = last_number_ << kPositionBits | place;
  const auto is_before = [key](const Entry& entry) { return entry.first < key; };
  std::size_t steps = 0;
  const bool is_ahead = cursor_ == 0 || is_before(entries_[cursor_ - 1]);
  for (; is_ahead && steps < kStepsAhead && cursor_ < entries_.size() && is_before(entries_[cursor_]); ++steps)
    ++cursor_;
  if (!is_ahead || steps == kStepsAhead) {
    const auto first = std::partition_point(entries_.begin(), entries_.end(), is_before);
    cursor_ = static_cast<std::size_t>(first - entries_.begin());
  }
  for (std::size_t k = cursor_; k < entries_.size() && entries_[k].first == key; ++k)
    columns.push_back(entries_[k].second);
}

PanelById::PanelById(const SummaryPanel& panel) : panel_(panel) {
  entries_.reserve(panel.variants);
  for (VarId j = 0; j < panel.variants; ++j) {
    const VariableName name = panel.variant(j);
    if (name.id.empty() || name.id == "." || !takes_part(panel, j, name)) continue;
    entries_.emplace_back(hash_of_id(name.id), j);
  }
  std::ranges::sort(entries_);
}

void PanelById::find(std::string_view id, std::vector<VarId>& columns) const {
  columns.clear();
  if (id.empty() || id == ".") return;
  const std::uint64_t hash = hash_of_id(id);
  const auto first =
      std::partition_point(entries_.begin(), entries_.end(), [hash](const Entry& entry) { return entry.first < hash; });
  for (auto found = first; found != entries_.end() && found->first == hash; ++found) {
    if (panel_.variant(found->second).id == id) columns.push_back(found->second);
  }
}

}  // namespace strads::data
