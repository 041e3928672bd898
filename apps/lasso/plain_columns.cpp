#include "lasso/plain_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace strads::lasso {
namespace {

/// Share of the sum of squares below which centring left nothing but rounding: such a column counts as constant.
constexpr double kConstant = 1e-22;
/// Norms outside of these, and their reciprocals, are not both numbers.
constexpr double kScaleMin = 1e-290, kScaleMax = 1e290;
constexpr std::uint64_t kLowBits = 0x5555555555555555;

/// 2^-e with the largest of some numbers in [2^e, 2^(e + 1)): multiplied with it, squares neither overflow nor vanish.
double unit_scale(double largest) {
  return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1.0;
}

/// 32 calls from row 32 k on, those behind the last row 0.
std::uint64_t calls_at(const std::byte* column, std::uint64_t bytes, std::size_t k) {
  std::uint64_t word = 0;
  const std::uint64_t first = 8 * std::uint64_t{k};
  std::memcpy(&word, column + first, static_cast<std::size_t>(std::min<std::uint64_t>(8, bytes - first)));
  return word;
}

}  // namespace

PlainColumns::PlainColumns(const ColumnsView& view, bool center, bool scale)
    : view_(view), center_(center), scale_(scale), roots_(static_cast<std::size_t>(view.rows), 1.0) {
  for (std::size_t i = 0; i < view.weights.size(); ++i) roots_[i] = std::sqrt(view.weights[i]);
  for (const std::uint32_t row : view.dropped_rows) roots_[row] = 0;
  for (std::size_t i = 0; i < rows(); ++i) weight_ += roots_[i] == 0 ? 0.0 : weights().empty() ? 1.0 : weights()[i];
  if (view.storage != Storage::genotype_2bit) return;
  samples_.assign((rows() + 31) / 32, 0);
  for (std::size_t i = 0; i < rows(); ++i) {
    if (roots_[i] != 0) samples_[i / 32] |= std::uint64_t{1} << (2 * (i % 32));
  }
}

PlainColumns::Mean PlainColumns::mean_of(std::span<const double> v) const {
  const auto first = std::find_if(roots_.begin(), roots_.end(), [](double root) { return root != 0; });
  if (first == roots_.end()) return {};
  Mean mean{v[static_cast<std::size_t>(first - roots_.begin())], 0};
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (roots_[i] != 0) sum += (weights().empty() ? 1.0 : weights()[i]) * (v[i] - mean.around);
  }
  mean.rest = sum / weight_;
  return mean;
}

PlainColumns::Facts PlainColumns::settled(double mean, bool constant, double squares_left, double squares,
                                          double unit) const {
  const auto representable = [](double value) { return value > kScaleMin && value < kScaleMax; };
  const double norm = scale_ ? std::sqrt(squares_left) / unit : 1.0;
  const double length = scale_ ? 1.0 : squares_left / unit / unit;
  Facts facts{mean / unit, norm};
  if (constant) facts.divisor = 0;
  if (!constant && !(squares_left > kConstant * squares && representable(norm) && representable(length) &&
                     std::abs(facts.mean) < kScaleMax)) {
    facts.divisor = Facts::kLost;
  }
  return facts;
}

template <class T>
PlainColumns::Facts PlainColumns::dense_facts(VarId j) const {
  const T* const x = reinterpret_cast<const T*>(view_.values + std::uint64_t{j} * view_.column_stride);
  std::vector<double> values(rows(), 0.0);
  double largest = 0, first = 0;
  bool constant = true, any = false;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (roots_[i] == 0) continue;
    values[i] = static_cast<double>(x[i]);
    first = any ? first : values[i];
    any = true;
    constant = constant && values[i] == first;
    largest = std::max(largest, std::abs(values[i]));
  }
  const double unit = unit_scale(largest);
  for (double& value : values) value *= unit;
  const Mean mean = mean_of(values);
  double squares = 0, left = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    const double value = roots_[i] * values[i], centred = roots_[i] * mean.off(values[i]);
    squares += value * value;
    left += centred * centred;
  }
  return settled(mean.value(), center_ ? constant : squares == 0, center_ ? left : squares, squares, unit);
}

template <class T>
PlainColumns::Facts PlainColumns::sparse_facts(VarId j) const {
  double largest = 0, first = 0, sum = 0, stored = 0, squares = 0, left = 0;
  std::uint64_t count = 0;
  bool equal = true;
  const auto weight_at = [this](std::size_t row) { return weights().empty() ? 1.0 : weights()[row]; };
  const auto each = [&](const auto& entry) {
    const T* const values = reinterpret_cast<const T*>(view_.values);
    for (std::uint64_t e = view_.starts[j]; e < view_.starts[std::size_t{j} + 1]; ++e) {
      const std::uint32_t row = view_.row_numbers[e];
      if (roots_[row] != 0) entry(weight_at(row), static_cast<double>(values[e]));
    }
  };
  each([&](double, double value) { largest = std::max(largest, std::abs(value)); });
  const double unit = unit_scale(largest);
  each([&](double weight, double value) {
    value *= unit;
    first = count++ == 0 ? value : first;
    equal = equal && value == first;
    stored += weight;
    sum += weight * value;
    squares += weight * value * value;
  });
  const double mean = weight_ > 0 ? sum / weight_ : 0.0;
  each([&](double weight, double value) { left += weight * (value * unit - mean) * (value * unit - mean); });
  left += std::max(0.0, weight_ - stored) * mean * mean;
  const bool constant = center_ ? equal && (count == view_.samples() || first == 0) : squares == 0;
  return settled(mean, constant, center_ ? left : squares, squares, unit);
}

