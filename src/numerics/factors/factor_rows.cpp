// cd and als on blocks of ratings: rows of like length side by side in the lanes of a vector.
#include "numerics/factors/factor_rows.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "strads/base/status.hpp"

namespace strads {
namespace {

/// Rows that are sorted by their number of ratings at a time: enough for panels without gaps, few enough that their
/// ratings stay in L2.
constexpr std::size_t kWindowRows = 2048;

std::uint64_t count_of(const RatingRows& rows, std::size_t row) {
  return rows.begins[row + 1] - rows.begins[row];
}

/// Lanes that share a row of `count` ratings: as few as give it kPanelGroups groups.
std::size_t split_of(std::uint64_t count, std::size_t lanes) {
  std::size_t split = 1;
  while (split < lanes && split * kPanelGroups < count) split *= 2;
  return split;
}

}  // namespace

std::vector<float> weights_of(const RowProblem& problem) {
  std::vector<float> weights(coordinates_of(problem), 1.0F);
  std::copy(problem.weights.begin(), problem.weights.end(), weights.begin());
  return weights;
}

std::uint64_t flops_of(const RowProblem& problem, std::uint64_t count) {
  const std::uint64_t coordinates = coordinates_of(problem);
  std::uint64_t flops = 2 * count * (problem.rank + 2);
  for (std::uint64_t first = 0; first < coordinates; first += problem.width) {
    const std::uint64_t width = std::min<std::uint64_t>(problem.width, coordinates - first);
    flops += count * width * (width + 5) + width * width * (width + 6) / 3;
  }
  return flops;
}

PanelRoom::PanelRoom(const RatingRows& rows, const FactorPages& columns, const RowProblem& problem,
                     std::uint64_t longest)
    : rows_(rows),
      columns_(columns),
      kernels_(factor_kernels()),
      weights_(weights_of(problem)),
      nothing_(columns.stride),
      dropped_(columns.stride),
      factors_(columns.stride * kernels_.lanes) {
  STRADS_CHECK(columns.stride == record_stride(problem.rank), "records of both sides have the rank's stride");
  STRADS_CHECK(problem.weights.empty() || problem.weights.size() == problem.rank, "one weight a factor, or none");
  STRADS_CHECK(problem.rank > 0 && problem.width > 0, "a block has a coordinate");
  const std::size_t coordinates = coordinates_of(problem);
  shape_ = {.rank = problem.rank,
            .coordinates = coordinates,
            .width = std::min<std::size_t>(problem.width, coordinates),
            .stride = columns.stride,
            .mean = problem.mean,
            .relaxation = problem.relaxation,
            .weights = weights_.data()};
  equations_ = SharedFloats((equation_vectors(shape_.width) + shape_.width) * kernels_.lanes);
  std::ranges::fill(nothing_.writable(), 0.0F);
  const std::size_t lanes = kernels_.lanes, split = split_of(longest, lanes);
  const std::size_t entries = (longest + split - 1) / split * lanes;
  coordinates_ = SharedFloats(std::max(entries, kPanelGroups * lanes) * coordinates);
  for (Lists& lists : lists_) {
    lists.residual = SharedFloats(std::max(entries, kPanelGroups * lanes));
    lists.records.resize(lists.residual.size());
  }
}

void PanelRoom::fill_lane(Lists& lists, std::size_t lane, std::size_t split, const PanelRow& row) {
  const std::size_t lanes = kernels_.lanes, end = lists.panel.groups * lanes;
  float* const residual = lists.residual.writable().data();
  std::size_t to = lane;
  const auto each = [&](auto&& value_of) {
    const float** const records = lists.records.data();
    const FactorPages columns = columns_;
    rows_.slots.visit([&](const auto* slots) {
      for (std::uint64_t rating = row.begin + lane % split; rating < row.end; rating += split, to += lanes) {
        records[to] = columns.record(slots[rating]);
        residual[to] = value_of(rating);
      }
    });
  };
  if (rows_.codes.empty()) {
    each([values = rows_.values.data()](std::uint64_t rating) { return values[rating]; });
  } else {
    each([codes = rows_.codes.data(), levels = rows_.levels](std::uint64_t rating) { return levels[codes[rating]]; });
  }
  for (; to < end; to += lanes) {
    lists.records[to] = nothing_.data();
    residual[to] = 0;
  }
  lists.starts[lane] = row.before != nullptr ? row.before : nothing_.data();
  lists.results[lane] = row.after != nullptr ? row.after : dropped_.writable().data();
  lists.lanes.writable()[lane] = static_cast<float>(row.end - row.begin);
  lists.lanes.writable()[kFactorLanesMax + lane] = static_cast<float>(row.penalty);
}

const FactorPanel& PanelRoom::fill(std::span<const PanelRow> rows, std::size_t split) {
  Lists& lists = lists_[second_ ? 1 : 0];
  second_ = !second_;
  std::uint64_t longest = 0;
  for (const PanelRow& row : rows) longest = std::max(longest, row.end - row.begin);
  const std::size_t groups = (longest + split - 1) / split;
  lists.panel = {.groups = groups,
                 .split = split,
                 .records = lists.records.data(),
                 .residual = lists.residual.writable().data(),
                 .starts = lists.starts.data(),
                 .results = lists.results.data(),
                 .counts = lists.lanes.data(),
                 .penalties = lists.lanes.data() + kFactorLanesMax,
                 .factors = factors_.writable().data(),
                 .coordinates = coordinates_.writable().data(),
                 .equations = equations_.writable().data()};
  for (std::size_t lane = 0; lane < kernels_.lanes; ++lane) {
    fill_lane(lists, lane, split, lane / split < rows.size() ? rows[lane / split] : PanelRow{});
  }
  return lists.panel;
}

namespace {

/// The rows of one call: those of a window by number of ratings, side by side; empty and very long ones by themselves.
class RowsUpdate {
 public:
  RowsUpdate(const RatingRows& rows, const FactorPages& columns, const RowProblem& problem, const float* before,
             float* after, RowSums& sums)
      : rows_(rows),
        columns_(columns),
        problem_(problem),
        before_(before),
        after_(after),
        sums_(sums),
        stride_(record_stride(problem.rank)),
        count_max_(std::min(kPanelRatings, kPanelFloats / coordinates_of(problem))),
        room_(rows, columns, problem, longest()) {}

