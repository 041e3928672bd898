#include "sumstats/problem/block_progress.hpp"

#include "strads/base/payload_fields.hpp"

namespace strads::sumstats {

namespace {

struct ProgressHead {
  std::uint64_t stage = 0, point = 0, joins = 0, sweeps = 0, fallbacks = 0, joined = 0, waiting = 0;
  double gap_max = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& head, Visit&& visit) {
    visit(head.stage);
    visit(head.point);
    visit(head.joins);
    visit(head.sweeps);
    visit(head.fallbacks);
    visit(head.joined);
    visit(head.waiting);
    visit(head.gap_max);
  }
};

/// Takes `values` as places that nobody has yet.
bool take_free_places(std::span<const double> values, std::vector<bool>& is_taken, std::vector<std::uint32_t>& places) {
  for (const double value : values) {
    if (!is_count(value) || value >= static_cast<double>(is_taken.size())) return false;
    const auto place = static_cast<std::uint32_t>(value);
    if (is_taken[place]) return false;
    is_taken[place] = true;
    places.push_back(place);
  }
  return true;
}

bool stands_somewhere(const ProgressHead& head, std::size_t size, std::size_t points) {
  using Stage = BlockProgress::Stage;
  if (head.stage >= static_cast<std::uint64_t>(Stage::done) || head.point >= points) return false;
  if (head.joined > size || head.waiting > size - head.joined) return false;
  const auto stage = static_cast<Stage>(head.stage);
  return (head.waiting > 0) == (stage == Stage::join);
}

}  // namespace

void append_progress(const BlockProgress& progress, std::vector<double>& values) {
  append_fields(ProgressHead{.stage = static_cast<std::uint64_t>(progress.stage),
                             .point = progress.point,
                             .joins = progress.joins,
                             .sweeps = progress.sweeps,
                             .fallbacks = progress.fallbacks,
                             .joined = progress.joined.size(),
                             .waiting = progress.waiting.size(),
                             .gap_max = progress.gap_max},
                values);
  values.insert(values.end(), progress.joined.begin(), progress.joined.end());
  values.insert(values.end(), progress.waiting.begin(), progress.waiting.end());
  values.insert(values.end(), progress.b.begin(), progress.b.end());
  values.insert(values.end(), progress.h.begin(), progress.h.end());
}

std::optional<BlockProgress> find_progress(std::span<const double> values, std::size_t size, std::size_t points) {
  const auto head = find_fields<ProgressHead>(values);
  if (!head.has_value() || !stands_somewhere(*head, size, points)) return std::nullopt;
  values = values.subspan(kFields<ProgressHead>);
  if (values.size() != 3 * head->joined + head->waiting) return std::nullopt;
  BlockProgress progress;
  progress.stage = static_cast<BlockProgress::Stage>(head->stage);
  progress.point = head->point;
  progress.joins = head->joins;
  progress.sweeps = head->sweeps;
  progress.fallbacks = head->fallbacks;
  progress.gap_max = head->gap_max;
  std::vector<bool> is_taken(size, false);
  if (!take_free_places(values.first(head->joined), is_taken, progress.joined)) return std::nullopt;
  values = values.subspan(head->joined);
  if (!take_free_places(values.first(head->waiting), is_taken, progress.waiting)) return std::nullopt;
  values = values.subspan(head->waiting);
  progress.b.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(head->joined));
  progress.h.assign(values.begin() + static_cast<std::ptrdiff_t>(head->joined), values.end());
  return progress;
}

}  // namespace strads::sumstats