PlainColumns::Facts PlainColumns::genotype_facts(VarId j) const {
  const std::byte* const column = view_.values + std::uint64_t{j} * view_.column_stride;
  const std::uint64_t bytes = (view_.rows + 3) / 4;
  std::array<double, 4> of_code{};  // weight of the calls 2, missing, 1, 0
  if (weights().empty()) {
    std::array<std::uint64_t, 4> counts{};
    for (std::size_t k = 0; k < samples_.size(); ++k) {
      const std::uint64_t word = calls_at(column, bytes, k), mask = samples_[k];
      const std::uint64_t low = word & kLowBits, high = (word >> 1) & kLowBits;
      counts[0] += static_cast<std::uint64_t>(std::popcount(~low & ~high & mask));
      counts[1] += static_cast<std::uint64_t>(std::popcount(low & ~high & mask));
      counts[2] += static_cast<std::uint64_t>(std::popcount(~low & high & mask));
      counts[3] += static_cast<std::uint64_t>(std::popcount(low & high & mask));
    }
    for (std::size_t code = 0; code < 4; ++code) of_code[code] = static_cast<double>(counts[code]);
  } else {
    for (std::size_t i = 0; i < rows(); ++i) {
      of_code[(std::to_integer<unsigned>(column[i / 4]) >> (2 * (i % 4))) & 3U] += weights()[i];
    }
  }
  const auto [two, missing, one, none] = of_code;
  const double observed = two + one + none;
  const double mean = observed > 0 ? (2 * two + one) / observed : 0.0;
  const double squares = 4 * two + one;
  const int kinds = (two > 0 ? 1 : 0) + (one > 0 ? 1 : 0) + (none > 0 ? 1 : 0);
  const double left = two * (2 - mean) * (2 - mean) + one * (1 - mean) * (1 - mean) + none * mean * mean;
  return settled(mean, center_ ? kinds <= 1 : squares == 0, center_ ? left : squares + missing * mean * mean, squares,
                 1);
}

PlainColumns::Facts PlainColumns::facts_of(VarId j) const {
  switch (view_.storage) {
    case Storage::dense_f32:
      return dense_facts<float>(j);
    case Storage::dense_f64:
      return dense_facts<double>(j);
    case Storage::dense_i8:
      return dense_facts<std::int8_t>(j);
    case Storage::dense_u8:
      return dense_facts<std::uint8_t>(j);
    case Storage::genotype_2bit:
      return genotype_facts(j);
    case Storage::sparse_f32:
      return sparse_facts<float>(j);
    case Storage::sparse_f64:
      return sparse_facts<double>(j);
  }
  return {};
}

template <class T>
void PlainColumns::decode_dense(VarId j, const Facts& facts, std::size_t begin, std::size_t end, double* out) const {
  const T* const x = reinterpret_cast<const T*>(view_.values + std::uint64_t{j} * view_.column_stride);
  const double mean = shift(facts), inverse = 1 / facts.divisor;
  for (std::size_t i = begin; i < end; ++i) {
    // Rows that are no samples may hold anything, also what is no number.
    const double value = (static_cast<double>(x[i]) - mean) * inverse;
    out[i - begin] = roots_[i] == 0 ? 0.0 : roots_[i] * value;
  }
}

void PlainColumns::decode_genotypes(VarId j, const Facts& facts, std::size_t begin, std::size_t end,
                                    double* out) const {
  const std::byte* const column = view_.values + std::uint64_t{j} * view_.column_stride;
  const auto standardised = [&](double value) { return (value - shift(facts)) / facts.divisor; };
  const std::array<double, 4> of_code = {standardised(2), standardised(facts.mean), standardised(1), standardised(0)};
  std::size_t i = begin;
  for (; i + 4 <= end; i += 4) {
    const auto byte = std::to_integer<unsigned>(column[i / 4]);
    double* const four = out + (i - begin);
    four[0] = roots_[i] * of_code[byte & 3U];
    four[1] = roots_[i + 1] * of_code[(byte >> 2) & 3U];
    four[2] = roots_[i + 2] * of_code[(byte >> 4) & 3U];
    four[3] = roots_[i + 3] * of_code[byte >> 6];
  }
  for (; i < end; ++i) {
    out[i - begin] = roots_[i] * of_code[(std::to_integer<unsigned>(column[i / 4]) >> (2 * (i % 4))) & 3U];
  }
}

void PlainColumns::decode(VarId j, const Facts& facts, std::size_t begin, std::size_t end, double* out) const {
  switch (view_.storage) {
    case Storage::dense_f32:
      return decode_dense<float>(j, facts, begin, end, out);
    case Storage::dense_f64:
      return decode_dense<double>(j, facts, begin, end, out);
    case Storage::dense_i8:
      return decode_dense<std::int8_t>(j, facts, begin, end, out);
    case Storage::dense_u8:
      return decode_dense<std::uint8_t>(j, facts, begin, end, out);
    case Storage::genotype_2bit:
      return decode_genotypes(j, facts, begin, end, out);
    case Storage::sparse_f32:
    case Storage::sparse_f64:
      break;
  }
}

}  // namespace strads::lasso
