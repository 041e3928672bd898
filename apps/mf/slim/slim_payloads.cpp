#include "mf/slim/slim_payloads.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "strads/base/all_finite.hpp"
#include "strads/base/ascending.hpp"
#include "strads/engine/model.hpp"

namespace strads::mf {
namespace {

/// The floats of all arrays, one after the other.
class FloatReader {
 public:
  explicit FloatReader(std::span<const SharedFloats> arrays) : arrays_(arrays) {}

  /// REQUIRES: one is left.
  [[nodiscard]] float next() {
    while (at_ == arrays_[array_].size()) {
      ++array_;
      at_ = 0;
    }
    return arrays_[array_].view()[at_++];
  }
  [[nodiscard]] std::uint32_t next_row() { return std::bit_cast<std::uint32_t>(next()); }

 private:
  std::span<const SharedFloats> arrays_;
  std::size_t array_ = 0, at_ = 0;
};

/// Rows are ascending numbers of items, none of them the item itself; weights are finite and not below 0.
bool is_column(const ColumnHead& head, FloatReader& floats, std::uint32_t items) {
  std::uint64_t least = 0;
  for (std::uint64_t k = 0; k < head.rows; ++k) {
    const std::uint32_t row = floats.next_row();
    if (row < least || row >= items || row == head.item) return false;
    least = std::uint64_t{row} + 1;
  }
  for (std::uint64_t k = 0; k < head.rows; ++k) {
    const float weight = floats.next();
    if (!std::isfinite(weight) || weight < 0) return false;
  }
  return true;
}

bool are_columns(std::span<const double> values, std::span<const SharedFloats> arrays, std::uint32_t items) {
  std::uint64_t left = 0;
  for (const SharedFloats& array : arrays) left += array.size();
  FloatReader floats(arrays);
  while (!values.empty()) {
    const auto head = find_fields<ColumnHead>(values);
    if (!head.has_value() || head->item >= items || head->rows > left / 2) return false;
    if (!is_column(*head, floats, items)) return false;
    values = values.subspan(kFields<ColumnHead>);
    left -= 2 * head->rows;
  }
  return left == 0;
}

}  // namespace

void ColumnWriter::add(std::uint32_t item, const ItemWeights& column) {
  append_fields(ColumnHead{.item = item,
                           .rows = column.rows.size(),
                           .objective = column.figures.objective,
                           .gap = column.figures.gap,
                           .candidates = column.figures.candidates},
                values_);
  for (const std::uint32_t row : column.rows) floats_.push_back(std::bit_cast<float>(row));
  floats_.insert(floats_.end(), column.weights.begin(), column.weights.end());
}

void ColumnWriter::append_to(Payload& payload) const {
  payload.values.insert(payload.values.end(), values_.begin(), values_.end());
  if (floats_.empty()) return;
  SharedFloats floats(floats_.size());
  std::ranges::copy(floats_, floats.writable().begin());
  payload.bulk.push_back(std::move(floats));
}

void each_column(const Payload& payload, std::size_t head,
                 const std::function<void(std::uint32_t item, ItemWeights column)>& see) {
  FloatReader floats(payload.bulk);
  for (auto rest = std::span(payload.values).subspan(head); !rest.empty(); rest = rest.subspan(kFields<ColumnHead>)) {
    const auto about = read_fields<ColumnHead>(rest);
    ItemWeights column;
    column.figures = {about.objective, about.gap, about.candidates};
    column.rows.resize(about.rows);
    column.weights.resize(about.rows);
    for (std::uint32_t& row : column.rows) row = floats.next_row();
    for (float& weight : column.weights) weight = floats.next();
    see(static_cast<std::uint32_t>(about.item), std::move(column));
  }
}

bool well_formed_slim(PayloadKind kind, const Payload& payload, std::uint32_t items) {
  if (!strads::all_finite(payload.values)) return false;
  const std::span<const double> values(payload.values);
  const bool names_none = payload.ids.empty(), has_no_arrays = payload.bulk.empty();
  switch (kind) {
    case PayloadKind::ready:
    case PayloadKind::start:
      return names_none && values.empty() && has_no_arrays;
    case PayloadKind::block:
      return !names_none && ascending_below(payload.ids, items) && values.empty() && has_no_arrays;
    case PayloadKind::deltas:
    case PayloadKind::changes:
      return names_none && are_columns(values, payload.bulk, items);
    case PayloadKind::status:
      return names_none && find_fields<SliceReport>(values).has_value() &&
             are_columns(values.subspan(kFields<SliceReport>), payload.bulk, items);
    case PayloadKind::phase:
      return names_none && has_no_arrays &&
             (values.empty() || (values.size() == kFields<PhaseTurn> && find_fields<PhaseTurn>(values).has_value()));
  }
  return false;
}

bool well_formed_slim_content(const Payload& payload, std::uint32_t items) {
  const std::span<const double> values(payload.values);
  return payload.ids.empty() && strads::all_finite(values) && values.size() >= kContentHead &&
         (values[0] == 0 || values[0] == 1) && are_columns(values.subspan(kContentHead), payload.bulk, items);
}

}  // namespace strads::mf
