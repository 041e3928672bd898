// Rows of implicit feedback, one after the other: exactly, by blocks of coordinates, or by conjugate gradients.
#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/implicit/implicit_cholesky.hpp"
#include "numerics/implicit/implicit_kernels.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads {
namespace {

/// Rows that are turned at a time, so that they stay in a cache.
constexpr std::size_t kTurnedAtOnce = 64;

constexpr std::size_t padded(std::size_t count) {
  return (count + kImplicitLanes - 1) / kImplicitLanes * kImplicitLanes;
}

/// One row: the pairs x_j = sqrt(c_j) h_j with their targets sqrt(c_j), its penalty, and room for its equations. Of
/// Hu's objective alpha0 (s - 1)^2 of an observed pair is alpha0 s^2, which G has, and alpha0 (1 - 2 s): its target is
/// sqrt(c_j) + alpha0 / sqrt(c_j), so that X't has c_j + alpha0.
class RowRoom {
 public:
  RowRoom(const RatingRows& rows, const FactorPages& columns, const ImplicitBasis& basis,
          const ImplicitProblem& problem)
      : rows_(rows),
        columns_(columns),
        basis_(basis),
        problem_(problem),
        kernels_(implicit_kernels()),
        size_(implicit_size(problem.rank)),
        diagonal_(size_),
        inverse_(size_) {}

