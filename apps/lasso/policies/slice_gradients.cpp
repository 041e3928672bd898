#include "lasso/policies/slice_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace strads::lasso {

namespace {

/// Bytes of columns that are scanned and multiplied together, so that the second of the two finds them in a cache.
constexpr std::uint64_t kBatchBytes = 65536;
constexpr std::size_t kBatchSparse = 256;  ///< columns
/// Columns that are read at a time where not all of them are: their list and products shall stay short.
constexpr std::size_t kEvaluated = 65536;

double length_of(std::span<const double> v) {
  return std::sqrt(dot(v, v));
}

double distance(std::span<const double> a, std::span<const double> b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

}  // namespace

SliceGradients::SliceGradients(const StandardizedColumns& columns, std::span<const VarId> variables, double curvature)
    : columns_(columns),
      variables_(variables),
      curvature_(curvature),
      gradient_(variables.size(), 0.0),
      version_(variables.size(), kNever) {
  seen_[kNever].reach = kFar;
  users_[kNever] = variables_.size();
  work_ = work_of(variables_);
}

std::uint64_t SliceGradients::work_of(std::span<const VarId> variables) const {
  if (variables.empty()) return 0;
  const Storage storage = columns_.view().storage;
  if (storage != Storage::sparse_f32 && storage != Storage::sparse_f64) {
    return variables.size() * columns_.work(variables[0]);
  }
  std::uint64_t work = 0;
  for (const VarId j : variables) work += columns_.work(j);
  return work;
}

// --- what is known of the columns ---

void SliceGradients::Bounds::add(const Bounds& other) {
  length_min = std::min(length_min, other.length_min);
  length_max = std::max(length_max, other.length_max);
  rounding = std::max(rounding, other.rounding);
  squared_norm_min = std::min(squared_norm_min, other.squared_norm_min);
}

SliceGradients::Bounds SliceGradients::bounds_of(std::span<const VarId> variables) const {
  Bounds bounds;
  for (const VarId j : variables) {
    if (columns_.state(j) != ColumnState::kept) continue;  // their products are 0
    const double length = columns_.length_bound(j);
    bounds.add({length, length, columns_.rounding_bound(j), columns_.squared_norm(j)});
  }
  return bounds;
}

void SliceGradients::keep_bounds(std::span<const Bounds> pieces) {
  bounds_ = {};
  for (const Bounds& piece : pieces) bounds_.add(piece);
  prepared_ = true;
  if (!(bounds_.length_max > (1 + kSlack) * bounds_.length_min)) return;
  lengths_.assign(variables_.size(), 0.0);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (columns_.state(variables_[i]) == ColumnState::kept) lengths_[i] = columns_.length_bound(variables_[i]);
  }
}

void SliceGradients::prepare(Chunks& chunks) {
  if (prepared_) return;
  std::vector<Bounds> bounds(pieces_of(variables_.size(), kPiece));
  chunks.for_each(bounds.size(), [&](std::size_t p) {
    bounds[p] = bounds_of(variables_.subspan(p * kPiece, std::min(kPiece, variables_.size() - p * kPiece)));
  });
  keep_bounds(bounds);
}

// --- products ---

void SliceGradients::evaluate(std::span<const std::uint32_t> positions, bool exactly, Chunks& chunks, Cost& cost) {
  const bool scattered = positions.size() < variables_.size();
  for (; !positions.empty(); positions = positions.subspan(std::min(kEvaluated, positions.size()))) {
    const auto piece = positions.first(std::min(kEvaluated, positions.size()));
    list_.resize(piece.size());
    products_.resize(piece.size());
    std::transform(piece.begin(), piece.end(), list_.begin(), [&](std::uint32_t i) { return variables_[i]; });
    const std::uint64_t work = work_of(list_);
    if (exactly) {
      columns_.dots(list_, seen_[now_].residual, products_, chunks);
      cost.streamed += work;
      if (scattered) cost.scattered += work;
    } else {
      columns_.approximate_dots(list_, quantised_, products_, chunks);
      cost.quantised += work;
    }
    for (std::size_t k = 0; k < piece.size(); ++k) {
      gradient_[piece[k]] = products_[k];
      --users_[std::exchange(version_[piece[k]], static_cast<std::uint8_t>(now_))];
    }
    users_[now_] += piece.size();
  }
}

void SliceGradients::evaluate_all(bool exactly, Chunks& chunks, Cost& cost) {
  if (exactly) {
    columns_.dots(variables_, seen_[now_].residual, gradient_, chunks);
    cost.streamed += work_;
  } else {
    columns_.approximate_dots(variables_, quantised_, gradient_, chunks);
    cost.quantised += work_;
  }
  set_versions(now_);
}

void SliceGradients::set_versions(std::size_t place) {
  std::fill(version_.begin(), version_.end(), static_cast<std::uint8_t>(place));
  users_.fill(0);
  users_[place] = variables_.size();
}

