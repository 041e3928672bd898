// Payloads of other processes against what this model knows: a worker or a stranger may send anything.
#include <algorithm>

#include "mf/model/mf_model.hpp"

namespace strads::mf {

bool MfModel::acceptable(PayloadKind kind, const Payload& payload) const {
  const Shape shape{.users = data_->size(Side::users),
                    .items = data_->size(Side::items),
                    .rank = options_.rank,
                    .pages = engine_.schedulers * (engine_.workers + 1),
                    .workers = engine_.workers,
                    .form = solver_->facts().form};
  // A driver is not placed: it computes nothing and looks at statuses only.
  return well_formed(kind, payload, shape) && (partition_ == nullptr || fits_pages(kind, payload));
}

bool MfModel::fits_pages(PayloadKind kind, const Payload& payload) const {
  if (payload.values.empty()) return true;
  const std::span<const double> plan =
      std::span(payload.values).first(std::min(payload.values.size(), plan_size(options_.rank)));
  if (kind == PayloadKind::block) {
    const Side side = payload.ids[0] < data_->size(Side::users) ? Side::users : Side::items;
    const bool split = partition_->of(side).is_split(page_of(payload.ids[0]));
    return side == side_of(plan) && (work_of(plan) == Work::evaluate || split == (part_of(plan) >= 0));
  }
  const bool has_pages = kind == PayloadKind::deltas || kind == PayloadKind::changes;
  if (!has_pages || work_of(plan) == Work::evaluate) return true;
  std::span<const SharedFloats> arrays(payload.bulk);
  for (auto rest = std::span(payload.values).subspan(plan.size()); !rest.empty();) {
    const PageEntry entry = entry_of(rest);
    const auto lengths =
        solver_->arrays(plan, static_cast<std::uint32_t>(entry.page), static_cast<std::uint32_t>(entry.other));
    if (!std::ranges::equal(lengths, arrays.first(lengths.size()), {}, {}, &SharedFloats::size)) return false;
    arrays = arrays.subspan(lengths.size());
    rest = rest.subspan(solver_->facts().form.entry);
  }
  return true;
}

/// Each answer may be well formed and still be of another plan than the others: nobody asked for it.
bool MfModel::of_one_plan(std::span<const Payload> deltas) const {
  const std::size_t head = plan_size(options_.rank);
  const auto asked = [&](const Payload& block) {
    Plan plan = plan_of(block.values);
    const bool is_part = plan.part >= 0;
    plan.part = is_part ? 0 : -1;
    std::vector<double> values = payload_of(plan).values;
    const auto weights = weights_of(block.values, options_.rank);
    values.insert(values.end(), weights.begin(), weights.end());
    // Parts of one page belong together.
    if (is_part) values.push_back(static_cast<double>(entry_of(std::span(block.values).subspan(head)).page));
    return values;
  };
  return std::all_of(deltas.begin(), deltas.end(),
                     [&, first = asked(deltas[0])](const Payload& block) { return asked(block) == first; });
}

}  // namespace strads::mf
