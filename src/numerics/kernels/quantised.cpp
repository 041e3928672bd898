#include "strads/numerics/quantised.hpp"

#include <algorithm>
#include <cmath>

namespace strads {

namespace {

/// The sums below are rounded: by far less than this share of them.
constexpr double kRounding = 1e-9;

}  // namespace

void QuantisedVector::assign(std::span<const double> u, std::span<const double> roots, QuantisedOrder wanted) {
  const auto root = [roots](std::size_t i) { return roots.empty() ? 1.0 : roots[i]; };
  planes.assign((u.size() + kQuantisedRows - 1) / kQuantisedRows, QuantisedChunk{});
  rows = u.size();
  order = wanted;
  total = 0;
  double largest = 0, squares = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    largest = std::max(largest, std::abs(root(i) * u[i]));
    squares += u[i] * u[i];
  }
  length = std::sqrt(squares);
  unit = std::isfinite(squares) && std::isfinite(largest) ? largest / kQuantisedMax : 0.0;
  // Subnormal units would have few digits: such a vector is all error.
  if (!(unit > 1e-290)) unit = 0;
  double lost = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double value = root(i) * u[i];
    const double exact =
        unit == 0 ? 0.0 : std::clamp(std::rint(value / unit), -1.0 * kQuantisedMax, 1.0 * kQuantisedMax);
    const auto q = static_cast<int>(exact);
    total += q;
    const double rest = root(i) == 0 ? 0.0 : std::fma(-unit, exact, value) / root(i);
    lost += rest * rest;
    const std::size_t row = i % kQuantisedRows;
    QuantisedChunk& chunk = planes[i / kQuantisedRows];
    QuantisedChunk::Field& field = chunk.fields[order == QuantisedOrder::calls ? row % 4 : row / 64];
    const std::size_t k = order == QuantisedOrder::calls ? row / 4 : row % 64;
    field.high[k] = static_cast<std::int8_t>(q >> 7);
    field.low[k] = static_cast<std::int8_t>(q & 127);
  }
  error = std::sqrt(lost) * (1 + kRounding);
}

}  // namespace strads