  void run() {
    for (std::size_t first = 0; first < rows_.rows(); first += kWindowRows) {
      window(first, std::min(rows_.rows(), first + kWindowRows));
    }
    finish(nullptr);
  }

 private:
  void window(std::size_t first, std::size_t last) {
    order_.clear();
    for (std::size_t row = first; row < last; ++row) {
      const std::uint64_t count = count_of(rows_, row);
      sums_.flops += flops_of(problem_, count);
      if (count == 0) {
        clear(row);
      } else if (count > count_max_) {
        long_row(row);
      } else {
        order_.push_back({count, row});
      }
    }
    sort_by_count();
    std::size_t begin = 0;
    while (begin < order_.size()) {
      prefetch(begin + 2 * room_.kernels().lanes);
      const std::size_t split = split_of(order_[begin].count, room_.kernels().lanes);
      std::size_t end = begin;
      batch_.clear();
      while (end < order_.size() && batch_.size() < room_.kernels().lanes / split &&
             split_of(order_[end].count, room_.kernels().lanes) == split) {
        batch_.push_back(panel_row(order_[end++].row));
      }
      finish(&room_.fill(batch_, split));
      begin = end;
    }
  }

  /// A counting sort: rows that fill their vectors alone need no order.
  void sort_by_count() {
    const std::uint64_t lengths = kPanelGroups * room_.kernels().lanes + 1;
    places_.assign(lengths + 1, 0);
    for (const Counted& row : order_) ++places_[std::min(row.count, lengths)];
    std::exclusive_scan(places_.begin(), places_.end(), places_.begin(), std::uint32_t{0});
    sorted_.resize(order_.size());
    for (const Counted& row : order_) sorted_[places_[std::min(row.count, lengths)]++] = row;
    order_.swap(sorted_);
  }

