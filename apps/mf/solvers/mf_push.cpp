// What workers compute: rows of a side, parts of heavy rows, errors.
#include <algorithm>
#include <cmath>

#include "mf/model/mf_model.hpp"
#include "strads/base/all_finite.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {
namespace {

/// Penalty weights of one side as the kernels want them; empty where all are 1.
std::vector<float> weights_of(std::span<const double> plan, Side side) {
  const auto weights = plan.subspan(kPlanWeights);
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1; })) return {};
  std::vector<float> of_side(weights.size());
  std::transform(weights.begin(), weights.end(), of_side.begin(),
                 [side](double w) { return static_cast<float>(side == Side::users ? w : 1 / w); });
  return of_side;
}

RowProblem problem_of(const MfOptions& options, double mean, std::span<const double> plan,
                      std::span<const float> weights) {
  return {.rank = options.rank,
          .bias = options.bias,
          .mean = static_cast<float>(mean),
          .lambda = options.lambda,
          .weighted = options.weighted,
          .weights = weights,
          .width = options.solver == Solver::als ? options.rank + 1 : options.width,
          .relaxation = static_cast<float>(plan[kPlanRelaxation])};
}

std::vector<double> entry_of(std::span<const double> plan, std::uint32_t page, const RowSums& sums,
                             std::span<const double> penalties) {
  std::vector<double> values(plan.begin(), plan.end());
  values.insert(values.end(), {static_cast<double>(page), 0.0, sums.error_before, sums.error_after});
  values.insert(values.end(), penalties.begin(), penalties.end());
  return values;
}

/// All pages of a side as rows, held here: a commit that nobody foresees may release those of the replica meanwhile.
class RowMajorPages {
 public:
  RowMajorPages(const MfModel& model, const MfState& state, Side side) {
    const bool by_feature = model.options().solver == Solver::ccd;
    const std::size_t count = model.page_count(side);
    held_.reserve(count);
    table_.reserve(count);
    for (std::uint32_t page = 0; page < count; ++page) {
      held_.push_back(by_feature ? model.row_major(state, side, page) : model.records_of(state, side, page));
      table_.push_back(held_.back().data());
    }
    view_ = {table_.data(), model.partition().of(side).shift, model.stride()};
  }
  [[nodiscard]] const FactorPages& view() const { return view_; }

 private:
  std::vector<SharedFloats> held_;
  std::vector<const float*> table_;
  FactorPages view_;
};

/// Of a cell of sgd, whose pages were finite before.
bool cell_finite(const Payload& payload, std::uint32_t rank) {
  return strads::all_finite(payload.values) &&
         std::all_of(payload.bulk.begin(), payload.bulk.end(),
                     [rank](const SharedFloats& records) { return sgd_stays_finite(records.view(), rank); });
}

bool all_finite(const Payload& payload) {
  return strads::all_finite(payload.values) &&
         std::all_of(payload.bulk.begin(), payload.bulk.end(), [](const SharedFloats& floats) {
           return strads::all_finite(std::span(floats.data(), floats.size()));
         });
}

/// What is sent of an answer that no message can carry: of the same shape, and nobody builds on it.
void mark_failed(Payload& answer, std::uint32_t rank) {
  const std::span<double> entry = std::span(answer.values).subspan(plan_size(rank));
  const bool is_evaluation = work_of(answer.values) == Work::evaluate;
  std::fill(entry.begin() + (is_evaluation ? 0 : static_cast<std::ptrdiff_t>(kEntryBefore)), entry.end(), 0.0);
  if (is_evaluation) {
    entry[kEvaluatedBlocks] = entry[kFailedBlocks] = 1;
  } else {
    entry[kEntryAfter] = kFailed;
  }
  for (SharedFloats& floats : answer.bulk) {
    SharedFloats zeros(floats.size());
    std::ranges::fill(zeros.writable(), 0.0F);
    floats = std::move(zeros);
  }
}

/// Rows of sgd whose records are copied at a time.
constexpr std::size_t kCopiedRows = 1024;

