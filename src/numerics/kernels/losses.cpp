#include "strads/numerics/losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "numerics/kernels/kernels.hpp"
#include "strads/base/status.hpp"

namespace strads {
namespace {

constexpr std::size_t kPieceRows = 8192;  ///< whole vectors of every target

std::size_t pieces_of(std::size_t rows) {
  return (rows + kPieceRows - 1) / kPieceRows;
}

/// Rows of a piece.
struct Piece {
  std::size_t begin, size;
};
Piece piece_at(std::size_t piece, std::size_t rows) {
  const std::size_t begin = piece * kPieceRows;
  return {begin, std::min(kPieceRows, rows - begin)};
}

const LossKernels& kernels_of(const LossSamples& samples) {
  return kernels().losses[static_cast<std::size_t>(samples.loss)];
}

const double* weights_from(const LossSamples& samples, std::size_t row) {
  return samples.weights.empty() ? nullptr : samples.weights.data() + row;
}

void check_lengths(const LossSamples& samples, std::size_t rows) {
  STRADS_CHECK(samples.response.size() == rows && (samples.weights.empty() || samples.weights.size() == rows),
               "vectors have one entry per row");
}

}  // namespace

double loss_terms(const LossSamples& samples, std::span<const double> eta, std::span<double> slope,
                  std::span<double> curvature, Chunks& chunks) {
  check_lengths(samples, eta.size());
  STRADS_CHECK(slope.size() == eta.size() && curvature.size() == eta.size(), "vectors have one entry per row");
  std::vector<double> losses(pieces_of(eta.size()));
  chunks.for_each(losses.size(), [&](std::size_t p) {
    const auto [begin, size] = piece_at(p, eta.size());
    losses[p] =
        kernels_of(samples).terms(eta.data() + begin, samples.response.data() + begin, weights_from(samples, begin),
                                  slope.data() + begin, curvature.data() + begin, size);
  });
  double loss = 0;
  for (const double one : losses) loss += one;
  return loss;
}

LossChange loss_change(const LossSamples& samples, std::span<const double> eta, std::span<const double> v, double step,
                       Chunks& chunks) {
  check_lengths(samples, eta.size());
  STRADS_CHECK(v.size() == eta.size(), "vectors have one entry per row");
  std::vector<std::array<double, 3>> sums(pieces_of(eta.size()));
  chunks.for_each(sums.size(), [&](std::size_t p) {
    const auto [begin, size] = piece_at(p, eta.size());
    sums[p] = {};
    kernels_of(samples).change(eta.data() + begin, samples.response.data() + begin, weights_from(samples, begin),
                               v.data() + begin, step, size, sums[p].data());
  });
  LossChange all;
  for (const auto& one : sums) {
    all.change += one[0];
    all.slope += one[1];
    all.curvature += one[2];
  }
  return all;
}

double loss_divergence(const LossSamples& samples, std::span<const double> eta, double s, Chunks& chunks) {
  check_lengths(samples, eta.size());
  if (s == 1) return 0;
  const double s_log_s = s > 0 ? s * std::log1p(-(1 - s)) : 0.0;
  std::vector<double> parts(pieces_of(eta.size()));
  chunks.for_each(parts.size(), [&](std::size_t p) {
    const auto [begin, size] = piece_at(p, eta.size());
    parts[p] = kernels_of(samples).divergence(eta.data() + begin, samples.response.data() + begin,
                                              weights_from(samples, begin), s, s_log_s, size);
  });
  double divergence = 0;
  for (const double one : parts) divergence += one;
  return divergence;
}

}  // namespace strads
