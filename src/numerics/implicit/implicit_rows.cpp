// Rows of implicit feedback, one after the other: exactly, or by conjugate gradients.
#include <algorithm>

#include "numerics/implicit/implicit_blocks.hpp"
#include "numerics/implicit/implicit_cholesky.hpp"
#include "numerics/implicit/implicit_kernels.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads {
namespace {

/// Rows that are turned at a time, so that they stay in a cache.
constexpr std::size_t kTurnedAtOnce = 64;

/// One row: the pairs x_j = sqrt(c_j) h_j with their targets, its penalty, and room for its equations.
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
    width_ = padded_lanes(count_);
    pairs_.assign(count_ * size_ + kImplicitLanes, 0.0F);  // and what vectors may read behind the last
    targets_.assign(width_, 0.0F);
    roots_.assign(count_, 0.0F);
    for (std::uint64_t j = 0; j < count_; ++j) {
      const ImplicitTarget target = target_of(problem_, rows_, begin + j);
      const float* const record = columns_.record(rows_.slots[begin + j]);
      float* const out = pairs_.data() + j * size_;
      for (std::size_t k = 0; k < problem_.rank; ++k) out[k] = target.root * record[k];
      roots_[j] = target.root;
      targets_[j] = target.aim;
    }
    const double penalty = problem_.lambda * problem_.scale(count_);
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
    for (std::size_t k = 0; k < size_; ++k) {
      all += basis_.values[k] * static_cast<double>(w[k]) * static_cast<double>(w[k]);
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

 private:
  [[nodiscard]] const float* pair(std::uint64_t j) const { return pairs_.data() + j * size_; }

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

std::uint64_t flops_of(const ImplicitProblem& problem, std::uint64_t count) {
  const std::uint64_t rank = problem.rank;
  switch (problem.way) {
    case ImplicitWay::exact:
      return (count < rank ? count * count * rank + count * count * count / 3
                           : count * rank * rank + rank * rank * rank / 3) +
             6 * count * rank + 6 * rank * rank;
    case ImplicitWay::blocks:
      break;  // implicit_blocks.cpp
    case ImplicitWay::steps:
      return (4 * problem.steps + 6) * count * rank + 6 * rank * rank;
  }
  return 0;
}

}  // namespace

void update_implicit_rows(const RatingRows& rows, const FactorPages& columns, const ImplicitBasis& basis,
                          const ImplicitProblem& problem, const float* before, float* after, RowSums& sums) {
  if (problem.way == ImplicitWay::blocks)
    return update_rows_by_blocks(rows, columns, basis, problem, before, after, sums);
  const std::size_t stride = record_stride(problem.rank), size = implicit_size(problem.rank);
  RowRoom room(rows, columns, basis, problem);
  std::vector<float> held(kTurnedAtOnce * size), back(kTurnedAtOnce * size);
  std::fill_n(after, rows.rows() * stride, 0.0F);
  for (std::size_t begin = 0; begin < rows.rows(); begin += kTurnedAtOnce) {
    const std::size_t count = std::min(kTurnedAtOnce, rows.rows() - begin);
    turn_records(basis, problem.rank, before + begin * stride, count, stride, held.data());
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
      } else {
        room.step(w);
      }
      sums.error_after += room.error_of(w);
    }
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
    for (std::size_t r = 0; r < count; ++r)
      std::copy_n(back.data() + r * size, problem.rank, after + (begin + r) * stride);
  }
}

}  // namespace strads
