#include "data/formats/sparse_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::uint32_t kDropped = 0xffff'ffff;

// New number of each row, or kDropped.
std::vector<std::uint32_t> renumber(std::span<const std::uint8_t> kept) {
  std::vector<std::uint32_t> out(kept.size(), kDropped);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != 0) out[i] = next++;
  }
  return out;
}

// Calls f(new row, entry) for every entry of a kept row that is not a stored zero, in file order.
template <class Visit>
void for_each_kept(const SparseEntries& entries, const std::vector<std::uint32_t>& new_row, Visit&& visit) {
  if (entries.row_starts.empty()) {
    for (std::uint64_t e = 0; e < entries.values.size(); ++e) {
      const std::uint32_t row = new_row[entries.rows[e]];
      if (row != kDropped && entries.values[e] != 0) visit(row, e);
    }
    return;
  }
  for (std::uint64_t i = 0; i < entries.row_count; ++i) {
    if (new_row[i] == kDropped) continue;
    for (std::uint64_t e = entries.row_starts[i]; e < entries.row_starts[i + 1]; ++e) {
      if (entries.values[e] != 0) visit(new_row[i], e);
    }
  }
}

bool fits_single(const SparseEntries& entries) {
  if (entries.single_precision) return true;
  if (!entries.missing.empty()) return false;  // a mean need not be a float
  return std::all_of(entries.values.begin(), entries.values.end(), [](double value) {
    return std::abs(value) <= std::numeric_limits<float>::max() &&
           static_cast<double>(static_cast<float>(value)) == value;
  });
}

// Sorts one column by row unless it is sorted already.
template <class T>
void sort_column(std::span<std::uint32_t> rows, std::span<T> values,
                 std::vector<std::pair<std::uint32_t, T>>& scratch) {
  if (std::is_sorted(rows.begin(), rows.end())) return;
  scratch.clear();
  for (std::size_t k = 0; k < rows.size(); ++k) scratch.emplace_back(rows[k], values[k]);
  std::sort(scratch.begin(), scratch.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < rows.size(); ++k) std::tie(rows[k], values[k]) = scratch[k];
}

/// One column's entries. `weights`: of all kept rows, or empty: all 1.
template <class T>
std::uint64_t impute(std::span<const std::uint32_t> rows, std::span<T> values, std::uint64_t kept_rows,
                     std::span<const double> weights) {
  double sum = 0, weight = static_cast<double>(kept_rows);  // weights are scaled to a sum of the samples
  std::uint64_t missing = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double w = weights.empty() ? 1.0 : weights[rows[e]];
    if (std::isnan(values[e])) {
      ++missing;
      weight -= w;
    } else {
      sum += w * static_cast<double>(values[e]);
    }
  }
  if (missing == 0) return 0;
  const T mean = missing == kept_rows || !(weight > 0) ? T{0} : static_cast<T>(sum / weight);
  for (T& value : values) {
    if (std::isnan(value)) value = mean;
  }
  return missing;
}

template <class T>
Status scatter(const SparseEntries& entries, const std::vector<std::uint32_t>& new_row, std::uint64_t kept_rows,
               const std::string& path, bool missing_stays, std::span<const double> weights, std::vector<T>& values,
               SparseColumns& out) {
  values.resize(out.rows.size());
  std::vector<std::uint64_t> next(out.starts.begin(), out.starts.end() - 1);
  for_each_kept(entries, new_row, [&](std::uint32_t row, std::uint64_t e) {
    const std::uint64_t place = next[entries.columns[e]]++;
    out.rows[place] = row;
    values[place] = static_cast<T>(entries.values[e]);
  });
  std::vector<std::pair<std::uint32_t, T>> scratch;
  for (std::uint64_t j = 0; j < entries.column_count; ++j) {
    const std::uint64_t count = out.starts[j + 1] - out.starts[j];
    const auto column_rows = std::span(out.rows).subspan(out.starts[j], count);
    const auto column_values = std::span(values).subspan(out.starts[j], count);
    sort_column(column_rows, column_values, scratch);
    const auto twin = std::adjacent_find(column_rows.begin(), column_rows.end());
    if (twin != column_rows.end()) {
      const auto original = std::find(new_row.begin(), new_row.end(), *twin) - new_row.begin();
      return Status::input(path + ": entry (row " + std::to_string(original + 1) + ", column " + std::to_string(j + 1) +
                           ") is given twice, expected once; sum or remove repeated entries");
    }
    if (!entries.missing.empty() && !missing_stays) {
      out.missing_imputed += impute(std::span<const std::uint32_t>(column_rows), column_values, kept_rows, weights);
    }
  }
  return {};
}

}  // namespace

std::string expected_columns(std::uint64_t bytes) {
  return "expected at most " + std::to_string(columns_max(bytes)) + " for " + std::to_string(bytes) +
         " bytes of entries (each column takes memory, empty ones too); number the columns that are used from 1 on";
}

Status missing_entry(const std::string& path, const MissingPlace& place) {
  constexpr const char* kWhat = "missing value, expected a number; --missing mean puts the column's mean there";
  if (place.line > 0) return Status::input(at(path, place.line, place.column) + kWhat);
  return Status::input(path + ": row " + std::to_string(std::uint64_t{place.row} + 1) + ", column " +
                       std::to_string(place.column) + ": " + kWhat);
}

Result<SparseColumns> to_columns(const SparseEntries& entries, std::span<const std::uint8_t> kept, bool missing_mean,
                                 const std::string& path, bool missing_stays, std::span<const double> weights) {
  if (!missing_mean) {
    for (const MissingPlace& place : entries.missing) {
      if (kept[place.row] != 0) return missing_entry(path, place);
    }
  }
  const auto new_row = renumber(kept);
  SparseColumns out;
  out.starts.assign(entries.column_count + 1, 0);
  for_each_kept(entries, new_row, [&](std::uint32_t, std::uint64_t e) { ++out.starts[entries.columns[e] + 1]; });
  for (std::uint64_t j = 0; j < entries.column_count; ++j) out.starts[j + 1] += out.starts[j];
  out.rows.resize(out.starts.back());
  const auto kept_rows = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), std::uint8_t{1}));
  const Status status = fits_single(entries)
                            ? scatter(entries, new_row, kept_rows, path, missing_stays, weights, out.f32, out)
                            : scatter(entries, new_row, kept_rows, path, missing_stays, weights, out.f64, out);
  if (!status.ok()) return status;
  return out;
}

}  // namespace strads::data
