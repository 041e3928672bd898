// Rows by their normal equations: those too long for a panel, and those that several workers share.
#include <algorithm>
#include <cmath>

#include "numerics/factors/factor_rows.hpp"
#include "strads/base/status.hpp"

namespace strads {
namespace {

/// Ratings of one panel: as many groups as a block's are, in all lanes.
std::size_t part_ratings(const FactorKernels& kernels) {
  return kPanelGroups * kernels.lanes;
}

std::size_t triangle(std::size_t i) {
  return i * (i + 1) / 2;
}

/// One row's normal equations in double: coordinates w, gradient g = X'e, and the symmetric matrix.
class NormalRow {
 public:
  NormalRow(std::span<const double> normal, const RowProblem& problem, std::uint64_t count, const float* before)
      : normal_(normal),
        coordinates_(coordinates_of(problem)),
        weights_(weights_of(problem)),
        penalty_(penalty_of(problem, count)),
        relaxation_(static_cast<double>(problem.relaxation)),
        w_(before, before + coordinates_),
        gradient_(normal.begin() + static_cast<std::ptrdiff_t>(triangle(coordinates_)),
                  normal.begin() + static_cast<std::ptrdiff_t>(triangle(coordinates_) + coordinates_)) {
    for (std::size_t i = 0; i < coordinates_; ++i) move_gradient(i, w_[i]);
  }

  /// Sum of the squared residuals at w: e'e - w'X'e - w'g for e = the residual at 0, g = X'(e - X w).
  [[nodiscard]] double error() const {
    double sum = normal_[normal_.size() - 2] + normal_[normal_.size() - 1];
    for (std::size_t i = 0; i < coordinates_; ++i) sum -= w_[i] * (normal_[triangle(coordinates_) + i] + gradient_[i]);
    return std::max(sum, 0.0);
  }

  void descend(std::size_t width) {
    for (std::size_t first = 0; first < coordinates_; first += width) {
      const std::vector<double> delta = solve(first, std::min(width, coordinates_ - first));
      for (std::size_t i = 0; i < delta.size(); ++i) {
        w_[first + i] += relaxation_ * delta[i];
        move_gradient(first + i, relaxation_ * delta[i]);
      }
    }
  }

  [[nodiscard]] std::span<const double> w() const { return w_; }

 private:
  [[nodiscard]] double matrix(std::size_t i, std::size_t j) const {
    return i >= j ? normal_[triangle(i) + j] : normal_[triangle(j) + i];
  }
  void move_gradient(std::size_t i, double delta) {
    if (delta == 0) return;
    for (std::size_t j = 0; j < coordinates_; ++j) gradient_[j] -= matrix(i, j) * delta;
  }

  /// (G_b + penalties) delta = g_b - penalties w_b, by L D L'; coordinates whose pivot is rounding stay.
  [[nodiscard]] std::vector<double> solve(std::size_t first, std::size_t width) const {
    std::vector<double> lower(triangle(width)), inverse(width), y(width), scaled(width);
    for (std::size_t i = 0; i < width; ++i) {
      const double own = penalty_ * static_cast<double>(weights_[first + i]);
      const double diagonal = matrix(first + i, first + i) + own;
      double* const row = lower.data() + triangle(i);
      double pivot = diagonal;
      y[i] = gradient_[first + i] - own * w_[first + i];
      for (std::size_t j = 0; j < i; ++j) {
        const double* const other = lower.data() + triangle(j);
        scaled[j] = matrix(first + i, first + j);
        for (std::size_t k = 0; k < j; ++k) scaled[j] -= scaled[k] * other[k];
      }
      for (std::size_t j = 0; j < i; ++j) {
        row[j] = scaled[j] * inverse[j];
        pivot -= scaled[j] * row[j];
        y[i] -= row[j] * y[j];
      }
      inverse[i] = pivot > static_cast<double>(kPivotMin) * diagonal ? 1 / pivot : 0;
    }
    for (std::size_t i = width; i-- > 0;) {
      y[i] *= inverse[i];
      for (std::size_t k = i + 1; k < width; ++k) y[i] -= lower[triangle(k) + i] * y[k];
    }
    return y;
  }

  std::span<const double> normal_;
  std::size_t coordinates_;
  std::vector<float> weights_;
  double penalty_, relaxation_;
  std::vector<double> w_, gradient_;
};

}  // namespace

std::size_t normal_size(const RowProblem& problem) {
  const std::size_t coordinates = coordinates_of(problem);
  return triangle(coordinates) + coordinates + 2;
}

void sum_normal(PanelRoom& room, std::uint64_t begin, std::uint64_t end, float own_bias, std::span<double> normal) {
  std::ranges::fill(room.equations(), 0.0F);
  const std::size_t lanes = room.kernels().lanes, step = part_ratings(room.kernels());
  FactorShape shape = room.shape();
  shape.mean += own_bias;
  double squares = 0;
  const FactorPanel* waiting = nullptr;
  while (begin < end || waiting != nullptr) {
    const FactorPanel* next = nullptr;
    if (begin < end) {
      const PanelRow part{.begin = begin, .end = std::min(end, begin + step)};
      next = &room.fill({&part, 1}, lanes);
      begin = part.end;
    }
    if (waiting != nullptr) squares += room.kernels().add_equations(shape, *waiting, ahead_of(next, lanes));
    waiting = next;
  }
  room.kernels().sum_lanes(room.equations().data(), normal.size() - 2, normal.data());
  normal[normal.size() - 2] = squares;
  normal[normal.size() - 1] = 0;
}

void normal_equations(const RatingRows& rows, std::size_t row, std::uint64_t begin, std::uint64_t end,
                      const FactorPages& columns, const RowProblem& problem, std::span<float> out) {
  const std::uint64_t first = rows.begins[row];
  STRADS_CHECK(begin <= end && end <= rows.begins[row + 1] - first, "a part lies in its row");
  STRADS_CHECK(out.size() == normal_size(problem), "one entry per product");
  RowProblem whole = problem;
  whole.width = static_cast<std::uint32_t>(coordinates_of(problem));
  PanelRoom room(rows, columns, whole, part_ratings(factor_kernels()));
  std::vector<double> normal(out.size());
  sum_normal(room, first + begin, first + end, 0, normal);
  std::ranges::transform(normal, out.begin(), [](double value) { return static_cast<float>(value); });
  const double squares = normal[normal.size() - 2];
  out[out.size() - 1] = static_cast<float>(squares - static_cast<double>(out[out.size() - 2]));
}

void update_from_normal(std::span<const double> normal, std::uint64_t count, const RowProblem& problem,
                        const float* before, float* after, RowSums& sums) {
  STRADS_CHECK(normal.size() == normal_size(problem), "one entry per product");
  STRADS_CHECK(problem.bias || before[problem.rank] == 0, "normal equations know no bias that stays");
  std::fill_n(after, record_stride(problem.rank), 0.0F);
  sums.flops += flops_of(problem, count);
  if (count == 0) return;
  NormalRow row(normal, problem, count, before);
  sums.error_before += row.error();
  row.descend(problem.width);
  sums.error_after += row.error();
  std::ranges::transform(row.w(), after, [](double value) { return static_cast<float>(value); });
}

}  // namespace strads