/// A place for a new residual: the one that fewest gradients belong to.
std::size_t SliceGradients::free_place() {
  const auto last = seen_.begin() + kVersions;
  const auto empty = std::find_if(seen_.begin(), last, [](const Seen& seen) { return seen.residual.empty(); });
  if (empty != last) return static_cast<std::size_t>(empty - seen_.begin());
  const auto place = static_cast<std::size_t>(std::min_element(users_.begin(), users_.end() - 1) - users_.begin());
  for (std::uint8_t& version : version_) version = version == place ? kNever : version;
  users_[kNever] += std::exchange(users_[place], 0);
  return place;
}

/// Makes `residual` the newest one and says how far each earlier one reaches. False: its numbers are not finite, and
/// nothing is known any more.
bool SliceGradients::show(std::span<const double> residual) {
  const double length = length_of(residual);
  const bool approximates = columns_.can_approximate();
  if (approximates) quantised_.assign(residual, columns_.roots(), columns_.quantised_order());
  const double error = approximates ? quantised_.error : 0.0;
  if (!std::isfinite(length) || !std::isfinite(error)) {
    for (std::size_t v = 0; v < kVersions; ++v) seen_[v] = {};
    set_versions(kNever);
    now_ = 0;
    seen_[now_].residual.assign(residual.begin(), residual.end());
    return false;
  }
  std::size_t same = kVersions;
  for (std::size_t v = 0; v < kVersions; ++v) {
    Seen& seen = seen_[v];
    if (seen.residual.empty()) continue;
    if (std::equal(residual.begin(), residual.end(), seen.residual.begin())) same = v;
    seen.reach =
        (seen.error + distance(residual, seen.residual) * (1 + kSlack) + bounds_.rounding * (seen.length + length)) *
        (1 + kSlack);
  }
  now_ = same == kVersions ? free_place() : same;
  // Without whole numbers the newest gradients are those of a pass, to the last bit.
  const double reach = approximates ? (error + 2 * bounds_.rounding * length) * (1 + kSlack) : 0.0;
  if (same == kVersions) seen_[now_].residual.assign(residual.begin(), residual.end());
  seen_[now_].length = length;
  seen_[now_].error = error;
  seen_[now_].reach = reach;
  return true;
}

/// Gradients at this residual say about as much as those at the newest one.
bool SliceGradients::nearly_new(std::uint8_t version) const {
  return version == now_ || (version != kNever && seen_[version].reach <= 2 * seen_[now_].reach);
}

/// All gradients, those of the support exactly.
void SliceGradients::evaluate_all(const Question& question, Chunks& chunks, Cost& cost) {
  const bool exactly = !columns_.can_approximate();
  evaluate_all(exactly, chunks, cost);
  if (!exactly) evaluate(question.support, true, chunks, cost);
}

/// Plausible gradients that are known badly, some at a time: their list shall stay short.
void SliceGradients::evaluate_outdated(bool exactly, Chunks& chunks, Cost& cost) {
  std::vector<std::uint32_t> positions;
  positions.reserve(std::min(kEvaluated, plausible_.size()));
  for (const std::uint32_t i : plausible_) {
    if (!nearly_new(version_[i])) positions.push_back(i);
    if (positions.size() < kEvaluated) continue;
    evaluate(positions, exactly, chunks, cost);
    positions.clear();
  }
  evaluate(positions, exactly, chunks, cost);
}

double SliceGradients::scan(std::span<const double> y, std::span<const double> zeros, const Penalty& penalty,
                            Chunks& chunks, Cost& cost) {
  const std::uint64_t stride = columns_.view().column_stride;
  const std::size_t batch = stride == 0 ? kBatchSparse : static_cast<std::size_t>(4 + kBatchBytes / stride);
  std::vector<Bounds> bounds(pieces_of(variables_.size(), batch));
  bounds_ = {};
  const bool bounded = show(y);
  const bool exactly = !bounded || !columns_.can_approximate();
  chunks.for_each(bounds.size(), [&](std::size_t p) {
    SerialChunks here;
    const std::size_t begin = p * batch, count = std::min(batch, variables_.size() - begin);
    columns_.read_ahead(variables_, begin, begin + count);
    const auto list = variables_.subspan(begin, count);
    const auto out = std::span(gradient_).subspan(begin, count);
    columns_.scan(list, here);
    if (exactly) columns_.dots(list, y, out, here);
    if (!exactly) columns_.approximate_dots(list, quantised_, out, here);
    bounds[p] = bounds_of(list);
  });
  cost.streamed += work_;  // statistics
  (exactly ? cost.streamed : cost.quantised) += work_;
  set_versions(now_);
  keep_bounds(bounds);
  static_cast<void>(show(y));  // now that rounding is known
  Penalty none = penalty;
  none.l1 = kFar;  // nobody violates it
  const Question question{y, zeros, {}, none, 0};
  if (!bounded) return answer_plainly(question, 0.0, chunks, cost).steepest;
  std::vector<std::uint32_t> all(variables_.size());
  std::iota(all.begin(), all.end(), 0U);
  plausible_ = all;
  const double steepest = answer(question, 0.0, chunks, cost).steepest;
  plausible_ = {};
  return steepest;
}

}  // namespace strads::lasso