  /// Fetches the pairs of a row.
  void take(std::size_t row) {
    const std::uint64_t begin = rows_.begins[row];
    count_ = rows_.begins[row + 1] - begin;
    width_ = padded(count_);
    pairs_.assign(count_ * size_ + kImplicitLanes, 0.0F);  // and what vectors may read behind the last
    targets_.assign(width_, 0.0F);
    roots_.assign(count_, 0.0F);
    for (std::uint64_t j = 0; j < count_; ++j) {
      const float value = rows_.codes.empty() ? rows_.values[begin + j] : rows_.levels[rows_.codes[begin + j]];
      const float confidence = weighed(value);
      const float root = confidence == 1 ? 1.0F : std::sqrt(confidence);
      const float* const record = columns_.record(rows_.slots[begin + j]);
      float* const out = pairs_.data() + j * size_;
      for (std::size_t k = 0; k < problem_.rank; ++k) out[k] = root * record[k];
      roots_[j] = root;
      targets_[j] = problem_.hu ? root + static_cast<float>(problem_.alpha0) / root : root;
    }
    if (basis_.values.empty()) return;
    const double penalty = penalty_of_row();
    for (std::size_t k = 0; k < size_; ++k) {
      diagonal_[k] = static_cast<float>(problem_.alpha0 * basis_.values[k] + penalty);
      inverse_[k] = 1 / diagonal_[k];
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// What w makes of the observed and of all pairs. `w`: in the basis of the columns.
  [[nodiscard]] double error_of(const float* w) const {
    double sum = 0, ones = 0;
    for (std::uint64_t j = 0; j < count_; ++j) {
      const float score = kernels_.dot(pair(j), w, size_);  // times the root
      const double error = static_cast<double>(roots_[j] - score);
      sum += error * error;
      if (problem_.hu) ones += 1 - 2 * static_cast<double>(score) / static_cast<double>(roots_[j]);
    }
    double all = 0;
    if (!basis_.values.empty()) {
      for (std::size_t k = 0; k < size_; ++k)
        all += basis_.values[k] * static_cast<double>(w[k]) * static_cast<double>(w[k]);
    } else {
      for (std::size_t k = 0; k < problem_.rank; ++k) {
        all += static_cast<double>(w[k]) * static_cast<double>(kernels_.dot(basis_.gram.data() + k * size_, w, size_));
      }
    }
    return sum + problem_.alpha0 * (all + ones);
  }

  /// (alpha0 G + r I + X'X) w = X't; by (I + X D^-1 X') y = t, w = D^-1 X'y where there are fewer pairs than factors.
  void solve(float* w) {
    std::fill_n(w, size_, 0.0F);
    if (count_ < size_) {
      solve_low_rank(w);
    } else {
      solve_whole(w);
    }
  }

  void step(float* w);
  void descend(float* w);

 private:
  [[nodiscard]] const float* pair(std::uint64_t j) const { return pairs_.data() + j * size_; }
  [[nodiscard]] double penalty_of_row() const { return problem_.lambda * problem_.scale(count_); }

  /// c of a confidence; never 0, by whose root targets are divided.
  [[nodiscard]] float weighed(float confidence) const {
    if (problem_.alpha == 1) return confidence;
    const auto weight = static_cast<float>(problem_.alpha * static_cast<double>(confidence));
    return std::max(weight, std::numeric_limits<float>::min());
  }

  void solve_low_rank(float* w) {
    // X' and D^-1 X', coordinate after coordinate: pairs side by side.
    across_.assign(size_ * width_, 0.0F);
    scaled_.assign(size_ * width_, 0.0F);
    for (std::uint64_t j = 0; j < count_; ++j) {
      const float* const from = pair(j);
      for (std::size_t k = 0; k < problem_.rank; ++k) {
        across_[k * width_ + j] = from[k];
        scaled_[k * width_ + j] = from[k] * inverse_[k];
      }
    }
    equations_.assign(width_ * width_, 0.0F);
    kernels_.product({.a = scaled_.data(),
                      .a_row = 1,
                      .a_deep = width_,
                      .b = across_.data(),
                      .b_row = width_,
                      .depth = problem_.rank,
                      .rows = count_,
                      .columns = width_,
                      .out = equations_.data(),
                      .out_row = width_,
                      .lower = true});
    for (std::uint64_t j = 0; j < count_; ++j) equations_[j * width_ + j] += 1;
    right_ = targets_;
    solve_by_cholesky(kernels_, equations_.data(), count_, width_, right_.data());
    for (std::uint64_t j = 0; j < count_; ++j) kernels_.add(right_[j], pair(j), w, size_);
    for (std::size_t k = 0; k < size_; ++k) w[k] *= inverse_[k];
  }

  void solve_whole(float* w) {
    equations_.assign(size_ * size_, 0.0F);
    kernels_.product({.a = pairs_.data(),
                      .a_row = 1,
                      .a_deep = size_,
                      .b = pairs_.data(),
                      .b_row = size_,
                      .depth = count_,
                      .rows = problem_.rank,
                      .columns = size_,
                      .out = equations_.data(),
                      .out_row = size_,
                      .lower = true});
    for (std::size_t k = 0; k < problem_.rank; ++k) equations_[k * size_ + k] += diagonal_[k];
    for (std::uint64_t j = 0; j < count_; ++j) kernels_.add(targets_[j], pair(j), w, size_);
    solve_by_cholesky(kernels_, equations_.data(), problem_.rank, size_, w);
  }

  const RatingRows& rows_;
  const FactorPages& columns_;
  const ImplicitBasis& basis_;
  const ImplicitProblem& problem_;
  const ImplicitKernels& kernels_;
  std::size_t size_;
  std::uint64_t count_ = 0;
  std::size_t width_ = 0;                  ///< count_, padded
  std::vector<float> diagonal_, inverse_;  ///< alpha0 G + r I in its basis
  std::vector<float> pairs_, targets_, roots_, across_, scaled_, equations_, right_;
  std::vector<float> residual_, direction_, product_;
};

/// Conjugate gradients on the row's equations, with D as preconditioner. Each step lowers what is minimised.
void RowRoom::step(float* w) {
  const auto dot = [&](const std::vector<float>& a, const std::vector<float>& b) {
    return kernels_.dot(a.data(), b.data(), size_);
  };
  const auto times = [&](const float* of, std::vector<float>& out) {
    out.assign(size_, 0.0F);
    for (std::size_t k = 0; k < size_; ++k) out[k] = diagonal_[k] * of[k];
    for (std::uint64_t j = 0; j < count_; ++j)
      kernels_.add(kernels_.dot(pair(j), of, size_), pair(j), out.data(), size_);
  };
  times(w, residual_);
  for (float& value : residual_) value = -value;
  for (std::uint64_t j = 0; j < count_; ++j) kernels_.add(targets_[j], pair(j), residual_.data(), size_);
  right_.assign(size_, 0.0F);
  const auto precondition = [&] {
    for (std::size_t k = 0; k < size_; ++k) right_[k] = inverse_[k] * residual_[k];
  };
  precondition();
  direction_ = right_;
  float length = dot(residual_, right_);
  for (std::uint32_t step = 0; step < problem_.steps && length > 0; ++step) {
    times(direction_.data(), product_);
    const float along = dot(direction_, product_);
    if (!(along > 0)) return;
    const float distance = length / along;
    kernels_.add(distance, direction_.data(), w, size_);
    kernels_.add(-distance, product_.data(), residual_.data(), size_);
    precondition();
    const float before = length;
    length = dot(residual_, right_);
    for (std::size_t k = 0; k < size_; ++k) direction_[k] = right_[k] + length / before * direction_[k];
  }
}

/// iALS++: each block of coordinates to its minimum, with the predictions of the observed pairs kept.
void RowRoom::descend(float* w) {
  residual_.assign(count_, 0.0F);
  for (std::uint64_t j = 0; j < count_; ++j) residual_[j] = targets_[j] - kernels_.dot(pair(j), w, size_);
  const auto alpha0 = static_cast<float>(problem_.alpha0), penalty = static_cast<float>(penalty_of_row());
  for (std::size_t first = 0; first < problem_.rank; first += problem_.width) {
    const std::size_t width = std::min<std::size_t>(problem_.width, problem_.rank - first);
    const std::size_t row = padded(width);
    equations_.assign(width * row, 0.0F);
    right_.assign(row, 0.0F);
    for (std::size_t i = 0; i < width; ++i) {
      const float* const gram = basis_.gram.data() + (first + i) * size_;
      for (std::size_t j = 0; j < width; ++j) equations_[i * row + j] = alpha0 * gram[first + j];
      equations_[i * row + i] += penalty;
      right_[i] = -alpha0 * kernels_.dot(gram, w, size_) - penalty * w[first + i];
    }
    for (std::uint64_t j = 0; j < count_; ++j) {
      const float* const own = pair(j) + first;
      for (std::size_t i = 0; i < width; ++i) {
        right_[i] += residual_[j] * own[i];
        for (std::size_t l = 0; l <= i; ++l) equations_[i * row + l] += own[i] * own[l];
      }
    }
    solve_by_cholesky(kernels_, equations_.data(), width, row, right_.data());
    for (std::size_t i = 0; i < width; ++i) w[first + i] += right_[i];
    for (std::uint64_t j = 0; j < count_; ++j) {
      float moved = 0;
      for (std::size_t i = 0; i < width; ++i) moved += right_[i] * pair(j)[first + i];
      residual_[j] -= moved;
    }
  }
}

std::uint64_t flops_of(const ImplicitProblem& problem, std::uint64_t count) {
  const std::uint64_t rank = problem.rank;
  switch (problem.way) {
    case ImplicitWay::exact:
      return (count < rank ? count * count * rank + count * count * count / 3
                           : count * rank * rank + rank * rank * rank / 3) +
             6 * count * rank + 6 * rank * rank;
    case ImplicitWay::blocks:
      return count * rank * (problem.width + 6) + 2 * rank * rank + rank * problem.width * problem.width / 3;
    case ImplicitWay::steps:
      return (4 * problem.steps + 6) * count * rank + 6 * rank * rank;
  }
  return 0;
}

}  // namespace

void update_implicit_rows(const RatingRows& rows, const FactorPages& columns, const ImplicitBasis& basis,
                          const ImplicitProblem& problem, const float* before, float* after, RowSums& sums) {
  const std::size_t stride = record_stride(problem.rank), size = implicit_size(problem.rank);
  const bool is_turned = problem.way != ImplicitWay::blocks;
  STRADS_CHECK(!is_turned || !basis.values.empty(), "a basis for those who turn");
  RowRoom room(rows, columns, basis, problem);
  std::vector<float> held(kTurnedAtOnce * size), back(kTurnedAtOnce * size);
  std::fill_n(after, rows.rows() * stride, 0.0F);
  for (std::size_t begin = 0; begin < rows.rows(); begin += kTurnedAtOnce) {
    const std::size_t count = std::min(kTurnedAtOnce, rows.rows() - begin);
    if (is_turned) {
      turn_records(basis, problem.rank, before + begin * stride, count, stride, held.data());
    } else {
      std::ranges::fill(held, 0.0F);
      for (std::size_t r = 0; r < count; ++r) {
        std::copy_n(before + (begin + r) * stride, problem.rank, held.begin() + static_cast<std::ptrdiff_t>(r * size));
      }
    }
    for (std::size_t r = 0; r < count; ++r) {
      float* const w = held.data() + r * size;
      room.take(begin + r);
      sums.flops += flops_of(problem, room.count());
      sums.error_before += room.error_of(w);  // without pairs as well: of the start it has an error over all pairs
      if (room.count() == 0) {
        std::fill_n(w, size, 0.0F);
        continue;
      }
      if (problem.way == ImplicitWay::exact) {
        room.solve(w);
      } else if (problem.way == ImplicitWay::blocks) {
        room.descend(w);
      } else {
        room.step(w);
      }
      sums.error_after += room.error_of(w);
    }
    const float* rows_back = held.data();
    if (is_turned) {
      std::ranges::fill(back, 0.0F);
      implicit_kernels().product({.a = held.data(),
                                  .a_row = size,
                                  .a_deep = 1,
                                  .b = basis.back.data(),
                                  .b_row = size,
                                  .depth = problem.rank,
                                  .rows = count,
                                  .columns = size,
                                  .out = back.data(),
                                  .out_row = size});
      rows_back = back.data();
    }
    for (std::size_t r = 0; r < count; ++r)
      std::copy_n(rows_back + r * size, problem.rank, after + (begin + r) * stride);
  }
}

}  // namespace strads
