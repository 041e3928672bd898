#include "mf/problem/payloads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strads/base/all_finite.hpp"
#include "strads/engine/model.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads::mf {
namespace {

bool counts_to(double value, double end) {
  return value >= 0 && value < end && value == std::floor(value);
}

/// Of the work that a plan asks for; nullptr: nobody here does it.
const WorkForm* form_of(const Plan& plan, const Shape& shape) {
  static constexpr WorkForm kEvaluation{.work = Work::evaluate, .entry = kFields<Evaluation>};
  if (plan.work >= kWorks) return nullptr;
  const Work work = static_cast<Work>(plan.work);
  return work == Work::evaluate ? &kEvaluation : work == shape.form.work ? &shape.form : nullptr;
}

constexpr std::uint64_t kRoundMax = 1'000'000'000'000'000;

bool are_weights(std::span<const double> weights) {
  return std::all_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
}

bool is_plan(std::span<const double> values, const Shape& shape) {
  const auto plan = find_fields<Plan>(values);
  if (!plan || values.size() != plan_size(shape.rank)) return false;
  const WorkForm* const form = form_of(*plan, shape);
  return form != nullptr && plan->side < kSides && (form->both_sides || plan->side == 0) &&
         plan->index < form->indices && plan->relaxation > 0 && plan->relaxation < 2 && plan->first < kRoundMax &&
         plan->sweep < kRoundMax && (plan->part == -1 || (counts_to(plan->part, shape.workers) && form->parts)) &&
         are_weights(weights_of(values, shape.rank));
}

bool is_block(const Payload& block, const Shape& shape) {
  return block.ids.size() == 1 && block.ids[0] < std::uint64_t{shape.users} + shape.items && block.bulk.empty() &&
         is_plan(block.values, shape);
}

bool are_pages(std::span<const double> values, const Shape& shape) {
  const auto entry = find_fields<PageEntry>(values);
  return entry && entry->page < shape.pages && entry->other < shape.pages;
}

/// What one block has looked at; a replica adds up those of all blocks.
constexpr std::uint64_t kBlockCountMax = 1'000'000'000'000;

bool is_evaluation_of_block(std::span<const double> values) {
  const auto sums = find_fields<Evaluation>(values);
  return sums && std::max({sums->validation_count, sums->test_count, sums->blocks, sums->failed, sums->unread}) <
                     kBlockCountMax;
}

/// A plan and entries, each with its arrays: one entry of a block and of every evaluation, any number of a round.
bool is_outcome(const Payload& payload, bool of_block, const Shape& shape) {
  if (!payload.ids.empty() || payload.values.size() < plan_size(shape.rank)) return false;
  const auto plan = std::span(payload.values).first(plan_size(shape.rank));
  if (!is_plan(plan, shape) || !(of_block || plan_of(plan).part == -1)) return false;
  const auto rest = std::span(payload.values).subspan(plan.size());
  const WorkForm& form = *form_of(plan_of(plan), shape);
  const Work work = form.work;
  const std::size_t width = form.entry;
  const std::size_t count = rest.size() / width;
  if (rest.size() % width != 0 || ((of_block || work == Work::evaluate) && count != 1)) return false;
  if (payload.bulk.size() != count * form.arrays) return false;
  if (work == Work::evaluate) return is_evaluation_of_block(rest);
  for (std::size_t at = 0; at < rest.size(); at += width) {
    if (!are_pages(rest.subspan(at, width), shape)) return false;
  }
  return true;
}

/// Factors come with their weights, and as many records as variables.
bool is_status(const Payload& status, const Shape& shape) {
  const std::size_t plain = status_size(shape.rank);
  const auto head = find_fields<StatusHead>(status.values);
  if (!head || status.values.size() < plain || head->fault >= kFaults ||
      !find_fields<Evaluation>(std::span(status.values).subspan(kFields<StatusHead>))) {
    return false;
  }
  if (status.values.size() == plain) return status.ids.empty() && status.bulk.empty();
  if (status.values.size() != plain + shape.rank) return false;
  const auto weights = std::span(status.values).subspan(plain);
  if (!are_weights(weights)) return false;
  const std::uint64_t variables = std::uint64_t{shape.users} + shape.items;
  if (!std::all_of(status.ids.begin(), status.ids.end(), [=](VarId id) { return id < variables; })) return false;
  const std::size_t stride = record_stride(shape.rank);
  std::size_t records = 0;
  for (const SharedFloats& page : status.bulk) {
    if (page.size() % stride != 0) return false;
    records += page.size() / stride;
  }
  return records == status.ids.size();
}

}  // namespace

bool well_formed(PayloadKind kind, const Payload& payload, const Shape& shape) {
  switch (kind) {
    case PayloadKind::ready:
    case PayloadKind::start:
      return payload == Payload{};
    case PayloadKind::block:
      return is_block(payload, shape);
    case PayloadKind::deltas:
      return is_outcome(payload, true, shape);
    case PayloadKind::changes:
      return payload == Payload{} || is_outcome(payload, false, shape);
    case PayloadKind::status:
      return is_status(payload, shape);
    case PayloadKind::phase:
      return payload == Payload{} || (payload.ids.empty() && payload.bulk.empty() && is_plan(payload.values, shape) &&
                                      plan_of(payload.values).part == -1);
  }
  return false;
}

void Evaluation::add(const Evaluation& more) {
  validation_squared += more.validation_squared;
  validation_absolute += more.validation_absolute;
  validation_count += more.validation_count;
  test_squared += more.test_squared;
  test_absolute += more.test_absolute;
  test_count += more.test_count;
  blocks += more.blocks;
  failed += more.failed;
  unread += more.unread;
}

bool all_finite(const Payload& payload) {
  return strads::all_finite(payload.values) &&
         std::all_of(payload.bulk.begin(), payload.bulk.end(), [](const SharedFloats& floats) {
           return strads::all_finite(std::span(floats.data(), floats.size()));
         });
}

void mark(Payload& answer, std::uint32_t rank, Fault fault) {
  const bool is_unread = fault == Fault::unread;
  const std::span<double> entry = std::span(answer.values).subspan(plan_size(rank));
  if (work_of(answer.values) == Work::evaluate) {
    write_fields(Evaluation{.blocks = 1, .failed = is_unread ? 0U : 1U, .unread = is_unread ? 1U : 0U}, entry);
  } else {
    PageEntry marked = entry_of(entry);
    marked.before = 0;
    marked.after = is_unread ? kUnread : kFailed;
    write_fields(marked, entry);
    std::ranges::fill(entry.subspan(kFields<PageEntry>), 0.0);
  }
  for (SharedFloats& floats : answer.bulk) {
    SharedFloats zeros(floats.size());
    std::ranges::fill(zeros.writable(), 0.0F);
    floats = std::move(zeros);
  }
}

}  // namespace strads::mf
