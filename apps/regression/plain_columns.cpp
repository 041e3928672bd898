#include "regression/plain_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "regression/plain_loops.hpp"

namespace strads::lasso {
namespace {

/// Share of the sum of squares below which centring left nothing but rounding: such a column counts as constant.
constexpr double kConstant = 1e-22;
/// Norms outside of these, and their reciprocals, are not both numbers.
constexpr double kScaleMin = 1e-290, kScaleMax = 1e290;
/// Sums of squares outside of these are taken again of values near 1.
constexpr double kSquaresMin = 1e-200, kSquaresMax = 1e200;

/// 2^-e with the largest of some numbers in [2^e, 2^(e + 1)): multiplied with it, squares neither overflow nor vanish.
double unit_scale(double largest) {
  return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1.0;
}

}  // namespace

PlainColumns::PlainColumns(const ColumnsView& view, bool center, bool scale)
    : view_(view), center_(center), scale_(scale), roots_(static_cast<std::size_t>(view.rows), 1.0) {
  for (std::size_t i = 0; i < view.weights.size(); ++i) roots_[i] = std::sqrt(view.weights[i]);
  for (const std::uint32_t row : view.dropped_rows) roots_[row] = 0;
  if (!view.weights.empty() || !view.dropped_rows.empty()) {
    weights_.assign(rows(), 1.0);
    for (std::size_t i = 0; i < view.weights.size(); ++i) weights_[i] = view.weights[i];
    for (const std::uint32_t row : view.dropped_rows) weights_[row] = 0;
  }
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

/// Of all values of a column, or of the stored ones of a sparse column, whose others are 0.
template <class T>
PlainColumns::Facts PlainColumns::facts_of_values(const T* x, const double* weights, std::size_t n) const {
  const auto takes_part = [weights](std::size_t i) { return weights == nullptr || weights[i] != 0; };
  std::size_t begin = 0;
  while (begin < n && !takes_part(begin)) ++begin;
  const double first = begin < n ? static_cast<double>(x[begin]) : 0.0;
  // Around one of its values a large mean takes no digits from the differences.
  const double near = is_sparse() ? 0.0 : first;
  double unit = 1;
  plain::Spread spread;
  const auto look = [&] {
    plain::on_widest([&]() __attribute__((always_inline)) {
      spread = weights == nullptr ? plain::spread_of<false>(x, weights, n, first, near * unit, unit)
                                  : plain::spread_of<true>(x, weights, n, first, near * unit, unit);
    });
  };
  look();
  if (!(spread.squares > kSquaresMin && spread.squares < kSquaresMax)) {
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (takes_part(i)) largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    }
    unit = unit_scale(largest);
    look();
  }
  const double around = near * unit, rest = weight_ > 0 ? spread.sum / weight_ : 0.0;
  double left = 0;
  plain::on_widest([&]() __attribute__((always_inline)) {
    left = weights == nullptr ? plain::squares_off<false>(x, weights, n, around, rest, unit)
                              : plain::squares_off<true>(x, weights, n, around, rest, unit);
  });
  bool varies = spread.varies;
  if (is_sparse()) {
    left += std::max(0.0, weight_ - spread.weight) * rest * rest;
    std::uint64_t stored = n;
    if (weights != nullptr) stored -= static_cast<std::uint64_t>(std::count(weights, weights + n, 0.0));
    varies = varies || (stored < view_.samples() && first != 0);
  }
  return settled(around + rest, center_ ? !varies : spread.squares == 0, center_ ? left : spread.squares,
                 spread.squares, unit);
}

template <class T>
PlainColumns::Facts PlainColumns::dense_facts(VarId j) const {
  return facts_of_values(column_of<T>(j), weights_.empty() ? nullptr : weights_.data(), rows());
}

template <class T>
PlainColumns::Facts PlainColumns::sparse_facts(VarId j) const {
  const std::uint64_t begin = view_.starts[j], end = view_.starts[std::size_t{j} + 1];
  std::vector<double> weights;
  if (!weights_.empty()) {
    for (std::uint64_t e = begin; e < end; ++e) weights.push_back(weights_[view_.row_numbers[e]]);
  }
  const T* const values = reinterpret_cast<const T*>(view_.values) + begin;
  return facts_of_values(values, weights.empty() ? nullptr : weights.data(), static_cast<std::size_t>(end - begin));
}

PlainColumns::Facts PlainColumns::genotype_facts(VarId j) const {
  const auto* const column = column_of<std::uint8_t>(j);
  std::array<double, 4> of_code{};  // weight of the calls 2, missing, 1, 0
  if (weights().empty()) {
    plain::CallCounts counts;
    plain::on_widest([&]() __attribute__((always_inline)) {
      counts = plain::count_calls(column, (rows() + 3) / 4, samples_.data());
    });
    const std::uint64_t none = view_.samples() - counts.two - counts.missing - counts.one;
    of_code = {static_cast<double>(counts.two), static_cast<double>(counts.missing), static_cast<double>(counts.one),
               static_cast<double>(none)};
  } else {
    std::array<std::array<double, 4>, 4> of_lane{};  // so that additions do not wait for each other
    for (std::size_t i = 0; i < rows(); ++i) of_lane[i % 4][(column[i / 4] >> (2 * (i % 4))) & 3U] += weights_[i];
    for (std::size_t code = 0; code < 4; ++code) {
      for (const auto& lane : of_lane) of_code[code] += lane[code];
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

/// Around the mean of those observed, which stands for those that are missing.
PlainColumns::Facts PlainColumns::dosage_facts(VarId j) const {
  const auto* const x = column_of<std::uint16_t>(j);
  double observed = 0, missing = 0, sum = 0, squares = 0;
  int lowest = kMissingDosage, highest = -1;
  const auto weight_of = [&](std::size_t i) { return weights_.empty() ? 1.0 : weights_[i]; };
  for (std::size_t i = 0; i < rows(); ++i) {
    const double w = weight_of(i), value = x[i] / kDosageUnits;
    if (w == 0) continue;
    if (x[i] == kMissingDosage) {
      missing += w;
      continue;
    }
    observed += w;
    sum += w * value;
    squares += w * value * value;
    lowest = std::min<int>(lowest, x[i]);
    highest = std::max<int>(highest, x[i]);
  }
  const double mean = observed > 0 ? sum / observed : 0.0;
  double left = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (x[i] == kMissingDosage) continue;
    const double off = x[i] / kDosageUnits - mean;
    left += weight_of(i) * off * off;
  }
  return settled(mean, center_ ? lowest >= highest : squares == 0, center_ ? left : squares + missing * mean * mean,
                 squares, 1);
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
    case Storage::dosage_u16:
      return dosage_facts(j);
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
  const T* const x = column_of<T>(j);
  const double mean = shift(facts), inverse = 1 / facts.divisor;
  for (std::size_t i = begin; i < end; ++i) {
    // Rows that are no samples may hold anything, also what is no number.
    const double value = (static_cast<double>(x[i]) - mean) * inverse;
    out[i - begin] = roots_[i] == 0 ? 0.0 : roots_[i] * value;
  }
}

void PlainColumns::decode_dosages(VarId j, const Facts& facts, std::size_t begin, std::size_t end, double* out) const {
  const auto* const x = column_of<std::uint16_t>(j);
  const double mean = shift(facts), inverse = 1 / facts.divisor;
  for (std::size_t i = begin; i < end; ++i) {
    const double value = x[i] == kMissingDosage ? facts.mean : x[i] / kDosageUnits;
    out[i - begin] = roots_[i] == 0 ? 0.0 : roots_[i] * ((value - mean) * inverse);
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
    case Storage::dosage_u16:
      return decode_dosages(j, facts, begin, end, out);
    case Storage::genotype_2bit:
      return decode_genotypes(j, facts, begin, end, out);
    case Storage::sparse_f32:
    case Storage::sparse_f64:
      break;
  }
}

template <std::size_t K, class T>
void PlainColumns::add_dense(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const {
  const T* const x = column_of<T>(j) + row;
  const std::size_t n = std::min(plain::kTileRows, rows() - row);
  const double mean = shift(facts), scale = 1 / facts.divisor;
  plain::on_widest([&]() __attribute__((always_inline)) {
    if (weights_.empty()) {
      plain::add_dense<K, false>(x, nullptr, n, v + row * K, mean, scale, out);
    } else {
      plain::add_dense<K, true>(x, weights_.data() + row, n, v + row * K, mean, scale, out);
    }
  });
}

template <std::size_t K>
void PlainColumns::add_dosages(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const {
  const auto* const x = column_of<std::uint16_t>(j) + row;
  const std::size_t n = std::min(plain::kTileRows, rows() - row);
  std::array<double, plain::kTileRows> values{};
  for (std::size_t i = 0; i < n; ++i) values[i] = x[i] == kMissingDosage ? facts.mean : x[i] / kDosageUnits;
  const double mean = shift(facts), scale = 1 / facts.divisor;
  plain::on_widest([&]() __attribute__((always_inline)) {
    if (weights_.empty()) {
      plain::add_dense<K, false>(values.data(), nullptr, n, v + row * K, mean, scale, out);
    } else {
      plain::add_dense<K, true>(values.data(), weights_.data() + row, n, v + row * K, mean, scale, out);
    }
  });
}

template <std::size_t K>
void PlainColumns::add_genotypes(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const {
  const std::uint8_t* const calls = column_of<std::uint8_t>(j) + row / 4;
  const std::size_t bytes = (std::min(plain::kTileRows, rows() - row) + 3) / 4;
  plain::on_widest([&]() __attribute__((always_inline)) {
    plain::add_genotypes<K>(calls, bytes, v + row * K, facts.mean, 1 / facts.divisor, out);
  });
}

template <std::size_t K, class T>
void PlainColumns::add_sparse(VarId j, const Facts& facts, const double* v, double* out) const {
  const std::uint64_t begin = view_.starts[j];
  const auto n = static_cast<std::size_t>(view_.starts[std::size_t{j} + 1] - begin);
  const T* const values = reinterpret_cast<const T*>(view_.values) + begin;
  const std::uint32_t* const row_numbers = view_.row_numbers.data() + begin;
  plain::on_widest([&]() __attribute__((always_inline)) {
    if (weights_.empty()) {
      plain::add_sparse<K, false>(values, row_numbers, nullptr, n, v, 1 / facts.divisor, out);
    } else {
      plain::add_sparse<K, true>(values, row_numbers, weights_.data(), n, v, 1 / facts.divisor, out);
    }
  });
}

/// Rows [row, row + kTileRows) of column j; all of a sparse one.
template <std::size_t K>
void PlainColumns::add_tile(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const {
  switch (view_.storage) {
    case Storage::dense_f32:
      return add_dense<K, float>(j, facts, row, v, out);
    case Storage::dense_f64:
      return add_dense<K, double>(j, facts, row, v, out);
    case Storage::dense_i8:
      return add_dense<K, std::int8_t>(j, facts, row, v, out);
    case Storage::dense_u8:
      return add_dense<K, std::uint8_t>(j, facts, row, v, out);
    case Storage::dosage_u16:
      return add_dosages<K>(j, facts, row, v, out);
    case Storage::genotype_2bit:
      return add_genotypes<K>(j, facts, row, v, out);
    case Storage::sparse_f32:
      return add_sparse<K, float>(j, facts, v, out);
    case Storage::sparse_f64:
      return add_sparse<K, double>(j, facts, v, out);
  }
}

template <std::size_t K>
void PlainColumns::products_of(VarId begin, VarId end, const Facts* facts, const SideBySide& v, double* out) const {
  std::fill_n(out, std::size_t{end - begin} * K, 0.0);
  // All columns meet the vectors of a tile of rows while it is in the cache.
  for (std::size_t row = 0; row < rows(); row += is_sparse() ? rows() : plain::kTileRows) {
    for (VarId j = begin; j < end; ++j) {
      const std::size_t at = j - begin;
      if (facts[at].takes_part()) add_tile<K>(j, facts[at], row, v.values, out + at * K);
    }
  }
  // Dense columns are centred value by value, where a large mean would take digits; calls and sparse entries at once.
  if (!is_sparse() && view_.storage != Storage::genotype_2bit) return;
  for (VarId j = begin; j < end; ++j) {
    const std::size_t at = j - begin;
    if (!facts[at].takes_part()) continue;
    for (std::size_t k = 0; k < K; ++k) out[at * K + k] -= level(facts[at]) * v.totals[k];
  }
}

void PlainColumns::products(VarId begin, VarId end, std::span<const Facts> facts, const SideBySide& v,
                            double* out) const {
  if (v.width == 1) return products_of<1>(begin, end, facts.data(), v, out);
  if (v.width == 2) return products_of<2>(begin, end, facts.data(), v, out);
  if (v.width == 4) return products_of<4>(begin, end, facts.data(), v, out);
  products_of<8>(begin, end, facts.data(), v, out);
}

void PlainColumns::subtract(std::span<const double> x, std::size_t begin, std::span<const double> coefficients,
                            std::span<double> v) const {
  const std::size_t width = coefficients.size();
  double* const first = v.data() + begin * width;
  plain::on_widest([&]() __attribute__((always_inline)) {
    if (width == 1) plain::subtract<1>(x.data(), x.size(), coefficients.data(), first);
    if (width == 2) plain::subtract<2>(x.data(), x.size(), coefficients.data(), first);
    if (width == 4) plain::subtract<4>(x.data(), x.size(), coefficients.data(), first);
    if (width == 8) plain::subtract<8>(x.data(), x.size(), coefficients.data(), first);
  });
}

}  // namespace strads::lasso
