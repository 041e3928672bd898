// What workers are asked: the solver computes blocks, an evaluation looks at ratings that nobody learns from.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "mf/model/mf_model.hpp"
#include "mf/model/written_rows.hpp"

namespace strads::mf {

std::uint64_t MfModel::push_flops(const Block& block) const {
  const auto& page = rows_of(side_of(block.content.values), page_of(block.content.ids[0]));
  return std::uint64_t{1000} * options_.rank * page.size();
}

Push MfModel::push(const State& base, const Block& block, Chunks&) const {
  const auto& state = static_cast<const MfState&>(base);
  const std::span<const double> plan = block.content.values;
  const std::uint32_t page = page_of(block.content.ids[0]);
  const auto part = static_cast<std::uint32_t>(std::max(part_of(plan), std::int64_t{0}));
  const WorkerRatings* const ratings = ratings_of(side_of(plan), page, part);
  if (ratings == nullptr) return unread(plan, page);
  Push push = work_of(plan) != Work::evaluate ? solver_->push(state, plan, page, *ratings)
              : options_.stop.wanted()        ? evaluate_lists(state, plan, page, *ratings)
                                              : evaluate(state, plan, page, *ratings);
  if (!solver_->is_finite(push.deltas)) mark(push.deltas, options_.rank, Fault::not_finite);
  push.predicted *= data_->unit * data_->unit;
  if (!std::isfinite(push.predicted)) push.predicted = 0;
  return push;
}

/// Of the shape that was asked for: the round that waits for it ends, and with its commit every replica knows.
Push MfModel::unread(std::span<const double> plan, std::uint32_t page) const {
  Push push;
  auto& values = push.deltas.values;
  values.assign(plan.begin(), plan.end());
  if (work_of(plan) == Work::evaluate) {
    append_fields(Evaluation{}, values);
  } else {
    const std::uint32_t of_items = solver_->items_page(plan, page);
    values = values_of_entry(plan, page, of_items, {});
    values.resize(plan.size() + solver_->facts().form.entry);
    for (const std::size_t floats : solver_->arrays(plan, page, of_items)) push.deltas.bulk.emplace_back(floats);
  }
  mark(push.deltas, options_.rank, Fault::unread);
  return push;
}

Push MfModel::evaluate(const MfState& base, std::span<const double> plan, std::uint32_t page,
                       const WorkerRatings& ratings) const {
  const SharedFloats records = solver_->evaluated(base, page);
  const std::size_t stride = solver_->facts().stride, bias = solver_->facts().bias;
  const SidePages items(*solver_, *partition_, base, Side::items);
  const RatingRange range = data_->range();
  Push push;
  const auto errors_of = [&](const SideRatings* part) {
    Errors errors;
    if (const auto rows = part->find(page, 0, data_->ratings->levels)) {
      solver_->each_evaluated(*rows, records, [&](const RatingRows& some, const float* of_rows) {
        add_errors(some, items.view(), bias, static_cast<float>(mean()), of_rows, options_.clip, range.lowest,
                   range.highest, errors);
      });
    }
    if (part == &ratings.test) add_stranger_errors(page, records.data(), items.view(), errors);
    return errors;
  };
  const Errors validation = errors_of(&ratings.validation), test = errors_of(&ratings.test);
  push.deltas.values.assign(plan.begin(), plan.end());
  append_fields(Evaluation{.validation_squared = validation.squared,
                           .validation_absolute = validation.absolute,
                           .validation_count = validation.count,
                           .test_squared = test.squared,
                           .test_absolute = test.absolute,
                           .test_count = test.count,
                           .blocks = 1},
                push.deltas.values);
  const std::uint64_t count = validation.count + test.count;
  push.cost.flops = push.cost.tiled = count * 2 * options_.rank;
  push.cost.bytes = push.cost.gathered = count * stride * sizeof(float);
  return push;
}

/// Of ratings with the errors on the test part besides.
Push MfModel::evaluate_lists(const MfState& base, std::span<const double> plan, std::uint32_t page,
                             const WorkerRatings& ratings) const {
  Push push;
  Evaluation sums{.blocks = 1};
  if (!options_.implicit) {
    push = evaluate(base, plan, page, ratings);
    sums = read_fields<Evaluation>(std::span(push.deltas.values).subspan(plan.size()));
  }
  const StopLists& lists = *data_->stop_lists;
  const SharedFloats records = solver_->evaluated(base, page);
  const SidePages items(*solver_, *partition_, base, Side::items);
  const SidePartition& of_users = partition_->of(Side::users);
  const std::size_t stride = solver_->facts().stride, bias = solver_->facts().bias, rank = options_.rank;
  // As they will be written: a list that differs by rounding may have another item.
  const WrittenRows of_written[] = {{base.weights, Side::users, data_->unit}, {base.weights, Side::items, data_->unit}};
  std::vector<std::uint32_t> users;
  ListedFactors rows;
  rows.rank = options_.rank;
  rows.mean = options_.mean ? static_cast<float>(data_->user_mean()) : 0;
  const auto add = [&](const float* record, Side side, std::vector<float>& factors, std::vector<float>& biases) {
    const WrittenRows& written = of_written[mf::index_of(side)];
    for (std::size_t k = 0; k < rank; ++k) factors.push_back(written.factor(record, k));
    biases.push_back(options_.implicit ? 0 : written.bias(record[bias]));
  };
  for (const std::uint32_t user : rows_of(Side::users, page)) {
    if (!std::binary_search(lists.users().begin(), lists.users().end(), user)) continue;
    users.push_back(user);
    const std::size_t in_page = of_users.slots[user] & ((std::uint32_t{1} << of_users.shift) - 1);
    add(records.data() + in_page * stride, Side::users, rows.users, rows.user_biases);
  }
  for (std::uint32_t item = 0; item < data_->size(Side::items); ++item) {
    add(items.view().record(partition_->of(Side::items).slots[item]), Side::items, rows.items, rows.item_biases);
  }
  const double worth = lists.summed(options_.stop, users, std::move(rows));
  sums.validation_squared = std::max(0.0, static_cast<double>(users.size()) - worth);
  sums.validation_absolute = 0;
  sums.validation_count = users.size();
  push.deltas.values.assign(plan.begin(), plan.end());
  append_fields(sums, push.deltas.values);
  const std::uint64_t items_count = data_->size(Side::items);
  push.cost.flops = push.cost.tiled = push.cost.flops + users.size() * items_count * 2 * rank;
  push.cost.bytes = push.cost.gathered = push.cost.bytes + (users.size() + items_count) * rank * sizeof(float);
  return push;
}

void MfModel::deal_strangers() {
  const SidePartition& users = partition_->of(Side::users);
  std::vector<std::vector<std::uint32_t>> by_page(users.pages.size());
  const auto first =
      std::find_if(users.pages.begin(), users.pages.end(), [](const auto& page) { return !page.empty(); });
  const Triplets& strangers = data_->ratings->strangers;
  for (std::uint32_t t = 0; t < strangers.size(); ++t) {
    const bool known = strangers.users[t] < data_->size(Side::users);
    by_page[known ? users.page_of_row(strangers.users[t]) : static_cast<std::size_t>(first - users.pages.begin())]
        .push_back(t);
  }
  strangers_ = std::make_shared<const std::vector<std::vector<std::uint32_t>>>(std::move(by_page));
}

/// As score() and predict() of a written model: the mean and the bias that is known.
void MfModel::add_stranger_errors(std::uint32_t page, const float* users, const FactorPages& items,
                                  Errors& errors) const {
  const std::size_t bias = solver_->facts().bias;
  const Ratings& ratings = *data_->ratings;
  const RatingRange range = data_->range();
  const Triplets& strangers = ratings.strangers;
  const auto record_of = [&](Side side, std::uint32_t row) { return partition_->of(side).slots[row]; };
  for (const std::uint32_t t : (*strangers_)[page]) {
    float predicted = static_cast<float>(mean());
    if (strangers.users[t] < data_->size(Side::users)) {
      const std::uint32_t in_page =
          record_of(Side::users, strangers.users[t]) & ((std::uint32_t{1} << partition_->of(Side::users).shift) - 1);
      predicted += users[in_page * items.stride + bias];
    }
    if (strangers.items[t] < data_->size(Side::items)) {
      predicted += items.record(record_of(Side::items, strangers.items[t]))[bias];
    }
    if (options_.clip) predicted = std::clamp(predicted, range.lowest, range.highest);
    const float value = ratings.levels.empty() ? strangers.values[t] : ratings.levels[strangers.codes[t]];
    const double error = double{value} - double{predicted};
    errors.squared += error * error;
    errors.absolute += std::abs(error);
    ++errors.count;
  }
}

}  // namespace strads::mf
