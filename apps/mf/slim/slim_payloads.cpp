#include "mf/slim/slim_payloads.hpp"

#include <algorithm>
#include <cmath>

#include "strads/base/all_finite.hpp"
#include "strads/base/ascending.hpp"
#include "strads/engine/model.hpp"

namespace strads::mf {

namespace {

/// Rows of one column: ascending numbers of items, none of them the item itself.
bool are_rows(std::span<const double> rows, std::uint64_t item, std::uint32_t items) {
  double last = -1;
  for (const double row : rows) {
    if (!is_count(row) || row <= last || row >= items || row == static_cast<double>(item)) return false;
    last = row;
  }
  return true;
}

bool are_columns(std::span<const double> values, std::span<const SharedFloats> arrays, std::uint32_t items) {
  std::uint64_t weights = 0;
  while (!values.empty()) {
    const auto head = find_fields<ColumnHead>(values);
    if (!head.has_value() || head->item >= items) return false;
    values = values.subspan(kFields<ColumnHead>);
    if (head->rows > values.size()) return false;
    if (!are_rows(values.first(head->rows), head->item, items)) return false;
    values = values.subspan(head->rows);
    weights += head->rows;
  }
  std::uint64_t floats = 0;
  for (const SharedFloats& array : arrays) {
    const auto is_weight = [](float weight) { return std::isfinite(weight) && weight >= 0; };
    if (!std::ranges::all_of(array.view(), is_weight)) return false;
    floats += array.size();
  }
  return weights == floats;
}

}  // namespace

void ColumnWriter::add(std::uint32_t item, const ItemWeights& column) {
  append_fields(ColumnHead{.item = item,
                           .rows = column.rows.size(),
                           .objective = column.figures.objective,
                           .gap = column.figures.gap,
                           .candidates = column.figures.candidates},
                values_);
  values_.insert(values_.end(), column.rows.begin(), column.rows.end());
  weights_.insert(weights_.end(), column.weights.begin(), column.weights.end());
}

void ColumnWriter::append_to(Payload& payload) const {
  payload.values.insert(payload.values.end(), values_.begin(), values_.end());
  if (weights_.empty()) return;
  SharedFloats weights(weights_.size());
  std::ranges::copy(weights_, weights.writable().begin());
  payload.bulk.push_back(std::move(weights));
}

void each_column(const Payload& payload, std::size_t head,
                 const std::function<void(std::uint32_t item, ItemWeights column)>& see) {
  std::size_t array = 0, at = 0;
  const auto next_weight = [&] {
    while (at == payload.bulk[array].size()) {
      ++array;
      at = 0;
    }
    return payload.bulk[array].view()[at++];
  };
  for (auto rest = std::span(payload.values).subspan(head); !rest.empty();) {
    const auto about = read_fields<ColumnHead>(rest);
    const auto rows = rest.subspan(kFields<ColumnHead>, about.rows);
    ItemWeights column;
    column.figures = {about.objective, about.gap, about.candidates};
    column.rows.reserve(rows.size());
    column.weights.reserve(rows.size());
    for (const double row : rows) {
      column.rows.push_back(static_cast<std::uint32_t>(row));
      column.weights.push_back(next_weight());
    }
    rest = rest.subspan(kFields<ColumnHead> + rows.size());
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
