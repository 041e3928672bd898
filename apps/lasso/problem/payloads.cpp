// Which payloads have the shape that the Lasso's functions count on.
#include "lasso/problem/payloads.hpp"

#include <algorithm>
#include <utility>

#include "strads/engine/model.hpp"

namespace strads::lasso {

namespace {

bool below(std::span<const VarId> ids, VarId variables) {
  return std::all_of(ids.begin(), ids.end(), [variables](VarId j) { return j < variables; });
}

/// With a negative one the problem would have no minimum.
bool is_weight(double lambda) {
  return lambda >= 0;
}

bool is_ready(const Payload& payload) {
  const auto ready = find_fields<Ready>(payload.values);
  return ready && payload.ids.empty() && payload.values.size() == kFields<Ready> && is_weight(ready->lambda_per_y);
}

bool is_start(const Payload& payload) {
  const auto start = find_fields<Start>(payload.values);
  return start && payload.ids.empty() && is_weight(start->lambda);
}

/// What a block says behind its start values.
std::span<const double> more_of(const Payload& block) {
  return std::span(block.values).subspan(block.ids.size());
}

bool is_block(const Payload& payload) {
  if (payload.values.size() < payload.ids.size() || !strictly_ascending(payload.ids)) return false;
  // A joint block says more, a block of a path its lambda besides.
  const auto more = more_of(payload);
  if (more.size() <= 1) return more.empty() || is_weight(more.back());
  const auto joint = find_fields<JointBlock>(more);
  return joint && joint->fresh <= payload.ids.size() && is_weight(joint->raise) &&
         more.size() <= kFields<JointBlock> + 1 && is_weight(more.back());
}

bool is_status(const Payload& payload) {
  const auto head = find_fields<StatusHead>(payload.values);
  if (!head) return false;
  const auto lists = std::span(payload.values).subspan(kFields<StatusHead>);
  const std::size_t count = payload.ids.size();
  if (lists.size() == count) return head->nonzeros <= count;
  if (lists.size() != count + kFields<PathStatusTail>) return false;
  const auto tail = find_fields<PathStatusTail>(lists.subspan(count));
  return tail && head->nonzeros <= count && tail->candidates <= count - head->nonzeros;
}

bool is_phase(const Payload& payload) {
  if (payload.values.empty()) return payload.ids.empty();
  const auto phase = find_fields<Phase>(payload.values);
  if (!phase || !strictly_ascending(payload.ids)) return false;
  const auto more = std::span(payload.values).subspan(kFields<Phase>);
  if (more.empty()) return true;
  const auto path = find_fields<PathPhase>(more);
  return path && more.size() == kFields<PathPhase> && is_weight(path->lambda) && is_weight(path->next_lambda);
}

bool is_changes(const Payload& payload) {
  const std::size_t size = payload.values.size();
  return payload.ids.size() == size || (size > 0 && payload.ids.size() == size + 1);
}

}  // namespace

std::span<const double> lambdas_of(const Payload& start) {
  return std::span(start.values).subspan(kFields<Start>);
}

StatusView view_status(const Payload& status) {
  const std::size_t count = status.ids.size();
  const auto ids = std::span(status.ids);
  const auto lists = std::span(status.values).subspan(kFields<StatusHead>);
  StatusView view;
  view.head = head_of(status);
  const std::size_t nonzeros = view.head.nonzeros;
  PathStatusTail tail{.candidates = count - nonzeros};
  if (lists.size() > count) tail = read_fields<PathStatusTail>(lists.subspan(count));
  view.nonzeros = ids.first(nonzeros);
  view.values = lists.first(nonzeros);
  view.candidates = ids.subspan(nonzeros, tail.candidates);
  view.decreases = lists.subspan(nonzeros, tail.candidates);
  view.strong = ids.subspan(nonzeros + tail.candidates);
  view.steepness = lists.subspan(nonzeros + tail.candidates, view.strong.size());
  return view;
}

double sum_of(std::span<const Payload> statuses, double StatusHead::*which) {
  double sum = 0;
  for (const Payload& status : statuses) sum += head_of(status).*which;
  return sum;
}

double max_of(std::span<const Payload> statuses, double StatusHead::*which) {
  double largest = 0;
  for (const Payload& status : statuses) largest = std::max(largest, head_of(status).*which);
  return largest;
}

Phase phase_of(const Payload& plan) {
  return plan.values.empty() ? Phase{} : read_fields<Phase>(plan.values);
}

PathPhase path_phase_of(const Payload& plan) {
  if (plan.values.size() <= kFields<Phase>) return {};
  return read_fields<PathPhase>(std::span(plan.values).subspan(kFields<Phase>));
}

std::optional<JointBlock> joint_of(const Payload& block) {
  const auto more = more_of(block);
  if (more.size() < kFields<JointBlock>) return std::nullopt;
  return read_fields<JointBlock>(more);
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
