#include "strads_sim/audit/plain_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "strads/base/status.hpp"

namespace strads::simulator {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double number_at(const std::byte* values, std::uint64_t at) {
  double value = 0;
  std::memcpy(&value, values + at * sizeof value, sizeof value);
  return value;
}

std::vector<double> decoded(const ColumnsView& view, VarId j) {
  std::vector<double> column(view.rows, 0.0);
  if (view.storage == Storage::sparse_f64) {
    for (std::uint64_t at = view.starts[j]; at < view.starts[std::size_t{j} + 1]; ++at) {
      column[view.row_numbers[at]] = number_at(view.values, at);
    }
    return column;
  }
  if (view.storage == Storage::dense_f64) {
    for (std::uint64_t i = 0; i < view.rows; ++i) {
      column[i] = number_at(view.values + std::uint64_t{j} * view.column_stride, i);
    }
    return column;
  }
  STRADS_CHECK(view.storage == Storage::genotype_2bit, "the swarm has doubles, sparse doubles and genotypes");
  constexpr double kCopies[] = {2, kMissing, 1, 0};  // of A1, by code
  for (std::uint64_t i = 0; i < view.rows; ++i) {
    const auto calls = static_cast<unsigned>(view.values[std::uint64_t{j} * view.column_stride + i / 4]);
    column[i] = kCopies[(calls >> (2 * (i % 4))) & 3U];
  }
  return column;
}

/// Puts the mean of what was observed where nothing was, subtracts it where columns are centred, and divides by the
/// length. False: nothing is left.
bool standardise(std::vector<double>& column, std::span<const double> roots, bool center) {
  double total = 0;
  double sum = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (std::isnan(column[i])) continue;
    total += roots[i] * roots[i];
    sum += roots[i] * roots[i] * column[i];
    lowest = std::min(lowest, column[i]);
    highest = std::max(highest, column[i]);
  }
  const double mean = sum / total;
  const bool nothing = center ? !(lowest < highest) : !(lowest < 0 || highest > 0);
  double squares = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double value = std::isnan(column[i]) ? mean : column[i];
    column[i] = nothing ? 0.0 : roots[i] * (center ? value - mean : value);
    squares += column[i] * column[i];
  }
  for (double& value : column) value = nothing ? 0.0 : value / std::sqrt(squares);
  return !nothing;
}

}  // namespace

PlainColumns::PlainColumns(const Dataset& dataset, bool center, bool y_stays) {
  const ColumnsView& view = dataset.columns();
  STRADS_CHECK(
      view.dropped_rows.empty() && view.excluded.empty() && dataset.covariates().empty() && dataset.offset().empty(),
      "nothing is left out of the swarm's data");
  roots.assign(view.rows, 1.0);
  for (std::size_t i = 0; i < view.weights.size(); ++i) roots[i] = std::sqrt(view.weights[i]);
  const bool sparse = view.storage == Storage::sparse_f64;
  for (VarId j = 0; j < view.columns; ++j) {
    x.push_back(decoded(view, j));
    kept.push_back(standardise(x.back(), roots, center) ? 1 : 0);
    entries.push_back(static_cast<double>(sparse ? view.starts[std::size_t{j} + 1] - view.starts[j] : view.rows));
  }
  y.assign(dataset.response().begin(), dataset.response().end());
  if (!y_stays) standardise(y, roots, true);
  factors.assign(dataset.penalty_factors().begin(), dataset.penalty_factors().end());
  factors.resize(view.columns, 1.0);
  products.resize(x.size() * x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      products[j * x.size() + k] = products[k * x.size() + j] = plain_dot(x[j], x[k]);
    }
  }
}

double plain_dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace strads::simulator
