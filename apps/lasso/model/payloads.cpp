// Which payloads have the shape that the Lasso's functions count on.
#include "lasso/model/payloads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strads::lasso {

namespace {

/// A whole number that a double holds exactly.
bool is_count(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  return value >= 0 && value <= kExact && value == std::floor(value);
}

/// All of `which` are counts.
template <class... Which>
bool are_counts(const Payload& payload, Which... which) {
  return (is_count(payload.values[which]) && ...);
}

bool below(std::span<const VarId> ids, VarId variables) {
  return std::all_of(ids.begin(), ids.end(), [variables](VarId j) { return j < variables; });
}

bool strictly_ascending(std::span<const VarId> ids) {
  return std::adjacent_find(ids.begin(), ids.end(), [](VarId a, VarId b) { return a >= b; }) == ids.end();
}

/// With a negative one the problem would have no minimum.
bool is_weight(double lambda) {
  return lambda >= 0;
}

bool is_ready(const Payload& payload) {
  return payload.ids.empty() && payload.values.size() == kReadyValues && is_weight(payload.values[kReadyLambdaPerY]) &&
         are_counts(payload, kReadyKept, kReadyConstant, kReadyExcluded, kReadyCollinear, kReadyMissing);
}

bool is_start(const Payload& payload) {
  return payload.ids.empty() && payload.values.size() >= kStartValues && is_weight(payload.values[kStartLambda]) &&
         are_counts(payload, kStartKept, kStartConstant, kStartExcluded, kStartCollinear, kStartMissing);
}

bool is_block(const Payload& payload) {
  const std::size_t size = payload.ids.size();
  // A joint block says more, a block of a path its lambda besides.
  const std::size_t more = payload.values.size() - size;
  // The last of what a block says more is its lambda, or at least the kJointRaise of one.
  return payload.values.size() >= size && (more <= 1 || more == kJointValues || more == kJointValues + 1) &&
         (more == 0 || is_weight(payload.values.back())) && strictly_ascending(payload.ids);
}

bool is_status(const Payload& payload) {
  const std::size_t plain = kStatusHeader + payload.ids.size();
  if (payload.values.size() != plain && payload.values.size() != plain + kPathStatusValues) return false;
  const double nonzeros = payload.values[kStatusNonzeros];
  const double candidates = payload.values.size() == plain ? 0.0 : payload.values[plain + kPathStatusCandidates];
  return is_count(nonzeros) && is_count(candidates) && nonzeros + candidates <= static_cast<double>(payload.ids.size());
}

bool is_phase(const Payload& payload) {
  if (payload.values.empty()) return payload.ids.empty();
  const bool of_path = payload.values.size() == kPathPhaseValues;
  return (payload.values.size() == kPhaseValues || of_path) && strictly_ascending(payload.ids) &&
         (!of_path || (is_weight(payload.values[kPhaseLambda]) && is_weight(payload.values[kPhaseNextLambda])));
}

bool is_changes(const Payload& payload) {
  const std::size_t size = payload.values.size();
  return payload.ids.size() == size || (size > 0 && payload.ids.size() == size + 1);
}

}  // namespace

StatusView view_status(const Payload& status) {
  const std::size_t count = status.ids.size();
  const auto ids = std::span(status.ids);
  const auto values = std::span(status.values).subspan(kStatusHeader);
  const bool of_path = values.size() > count;
  const auto nonzeros = static_cast<std::size_t>(status.values[kStatusNonzeros]);
  const std::size_t candidates =
      of_path ? static_cast<std::size_t>(values[count + kPathStatusCandidates]) : count - nonzeros;
  const std::size_t strong = count - nonzeros - candidates;
  return {ids.first(nonzeros),
          values.first(nonzeros),
          ids.subspan(nonzeros, candidates),
          values.subspan(nonzeros, candidates),
          ids.last(strong),
          values.subspan(nonzeros + candidates, strong),
          of_path ? values[count + kPathStatusSquares] : 0.0};
}

double sum_of(std::span<const Payload> statuses, StatusValue which) {
  double sum = 0;
  for (const Payload& status : statuses) sum += status.values[which];
  return sum;
}

double max_of(std::span<const Payload> statuses, StatusValue which) {
  double largest = 0;
  for (const Payload& status : statuses) largest = std::max(largest, status.values[which]);
  return largest;
}
Nonzeros nonzeros_of(std::span<const Payload> statuses) {
  std::vector<std::pair<VarId, double>> all;
  for (const Payload& status : statuses) {
    const StatusView view = view_status(status);
    for (std::size_t k = 0; k < view.nonzeros.size(); ++k) all.emplace_back(view.nonzeros[k], view.values[k]);
  }
  std::sort(all.begin(), all.end());
  Nonzeros nonzeros;
  for (const auto& [j, value] : all) {
    if (!nonzeros.variables.empty() && nonzeros.variables.back() == j) continue;
    nonzeros.variables.push_back(j);
    nonzeros.values.push_back(value);
  }
  return nonzeros;
}

bool well_formed(PayloadKind kind, const Payload& payload, VarId variables) {
  if (!below(payload.ids, variables)) return false;
  switch (kind) {
    case PayloadKind::ready:
      return is_ready(payload);
    case PayloadKind::start:
      return is_start(payload);
    case PayloadKind::block:
      return is_block(payload);
    case PayloadKind::deltas:
      return payload.ids.size() == payload.values.size();
    case PayloadKind::changes:
      return is_changes(payload);
    case PayloadKind::status:
      return is_status(payload);
    case PayloadKind::phase:
      return is_phase(payload);
  }
  return false;
}

}  // namespace strads::lasso
