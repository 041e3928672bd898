#include "mf/model/payloads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strads/base/all_finite.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads::mf {
namespace {

bool counts_to(double value, double end) {
  return value >= 0 && value < end && value == std::floor(value);
}

/// Of the work that a plan asks for; nullptr: nobody here does it.
const WorkForm* form_of(std::span<const double> plan, const Shape& shape) {
  static constexpr WorkForm kEvaluation{.work = Work::evaluate, .entry = kEvaluateValues};
  if (!counts_to(plan[kPlanWork], kWorks)) return nullptr;
  const Work work = work_of(plan);
  return work == Work::evaluate ? &kEvaluation : work == shape.form.work ? &shape.form : nullptr;
}

bool is_plan(std::span<const double> plan, const Shape& shape) {
  if (plan.size() != plan_size(shape.rank)) return false;
  const WorkForm* const form = form_of(plan, shape);
  return form != nullptr && counts_to(plan[kPlanSide], kSides) && (form->both_sides || side_of(plan) == Side::users) &&
         counts_to(plan[kPlanIndex], static_cast<double>(form->indices)) && plan[kPlanRelaxation] > 0 &&
         plan[kPlanRelaxation] < 2 && counts_to(plan[kPlanFirst], 1e15) && counts_to(plan[kPlanSweep], 1e15) &&
         (plan[kPlanPart] == -1 || (counts_to(plan[kPlanPart], shape.workers) && form->parts)) &&
         std::all_of(plan.begin() + kPlanWeights, plan.end(), [](double weight) { return weight > 0; });
}

bool is_block(const Payload& block, const Shape& shape) {
  return block.ids.size() == 1 && block.ids[0] < std::uint64_t{shape.users} + shape.items && block.bulk.empty() &&
         is_plan(block.values, shape);
}

bool are_pages(std::span<const double> entry, Work work, const Shape& shape) {
  if (work == Work::evaluate) return true;
  return counts_to(entry[kEntryPage], shape.pages) && counts_to(entry[kEntryOther], shape.pages);
}

/// What one block has looked at; a replica adds up those of all blocks.
constexpr double kBlockCountMax = 1e12;
constexpr double kCountMax = 9007199254740992.0;  // 2^53: a whole number that a double holds exactly

/// Sums of an evaluation, whose numbers of ratings and of blocks are numbers.
bool is_evaluation(std::span<const double> sums, double count_max) {
  return counts_to(sums[kValidationCount], count_max) && counts_to(sums[kTestCount], count_max) &&
         counts_to(sums[kEvaluatedBlocks], count_max) && counts_to(sums[kFailedBlocks], count_max) &&
         counts_to(sums[kUnreadBlocks], count_max);
}

/// A plan and entries, each with its arrays: one entry of a block and of every evaluation, any number of a round.
bool is_outcome(const Payload& payload, bool of_block, const Shape& shape) {
  if (!payload.ids.empty() || payload.values.size() < plan_size(shape.rank)) return false;
  const auto plan = std::span(payload.values).first(plan_size(shape.rank));
  if (!is_plan(plan, shape) || !(of_block || plan[kPlanPart] == -1)) return false;
  const auto rest = std::span(payload.values).subspan(plan.size());
  const WorkForm& form = *form_of(plan, shape);
  const Work work = form.work;
  const std::size_t width = form.entry;
  const std::size_t count = rest.size() / width;
  if (rest.size() % width != 0 || ((of_block || work == Work::evaluate) && count != 1)) return false;
  if (payload.bulk.size() != count * form.arrays) return false;
  if (work == Work::evaluate && !is_evaluation(rest, kBlockCountMax)) return false;
  for (std::size_t at = 0; at < rest.size(); at += width) {
    if (!are_pages(rest.subspan(at, width), work, shape)) return false;
  }
  return true;
}

/// Factors come with their weights, and as many records as variables.
bool is_status(const Payload& status, const Shape& shape) {
  const std::size_t plain = status_size(shape.rank);
  if (status.values.size() < plain || !counts_to(status.values[kStatusFault], kFaults) ||
      !is_evaluation(std::span(status.values).subspan(kStatusEvaluation), kCountMax)) {
    return false;
  }
  if (status.values.size() == plain) return status.ids.empty() && status.bulk.empty();
  if (status.values.size() != plain + shape.rank) return false;
  const auto weights = std::span(status.values).subspan(plain);
  if (!std::all_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; })) return false;
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
                                      payload.values[kPlanPart] == -1);
  }
  return false;
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
  const bool is_evaluation = work_of(answer.values) == Work::evaluate;
  std::fill(entry.begin() + (is_evaluation ? 0 : static_cast<std::ptrdiff_t>(kEntryBefore)), entry.end(), 0.0);
  if (is_evaluation) {
    entry[kEvaluatedBlocks] = entry[is_unread ? kUnreadBlocks : kFailedBlocks] = 1;
  } else {
    entry[kEntryAfter] = is_unread ? kUnread : kFailed;
  }
  for (SharedFloats& floats : answer.bulk) {
    SharedFloats zeros(floats.size());
    std::ranges::fill(zeros.writable(), 0.0F);
    floats = std::move(zeros);
  }
}

}  // namespace strads::mf