/// Calls act(rows, records) for some rows of a page after the other, records without the accumulators of sgd, which
/// follow the bias.
template <class Act>
void each_without_accumulators(const RatingRows& rows, const SharedFloats& page, std::uint32_t rank, Act&& act) {
  const std::size_t stride = sgd_stride(rank), used = sgd_bias(rank) + 1;
  std::vector<float> records(std::min(rows.rows(), kCopiedRows) * stride);
  for (std::size_t first = 0; first < rows.rows(); first += kCopiedRows) {
    const std::size_t count = std::min(kCopiedRows, rows.rows() - first);
    for (std::size_t k = 0; k < count; ++k) {
      std::copy_n(page.data() + (first + k) * stride, used, records.begin() + static_cast<std::ptrdiff_t>(k * stride));
    }
    RatingRows some = rows;
    some.begins = rows.begins.subspan(first, count + 1);
    act(some, records.data());
  }
}

}  // namespace

std::uint64_t MfModel::push_flops(const Block& block) const {
  const auto& page = rows_of(side_of(block.content.values), page_of(block.content.ids[0]));
  return std::uint64_t{1000} * options_.rank * page.size();
}

Push MfModel::push(const State& base, const Block& block, Chunks&) const {
  const auto& state = static_cast<const MfState&>(base);
  const std::span<const double> plan = block.content.values;
  const std::uint32_t page = page_of(block.content.ids[0]);
  Push push;
  switch (work_of(plan)) {
    case Work::update:
      push = part_of(plan) >= 0 ? normal_part(state, plan, page) : update(state, plan, page);
      break;
    case Work::evaluate:
      push = evaluate(state, plan, page);
      break;
    case Work::feature:
      push = feature(state, plan, page);
      break;
    case Work::cell:
      push = cell(state, plan, page);
      break;
  }
  const bool finite = work_of(plan) == Work::cell ? cell_finite(push.deltas, options_.rank) : all_finite(push.deltas);
  if (!finite) mark_failed(push.deltas, options_.rank);
  if (!std::isfinite(push.predicted)) push.predicted = 0;
  return push;
}

Push MfModel::update(const MfState& base, std::span<const double> plan, std::uint32_t page) const {
  const Side side = side_of(plan);
  const RatingRows rows = train_rows(side, page, 0);
  const auto weights = weights_of(plan, side);
  const SharedFloats before = records_of(base, side, page);
  SharedFloats after(rows.rows() * stride());
  RowSums sums;
  std::vector<double> penalties(options_.rank + 1);
  const RowMajorPages others(*this, base, other(side));
  update_rows(rows, others.view(), problem_of(options_, mean(), plan, weights), before.data(), after.writable().data(),
              sums);
  penalties_of(rows, options_.rank, options_.weighted, after.data(), penalties);

  Push push;
  push.deltas.values = entry_of(plan, page, sums, penalties);
  push.deltas.bulk.push_back(std::move(after));
  const auto user_weights = plan.subspan(kPlanWeights);
  push.predicted = sums.error_before - sums.error_after +
                   options_.lambda * (weighted_penalty(base.penalties_of_page(side, page), user_weights, side) -
                                      weighted_penalty(penalties, user_weights, side));
  push.cost.flops = push.cost.tiled = sums.flops;
  push.cost.bytes = push.cost.gathered = rows.ratings() * stride() * sizeof(float);
  push.cost.updates = rows.rows();
  return push;
}

Push MfModel::normal_part(const MfState& base, std::span<const double> plan, std::uint32_t page) const {
  const Side side = side_of(plan);
  const auto part = static_cast<std::uint32_t>(part_of(plan));
  const RatingRows rows = train_rows(side, page, part);
  const RowProblem problem = problem_of(options_, mean(), plan, {});
  const std::size_t size = normal_size(problem);
  const RowMajorPages others(*this, base, other(side));
  SharedFloats equations(rows.rows() * size);
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    normal_equations(rows, k, 0, rows.begins[k + 1] - rows.begins[k], others.view(), problem,
                     equations.writable().subspan(k * size, size));
  }
  Push push;
  push.deltas.values = entry_of(plan, page, {}, std::vector<double>(options_.rank + 1));
  push.deltas.bulk.push_back(std::move(equations));
  push.cost.flops = push.cost.tiled = rows.ratings() * size * 2;
  push.cost.bytes = push.cost.gathered = rows.ratings() * stride() * sizeof(float);
  return push;
}

