#include "svm/problem/payloads.hpp"

#include <algorithm>

#include "strads/base/all_finite.hpp"
#include "strads/base/ascending.hpp"

namespace strads::svm {

namespace {

bool are_flags(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value == 0 || value == 1; });
}

bool are_groups(std::span<const double> values, const PayloadShape& shape) {
  if (values.size() % shape.group() != 0) return false;
  double last = -1;
  for (; !values.empty(); values = values.subspan(shape.group())) {
    if (!is_count(values[0]) || values[0] <= last || values[0] >= static_cast<double>(shape.problems)) return false;
    last = values[0];
  }
  return true;
}

bool is_block(const Payload& payload, const PayloadShape& shape) {
  if (payload.ids.empty() || !ascending_below(payload.ids, shape.variables())) return false;
  return payload.values.empty() ||
         (payload.values.size() == kFields<BlockWords> && find_fields<BlockWords>(payload.values).has_value());
}

bool is_deltas(const Payload& payload, const PayloadShape& shape) {
  if (payload.ids.empty()) return are_groups(payload.values, shape);
  return payload.values.size() == payload.ids.size() && ascending_below(payload.ids, shape.variables());
}

bool is_changes(const Payload& payload, const PayloadShape& shape) {
  if (payload.ids.empty() && payload.values.empty()) return true;  // an empty round
  if (payload.values.size() < shape.change_head()) return false;
  const std::span<const double> values(payload.values);
  if (!find_fields<ChangeWords>(values).has_value()) return false;
  if (!are_flags(values.subspan(kFields<ChangeWords>, shape.problems))) return false;
  const auto rest = values.subspan(shape.change_head());
  if (payload.ids.empty()) return are_groups(rest, shape);
  const auto known = [&](VarId j) { return j < shape.variables(); };
  return rest.size() == payload.ids.size() && std::ranges::all_of(payload.ids, known);
}

bool is_status(const Payload& payload, const PayloadShape& shape) {
  const std::size_t count = payload.values.size(), head = shape.status_head(), own = payload.ids.size();
  if (count != head + own && count != head + own + 2 * shape.problems * shape.width) return false;
  if (!ascending_below(payload.ids, shape.variables()) || !is_count(payload.values[0])) return false;
  for (std::size_t problem = 0; problem < shape.problems; ++problem) {
    const auto sums = std::span(payload.values).subspan(1 + problem * kFields<ProblemSums>, kFields<ProblemSums>);
    if (!find_fields<ProblemSums>(sums).has_value()) return false;
  }
  return true;
}

bool is_phase(const Payload& payload, const PayloadShape& shape) {
  if (payload.ids.empty() && payload.values.empty()) return true;  // verify, stop
  return payload.values.size() == shape.phase_size() && find_fields<PhaseWords>(payload.values).has_value() &&
         are_flags(std::span(payload.values).subspan(kFields<PhaseWords>)) &&
         ascending_below(payload.ids, shape.problems);
}

}  // namespace

bool well_formed(PayloadKind kind, const Payload& payload, const PayloadShape& shape) {
  if (!payload.bulk.empty() || !all_finite(payload.values)) return false;
  switch (kind) {
    case PayloadKind::ready:
      return payload.ids.empty() && payload.values.empty();
    case PayloadKind::start:
      return payload.ids.empty() && payload.values.size() == (shape.cost_is_told ? 1U : 0U) &&
             std::ranges::all_of(payload.values, [](double cost) { return cost > 0; });
    case PayloadKind::block:
      return is_block(payload, shape);
    case PayloadKind::deltas:
      return is_deltas(payload, shape);
    case PayloadKind::changes:
      return is_changes(payload, shape);
    case PayloadKind::status:
      return is_status(payload, shape);
    case PayloadKind::phase:
      return is_phase(payload, shape);
  }
  return false;
}

}  // namespace strads::svm
