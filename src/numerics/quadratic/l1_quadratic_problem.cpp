#include "numerics/quadratic/l1_quadratic_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strads/base/status.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::l1 {

namespace {
constexpr std::size_t kPiece = 256;  ///< entries of h that one thread takes at a time
}

Problem::Problem(const L1Quadratic& given, std::span<const double> start, Chunks& chunks)
    : chunks_(chunks),
      gram_(given.gram),
      factors_(given.factors),
      penalty_(given.penalty),
      nonnegative_(given.nonnegative),
      linear_(given.gradient.begin(), given.gradient.end()),
      target_squared_(given.residual_squared >= 0 ? given.residual_squared : -1) {
  STRADS_CHECK(given.gram.size() == start.size() * start.size(), "the Gram matrix is k x k");
  STRADS_CHECK(given.gradient.size() == start.size(), "one gradient for each variable");
  STRADS_CHECK(penalty_ >= 0, "a negative penalty is not convex");
  STRADS_CHECK(factors_.empty() || factors_.size() == start.size(), "one factor for each variable");
  std::vector<double> back;
  for (std::size_t j = 0; j < size(); ++j) {
    if (start[j] == 0) continue;
    nonzeros_.push_back(static_cast<std::uint32_t>(j));
    back.push_back(-start[j]);
  }
  move_all(nonzeros_, back, linear_);
  for (std::size_t j = 0; j < size(); ++j) {
    linear_max_ = std::max(linear_max_, std::abs(linear_[j]));
    diagonal_max_ = std::max(diagonal_max_, diagonal(j));
  }
  if (!has_gap()) return;
  // ||r + X x0||^2 = r'r + x0'h0 + x0'c.
  for (std::size_t j = 0; j < size(); ++j) target_squared_ += start[j] * (given.gradient[j] + linear_[j]);
  target_squared_ = std::max(target_squared_, 0.0);
}

bool Problem::feasible(std::span<const double> x) const {
  return !nonnegative_ || std::none_of(x.begin(), x.end(), [](double value) { return value < 0; });
}

void Problem::gradient(std::span<const double> x, std::span<double> h) {
  std::copy(linear_.begin(), linear_.end(), h.begin());
  nonzeros_.clear();
  values_.clear();
  for (std::size_t j = 0; j < size(); ++j) {
    if (x[j] == 0) continue;
    nonzeros_.push_back(static_cast<std::uint32_t>(j));
    values_.push_back(x[j]);
  }
  move_all(nonzeros_, values_, h);
}

void Problem::move_all(std::span<const std::uint32_t> variables, std::span<const double> steps, std::span<double> h) {
  chunks_.for_each((size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::size_t begin = piece * kPiece;
    const std::size_t count = std::min(kPiece, size() - begin);
    const auto part = h.subspan(begin, count);
    for (std::size_t a = 0; a < variables.size(); ++a) axpy(-steps[a], row(variables[a]).subspan(begin, count), part);
  });
  flops_ += 2 * variables.size() * size();
}

void Problem::move(std::size_t j, double step, std::span<double> h) {
  axpy(-step, row(j), h);
  flops_ += 2 * size();
}

Value Problem::value(const Point& at) const {
  double smooth = 0;
  double norm = 0;
  double weighted = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    smooth += at.x[j] * (linear_[j] + at.h[j]);  // 1/2 x'Gx - c'x = -1/2 x'(c + h)
    norm += std::abs(at.x[j]);
    weighted += factor(j) * std::abs(at.x[j]);
  }
  // The terms cancel: h carries an error of epsilon (max |c| + ||x||_1), and each x_j h_j its own.
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return {penalty_ * weighted - smooth / 2, kEpsilon * norm * (linear_max_ + diagonal_max_ * norm)};
}

double Problem::gap(const Point& at) const {
  double fitted = 0;     // x'(c + h), so that r'r = ||r0 + X x0||^2 - fitted
  double projected = 0;  // x'h = (Xx)'r, so that y'r = r'r + projected
  double steepest = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    fitted += at.x[j] * (linear_[j] + at.h[j]);
    projected += at.x[j] * at.h[j];
    steepest = std::max(steepest, (nonnegative_ ? at.h[j] : std::abs(at.h[j])) / factor(j));
  }
  const double residual_squared = std::max(target_squared_ - fitted, 0.0);
  // The dual point s r, s the best multiple with all |s h_j| <= A_j (docs/DESIGN.md, "Certificate"). With x >= 0 only
  // s h_j <= A_j is asked for, and a negative s would turn the others round.
  double scale = residual_squared > 0 ? (residual_squared + projected) / residual_squared : 0;
  if (steepest > 0) scale = std::clamp(scale, -penalty_ / steepest, penalty_ / steepest);
  if (nonnegative_) scale = std::max(scale, 0.0);
  double gap = (1 - scale) * (1 - scale) * residual_squared / 2;
  for (std::size_t j = 0; j < size(); ++j) {
    gap += std::max(penalty(j) * std::abs(at.x[j]) - scale * at.h[j] * at.x[j], 0.0);
  }
  return gap;
}

double Problem::distance_to_fixed_point(const Point& at) const {
  double distance = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    distance = std::max(distance, std::abs(at.x[j] - threshold(at.x[j] + at.h[j], penalty(j))));
  }
  return distance;
}

void gather(const Problem& problem, std::span<const std::uint32_t> support, double ridge, std::size_t stride,
            std::span<double> matrix) {
  constexpr std::size_t kRows = 64;
  const std::size_t size = support.size();
  problem.chunks().for_each((size + kRows - 1) / kRows, [&](std::size_t piece) {
    for (std::size_t a = piece * kRows; a < std::min(size, (piece + 1) * kRows); ++a) {
      const auto row = problem.row(support[a]);
      for (std::size_t b = 0; b <= a; ++b) matrix[a * stride + b] = row[support[b]];
      matrix[a * stride + a] += ridge;
    }
  });
}

}  // namespace strads::l1
