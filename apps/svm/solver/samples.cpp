#include "svm/solver/samples.hpp"

#include <cmath>

namespace strads::svm {

namespace {
constexpr std::size_t kRowsOfPiece = 2048;
constexpr std::size_t kFeaturesOfPiece = 8192;
constexpr std::uint64_t kEntriesOfWidth = 8;  ///< of a part that has sums of its own, for each of these sums
constexpr std::uint64_t kPartsMax = 8;
}  // namespace

Samples::Samples(const Rows& rows, double bias) : rows_(rows), bias_(bias), norms_(rows.size()) {
  for (std::size_t i = 0; i < norms_.size(); ++i) {
    double sum = bias * bias;
    for (std::uint64_t at = rows.begins[i]; at < rows.begins[i + 1]; ++at) sum += rows.values[at] * rows.values[at];
    norms_[i] = sum;
  }
}

double Samples::product(std::size_t i, std::size_t k) const {
  std::uint64_t a = rows_.begins[i], b = rows_.begins[k];
  const std::uint64_t end_a = rows_.begins[i + 1], end_b = rows_.begins[k + 1];
  double sum = bias_ * bias_;
  while (a < end_a && b < end_b) {
    const std::uint32_t left = rows_.index[a], right = rows_.index[b];
    if (left == right) sum += rows_.values[a] * rows_.values[b];
    a += left <= right ? 1U : 0U;
    b += right <= left ? 1U : 0U;
  }
  return sum;
}

void Samples::dots(std::span<const std::uint32_t> chosen, std::span<const double> w, std::span<double> out,
                   Chunks& chunks) const {
  in_pieces(chosen.size(), kRowsOfPiece, chunks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) out[k] = dot(chosen[k], w.data());
  });
}

void Samples::combine(std::span<const std::uint32_t> chosen, std::span<const double> factors, std::span<double> out,
                      Chunks& chunks) const {
  std::uint64_t entries_chosen = 0;
  for (const std::uint32_t i : chosen) entries_chosen += entries(i);
  const std::uint64_t wanted = entries_chosen / (kEntriesOfWidth * width() + 1);
  const std::size_t parts = std::clamp<std::uint64_t>(wanted, 1, kPartsMax);
  const auto add_part = [&](std::size_t part, double* sums) {
    const std::size_t begin = chosen.size() * part / parts, end = chosen.size() * (part + 1) / parts;
    for (std::size_t k = begin; k < end; ++k) {
      if (factors[k] != 0) add(chosen[k], factors[k], sums);
    }
  };
  std::ranges::fill(out, 0.0);
  if (parts == 1) return add_part(0, out.data());
  std::vector<double> own((parts - 1) * width(), 0.0);
  chunks.for_each(
      parts, [&](std::size_t part) { add_part(part, part == 0 ? out.data() : own.data() + (part - 1) * width()); });
  in_pieces(width(), kFeaturesOfPiece, chunks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = 1; part < parts; ++part) {
      const double* const sums = own.data() + (part - 1) * width();
      for (std::size_t j = begin; j < end; ++j) out[j] += sums[j];
    }
  });
}

}  // namespace strads::svm
