#include "numerics/quadratic/l1_quadratic_factor.hpp"

#include <algorithm>
#include <iterator>

#include "strads/numerics/columns.hpp"

namespace strads::l1 {

namespace {
/// A factorisation of size m costs as much as the updates of m / 15 variables: its flops run three times as fast.
constexpr std::size_t kChangesShare = 15;
constexpr std::size_t kRoom = 64;  ///< places for variables that come later
constexpr double kRidge = 1e-8;    ///< in units of the largest G_jj
}  // namespace

double usual_ridge(const Problem& problem) {
  double largest = 0;
  for (std::size_t j = 0; j < problem.size(); ++j) largest = std::max(largest, problem.diagonal(j));
  return kRidge * (largest > 0 ? largest : 1);
}

bool SupportFactor::follow(std::span<const std::uint32_t> support) {
  std::vector<std::uint32_t> gone;
  std::vector<std::uint32_t> come;
  std::set_difference(support_.begin(), support_.end(), support.begin(), support.end(), std::back_inserter(gone));
  std::set_difference(support.begin(), support.end(), support_.begin(), support_.end(), std::back_inserter(come));
  const std::size_t changes = gone.size() + come.size();
  const bool fits = size_ + come.size() <= stride_;
  if (!valid_ || !fits || changes > 4 + support.size() / kChangesShare) return factorise(support);
  for (const std::uint32_t j : gone) remove(places_[j]);
  for (const std::uint32_t j : come) {
    if (!append(j)) return factorise(support);
  }
  support_.assign(support.begin(), support.end());
  return true;
}

bool SupportFactor::factorise(std::span<const std::uint32_t> support) {
  const std::size_t size = support.size();
  valid_ = false;
  support_.clear();
  stride_ = size + kRoom + size / 8;
  columns_ = cholesky_.reset(size, stride_);
  gather(problem_, support, ridge_, stride_, columns_);
  problem_.count_flops(static_cast<std::uint64_t>(size) * size * size / 3 + 2 * size * size);
  if (!cholesky_.factorise(problem_.chunks())) return false;
  size_ = size;
  diagonal_.resize(stride_);
  for (std::size_t c = 0; c < size; ++c) {
    const double root = columns_[c * stride_ + c];
    diagonal_[c] = root * root;
  }
  // Row-major below the diagonal to column-major above it, in the same memory, and in squares that stay in cache.
  constexpr std::size_t kSquare = 32;
  for (std::size_t top = 0; top < size; top += kSquare) {
    for (std::size_t left = 0; left <= top; left += kSquare) {
      const std::size_t bottom = std::min(size, top + kSquare);
      for (std::size_t c = left; c < std::min(bottom, left + kSquare); ++c) {
        const double scale = 1 / columns_[c * stride_ + c];
        double* const to = columns_.data() + c * stride_;
        for (std::size_t r = std::max(top, c + 1); r < bottom; ++r) to[r] = columns_[r * stride_ + c] * scale;
      }
    }
  }
  variables_.assign(support.begin(), support.end());
  places_.assign(problem_.size(), kEmpty);
  for (std::size_t a = 0; a < size; ++a) places_[support[a]] = static_cast<std::uint32_t>(a);
  support_.assign(support.begin(), support.end());
  valid_ = true;
  return true;
}

void SupportFactor::forward(std::span<double> v) const {
  for (std::size_t c = 0; c < size_; ++c) {
    if (v[c] != 0) axpy(-v[c], column(c), v.subspan(c + 1));
  }
}

bool SupportFactor::append(std::uint32_t variable) {
  const auto row = problem_.row(variable);
  work_.resize(size_);
  for (std::size_t c = 0; c < size_; ++c) work_[c] = variables_[c] == kEmpty ? 0.0 : row[variables_[c]];
  forward(work_);
  double left = row[variable] + ridge_;
  for (std::size_t c = 0; c < size_; ++c) {
    const double entry = work_[c] / diagonal_[c];
    left -= work_[c] * entry;
    columns_[c * stride_ + size_] = entry;
  }
  problem_.count_flops(size_ * size_ + 4 * size_);
  if (!(left > ridge_ / 2)) return false;  // rounding has eaten the ridge
  diagonal_[size_] = left;
  variables_.push_back(variable);
  places_[variable] = static_cast<std::uint32_t>(size_);
  ++size_;
  return true;
}

/// Without row and column p the block behind them is that of before plus d_p l_p l_p'.
void SupportFactor::remove(std::size_t place) {
  places_[variables_[place]] = kEmpty;
  variables_[place] = kEmpty;
  for (std::size_t c = 0; c < place; ++c) columns_[c * stride_ + place] = 0;
  const auto gone = column(place);
  work_.assign(gone.begin(), gone.end());
  std::fill(gone.begin(), gone.end(), 0.0);
  double weight = diagonal_[place];
  diagonal_[place] = 1;
  for (std::size_t c = place + 1; c < size_; ++c) {
    const double p = work_[c - place - 1];
    if (p == 0) continue;
    const double updated = diagonal_[c] + weight * p * p;
    const double share = weight * p / updated;
    weight *= diagonal_[c] / updated;
    diagonal_[c] = updated;
    const auto rest = std::span(work_).subspan(c - place);
    axpy(-p, column(c), rest);
    axpy(share, rest, column(c));
  }
  problem_.count_flops(2 * (size_ - place) * (size_ - place));
}

void SupportFactor::solve(std::span<double> v) {
  std::vector<double> all(size_, 0.0);
  for (std::size_t a = 0; a < support_.size(); ++a) all[places_[support_[a]]] = v[a];
  forward(all);
  for (std::size_t c = 0; c < size_; ++c) all[c] /= diagonal_[c];
  for (std::size_t c = size_; c-- > 0;) {
    if (variables_[c] == kEmpty) continue;
    all[c] -= dot(column(c), std::span<const double>(all).subspan(c + 1));
  }
  for (std::size_t a = 0; a < support_.size(); ++a) v[a] = all[places_[support_[a]]];
  problem_.count_flops(2 * size_ * size_);
}

}  // namespace strads::l1
