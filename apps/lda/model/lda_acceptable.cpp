// Payloads of other processes against what this model knows: a worker or a stranger may send anything.
#include <algorithm>
#include <cmath>

#include "lda/model/lda_model.hpp"
#include "lda/problem/packed_topics.hpp"

namespace strads::lda {

bool LdaModel::acceptable(PayloadKind kind, const Payload& payload) const {
  const std::size_t topics = options_.topics;
  const auto documents = static_cast<VarId>(data_->documents->size());
  switch (kind) {
    case PayloadKind::ready:
    case PayloadKind::start:
      return payload == Payload{};
    case PayloadKind::status: {
      const auto is_document = [&](VarId id) { return id < documents; };
      if (payload.values.size() != status_size(topics) || !find_fields<Head>(payload.values)) return false;
      // Totals become whole numbers.
      const auto totals = std::span(payload.values).subspan(kFields<Head> + topics, topics);
      if (!std::all_of(totals.begin(), totals.end(), is_count)) return false;
      if (payload.bulk.empty()) return payload.ids.empty();
      if (!std::all_of(payload.ids.begin(), payload.ids.end(), is_document)) return false;
      std::size_t tokens = 0;
      for (const VarId d : payload.ids) tokens += data_->token_begins[d + std::size_t{1}] - data_->token_begins[d];
      return payload.bulk.size() == 1 && payload.bulk[0].size() == packed_size(tokens) &&
             all_below(payload.bulk[0], options_.topics);
    }
    case PayloadKind::phase:
      if (payload.values.empty()) return payload == Payload{};
      return payload.ids.empty() && payload.bulk.empty() && payload.values.size() == plan_size(topics) &&
             is_plan(payload.values);
    case PayloadKind::block:
    case PayloadKind::deltas:
    case PayloadKind::changes:
      return is_content(kind, payload);
  }
  return false;
}

bool LdaModel::is_plan(std::span<const double> values) const {
  if (values.size() < plan_size(options_.topics)) return false;
  const auto plan = find_fields<Plan>(values);
  if (!plan || plan->work >= kWorks || plan->phase == 0 || !(plan->beta > 0) || plan->turn >= engine_.workers) {
    return false;
  }
  const bool of_cells = options_.sampler != Sampler::delayed;
  if (draws(plan->kind()) && (plan->kind() == Work::cells) != of_cells) return false;
  const auto alpha = alpha_of(values, options_.topics);
  if (!std::all_of(alpha.begin(), alpha.end(), [](double each) { return each > 0; })) return false;
  // A driver is not placed: it computes nothing.
  return slice_of_.empty() || plan->page < pages_of(plan->kind());
}

bool LdaModel::is_content(PayloadKind kind, const Payload& payload) const {
  const auto known = [this](VarId id) { return id < variables(); };
  if (!std::all_of(payload.ids.begin(), payload.ids.end(), known)) return false;
  if (kind == PayloadKind::changes && payload.values.empty()) return payload == Payload{};
  if (!is_plan(payload.values)) return false;
  auto plan = read_fields<Plan>(payload.values);
  const bool is_placed = !slice_of_.empty();
  std::span<const double> rest = std::span(payload.values).subspan(plan_size(options_.topics));
  if (kind == PayloadKind::block) {
    return payload.ids.size() == 1 && rest.empty() && payload.bulk.empty() && (!is_placed || tokens_of(plan) > 0);
  }
  if (!payload.ids.empty()) return false;
  const std::size_t sums = sums_size(plan.kind(), options_.topics), head = kind == PayloadKind::changes ? 1 : 0;
  if (rest.size() % (head + sums) != 0 || (head == 0 && rest.size() != sums)) return false;
  const std::size_t blocks = rest.size() / (head + sums);
  if (payload.bulk.size() != (draws(plan.kind()) ? blocks : 0)) return false;
  for (std::size_t block = 0; block < blocks; ++block, rest = rest.subspan(head + sums)) {
    if (head == 1) {
      if (!is_count(rest[0])) return false;
      plan.page = static_cast<std::uint64_t>(rest[0]);
    }
    if (is_placed && plan.page >= pages_of(plan.kind())) return false;
    const auto is_whole = [](double each) { return std::trunc(each) == each && std::abs(each) <= kCountMax; };
    if (!std::all_of(rest.begin(), rest.begin() + std::ptrdiff_t(head + sums), is_whole)) return false;
    if (!draws(plan.kind())) continue;
    if (is_placed && payload.bulk[block].size() != solver_->floats_of(plan)) return false;
    if (!all_below(payload.bulk[block], options_.topics)) return false;
  }
  return true;
}

}  // namespace strads::lda