/// Adds the parts in their order and does with each heavy row what update() does with a light one.
void MfModel::solve_split(const MfState& now, std::span<const double> plan, std::uint32_t page,
                          std::span<const Payload> parts, Payload& changes) const {
  const Side side = side_of(plan);
  const auto& counts = data_->counts[mf::index_of(side)];
  const auto& heavy = rows_of(side, page);
  const auto weights = weights_of(plan, side);
  const RowProblem problem = problem_of(options_, mean(), plan, weights);
  const std::size_t size = normal_size(problem);
  const SharedFloats before = records_of(now, side, page);
  SharedFloats after(heavy.size() * stride());
  RowSums sums;
  std::vector<std::uint64_t> begins{0};
  for (std::size_t k = 0; k < heavy.size(); ++k) {
    std::vector<double> normal(size);
    for (const Payload& part : parts) {
      const auto equations = part.bulk[0].view().subspan(k * size, size);
      for (std::size_t e = 0; e < size; ++e) normal[e] += static_cast<double>(equations[e]);
    }
    update_from_normal(normal, counts[heavy[k]], problem, before.data() + k * stride(),
                       after.writable().data() + k * stride(), sums);
    begins.push_back(begins.back() + counts[heavy[k]]);
  }
  std::vector<double> penalties(options_.rank + 1);
  RatingRows rows;
  rows.begins = begins;
  penalties_of(rows, options_.rank, options_.weighted, after.data(), penalties);
  Payload solved;
  solved.values = entry_of(plan, page, sums, penalties);
  solved.bulk.push_back(std::move(after));
  const std::size_t entry = plan.size();
  const bool failed = std::any_of(parts.begin(), parts.end(),
                                  [&](const Payload& part) { return part.values[entry + kEntryAfter] == kFailed; });
  if (failed || !all_finite(solved)) mark_failed(solved, options_.rank);
  changes.values.insert(changes.values.end(), solved.values.begin() + static_cast<std::ptrdiff_t>(entry),
                        solved.values.end());
  changes.bulk.push_back(std::move(solved.bulk[0]));
}

Push MfModel::evaluate(const MfState& base, std::span<const double> plan, std::uint32_t page) const {
  const WorkerRatings& ratings = ratings_of(Side::users, page, 0);
  const bool sgd = options_.solver == Solver::sgd;
  const SharedFloats records = sgd ? records_of(base, Side::users, page) : row_major(base, Side::users, page);
  const std::size_t bias = sgd ? sgd_bias(options_.rank) : options_.rank;
  const RowMajorPages items(*this, base, Side::items);
  Push push;
  push.deltas.values.assign(plan.begin(), plan.end());
  std::uint64_t count = 0;
  for (const SideRatings* part : {&ratings.validation, &ratings.test}) {
    Errors errors;
    if (const auto rows = part->find(page, 0, data_->ratings->levels)) {
      const auto add = [&](const RatingRows& some, const float* of_rows) {
        add_errors(some, items.view(), bias, static_cast<float>(mean()), of_rows, options_.clip, data_->ratings->lowest,
                   data_->ratings->highest, errors);
      };
      sgd ? each_without_accumulators(*rows, records, options_.rank, add) : add(*rows, records.data());
    }
    if (part == &ratings.test) add_stranger_errors(page, records.data(), items.view(), bias, errors);
    count += errors.count;
    push.deltas.values.insert(push.deltas.values.end(),
                              {errors.squared, errors.absolute, static_cast<double>(errors.count)});
  }
  push.deltas.values.insert(push.deltas.values.end(), {1.0, 0.0});
  push.cost.flops = push.cost.tiled = count * 2 * options_.rank;
  push.cost.bytes = push.cost.gathered = count * stride() * sizeof(float);
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
void MfModel::add_stranger_errors(std::uint32_t page, const float* users, const FactorPages& items, std::size_t bias,
                                  Errors& errors) const {
  const Ratings& ratings = *data_->ratings;
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
    if (options_.clip) predicted = std::clamp(predicted, ratings.lowest, ratings.highest);
    const float value = ratings.levels.empty() ? strangers.values[t] : ratings.levels[strangers.codes[t]];
    const double error = double{value} - double{predicted};
    errors.squared += error * error;
    errors.absolute += std::abs(error);
    ++errors.count;
  }
}

}  // namespace strads::mf