  /// Rows in the order of their number lie anywhere: what fill() reads of a vector full of them is asked for early.
  void prefetch(std::size_t first) const {
    const std::size_t last = std::min(order_.size(), first + room_.kernels().lanes);
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t begin = rows_.begins[order_[i].row];
      const std::uint64_t end = begin + std::min(order_[i].count, std::uint64_t{kPanelGroups});
      rows_.slots.visit([&](const auto* slots) {
        for (std::uint64_t rating = begin; rating < end; rating += 16) __builtin_prefetch(slots + rating);
      });
      if (!rows_.codes.empty()) __builtin_prefetch(rows_.codes.data() + begin);
      const float* const record = before_ + order_[i].row * stride_;
      for (std::size_t k = 0; k < stride_; k += 16) __builtin_prefetch(record + k);
    }
  }

  /// Updates the panel before `next`, whose records are on their way meanwhile.
  void finish(const FactorPanel* next) {
    if (waiting_ != nullptr) {
      const PanelErrors errors =
          room_.kernels().update(room_.shape(), *waiting_, ahead_of(next, room_.kernels().lanes));
      sums_.error_before += errors.before;
      sums_.error_after += errors.after;
    }
    waiting_ = next;
  }

  /// Ratings of the longest row that is no long one.
  [[nodiscard]] std::uint64_t longest() const {
    std::uint64_t longest = 0;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      if (const std::uint64_t count = count_of(rows_, row); count <= count_max_) longest = std::max(longest, count);
    }
    return longest;
  }

  [[nodiscard]] PanelRow panel_row(std::size_t row) const {
    const std::uint64_t begin = rows_.begins[row], end = rows_.begins[row + 1];
    return {.begin = begin,
            .end = end,
            .before = before_ + row * stride_,
            .after = after_ + row * stride_,
            .penalty = penalty_of(problem_, end - begin)};
  }

  /// The penalty alone: its minimum is 0. A bias that is no variable stays.
  void clear(std::size_t row) {
    float* const to = after_ + row * stride_;
    std::fill_n(to, stride_, 0.0F);
    if (!problem_.bias) to[problem_.rank] = before_[row * stride_ + problem_.rank];
  }

  void long_row(std::size_t row);

  struct Counted {
    std::uint64_t count;
    std::size_t row;
  };

  const RatingRows& rows_;
  const FactorPages& columns_;
  const RowProblem& problem_;
  const float* before_;
  float* after_;
  RowSums& sums_;
  std::size_t stride_;
  std::uint64_t count_max_;
  PanelRoom room_;
  std::optional<PanelRoom> long_room_;  ///< made when the first long row comes
  std::vector<Counted> order_, sorted_;
  std::vector<std::uint32_t> places_;
  std::vector<PanelRow> batch_;
  const FactorPanel* waiting_ = nullptr;
};

void RowsUpdate::long_row(std::size_t row) {
  if (!long_room_) {
    RowProblem whole = problem_;
    whole.width = static_cast<std::uint32_t>(coordinates_of(problem_));
    long_room_.emplace(rows_, columns_, whole, kPanelGroups * factor_kernels().lanes);
  }
  const float* const before = before_ + row * stride_;
  float* const after = after_ + row * stride_;
  const float own_bias = problem_.bias ? 0.0F : before[problem_.rank];
  std::vector<double> normal(normal_size(problem_));
  sum_normal(*long_room_, rows_.begins[row], rows_.begins[row + 1], own_bias, normal);
  std::vector<float> start(before, before + stride_);
  if (!problem_.bias) start[problem_.rank] = 0;
  RowSums sums;
  update_from_normal(normal, count_of(rows_, row), problem_, start.data(), after, sums);
  after[problem_.rank] += own_bias;
  sums_.error_before += sums.error_before;
  sums_.error_after += sums.error_after;
}

}  // namespace

void update_rows(const RatingRows& rows, const FactorPages& columns, const RowProblem& problem, const float* before,
                 float* after, RowSums& sums) {
  if (rows.rows() == 0) return;
  RowsUpdate(rows, columns, problem, before, after, sums).run();
}

}  // namespace strads
