#include "regression/raw_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace strads::lasso {
namespace {

template <class T>
double observed(T value, double missing) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return missing;
  }
  return static_cast<double>(value);
}

template <class T>
void add_dense(const ColumnsView& view, VarId j, double coefficient, double missing, std::span<double> sums) {
  const auto* column = reinterpret_cast<const T*>(view.values + j * view.column_stride);
  for (std::size_t i = 0; i < view.rows; ++i) sums[i] += coefficient * observed(column[i], missing);
}

template <class T>
void add_sparse(const ColumnsView& view, VarId j, double coefficient, double missing, std::span<double> sums) {
  const auto* values = reinterpret_cast<const T*>(view.values);
  for (auto k = view.starts[j]; k < view.starts[j + 1]; ++k) {
    sums[view.row_numbers[k]] += coefficient * observed(values[k], missing);
  }
}

void add_genotypes(const ColumnsView& view, VarId j, double coefficient, double missing, std::span<double> sums) {
  const auto* column = view.values + j * view.column_stride;
  const std::array<double, 4> of_code = {2 * coefficient, missing * coefficient, coefficient, 0};
  for (std::size_t i = 0; i < view.rows; ++i) {
    const auto byte = std::to_integer<unsigned>(column[i / 4]);
    sums[i] += of_code[(byte >> (2 * (i % 4))) & 3U];
  }
}

void add_dosages(const ColumnsView& view, VarId j, double coefficient, double missing, std::span<double> sums) {
  const auto* column = reinterpret_cast<const std::uint16_t*>(view.values + j * view.column_stride);
  for (std::size_t i = 0; i < view.rows; ++i) {
    sums[i] += coefficient * (column[i] == kMissingDosage ? missing : column[i] / kDosageUnits);
  }
}

template <class T>
void add_dense_rows(const ColumnsView& view, VarId j, double coefficient, double missing,
                    std::span<const std::uint32_t> rows, std::span<double> sums) {
  const auto* column = reinterpret_cast<const T*>(view.values + j * view.column_stride);
  for (std::size_t k = 0; k < rows.size(); ++k) sums[k] += coefficient * observed(column[rows[k]], missing);
}

template <class T>
void add_sparse_rows(const ColumnsView& view, VarId j, double coefficient, double missing,
                     std::span<const std::uint32_t> rows, std::span<double> sums) {
  const auto* values = reinterpret_cast<const T*>(view.values);
  std::size_t k = 0;
  for (auto e = view.starts[j]; e < view.starts[j + 1]; ++e) {
    const std::uint32_t row = view.row_numbers[e];
    while (k < rows.size() && rows[k] < row) ++k;
    if (k < rows.size() && rows[k] == row) sums[k] += coefficient * observed(values[e], missing);
  }
}

void add_dosage_rows(const ColumnsView& view, VarId j, double coefficient, double missing,
                     std::span<const std::uint32_t> rows, std::span<double> sums) {
  const auto* column = reinterpret_cast<const std::uint16_t*>(view.values + j * view.column_stride);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::uint16_t dosage = column[rows[k]];
    sums[k] += coefficient * (dosage == kMissingDosage ? missing : dosage / kDosageUnits);
  }
}

void add_genotype_rows(const ColumnsView& view, VarId j, double coefficient, double missing,
                       std::span<const std::uint32_t> rows, std::span<double> sums) {
  const auto* column = view.values + j * view.column_stride;
  const std::array<double, 4> of_code = {2 * coefficient, missing * coefficient, coefficient, 0};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto byte = std::to_integer<unsigned>(column[rows[k] / 4]);
    sums[k] += of_code[(byte >> (2 * (rows[k] % 4))) & 3U];
  }
}

template <class T>
void copy_dense(const ColumnsView& view, VarId j, double missing, std::size_t begin, std::size_t end, double* out) {
  const auto* column = reinterpret_cast<const T*>(view.values + j * view.column_stride);
  for (std::size_t i = begin; i < end; ++i) out[i - begin] = observed(column[i], missing);
}

template <class T>
void read_sparse(const ColumnsView& view, VarId j, double missing, std::size_t begin, std::size_t end,
                 RawEntries& out) {
  const auto* values = reinterpret_cast<const T*>(view.values);
  out.values.clear();
  out.rows.clear();
  const auto* rows = view.row_numbers.data();
  const auto* const last = rows + view.starts[j + 1];
  for (const auto* at = std::lower_bound(rows + view.starts[j], last, begin); at != last && *at < end; ++at) {
    out.values.push_back(observed(values[at - rows], missing));
    out.rows.push_back(static_cast<std::uint32_t>(*at - begin));
  }
}

void copy_genotypes(const ColumnsView& view, VarId j, double missing, std::size_t begin, std::size_t end, double* out) {
  const auto* column = view.values + j * view.column_stride;
  const std::array<double, 4> of_code = {2, missing, 1, 0};
  for (std::size_t i = begin; i < end; ++i) {
    const auto byte = std::to_integer<unsigned>(column[i / 4]);
    out[i - begin] = of_code[(byte >> (2 * (i % 4))) & 3U];
  }
}

void copy_dosages(const ColumnsView& view, VarId j, double missing, std::size_t begin, std::size_t end, double* out) {
  const auto* column = reinterpret_cast<const std::uint16_t*>(view.values + j * view.column_stride);
  for (std::size_t i = begin; i < end; ++i) {
    out[i - begin] = column[i] == kMissingDosage ? missing : column[i] / kDosageUnits;
  }
}

}  // namespace

void read_raw_rows(const ColumnsView& view, VarId j, double missing, std::size_t begin, std::size_t end,
                   RawEntries& out) {
  if (view.storage == Storage::sparse_f32) return read_sparse<float>(view, j, missing, begin, end, out);
  if (view.storage == Storage::sparse_f64) return read_sparse<double>(view, j, missing, begin, end, out);
  out.rows.clear();
  out.values.resize(end - begin);
  double* const to = out.values.data();
  switch (view.storage) {
    case Storage::dense_f32:
      return copy_dense<float>(view, j, missing, begin, end, to);
    case Storage::dense_f64:
      return copy_dense<double>(view, j, missing, begin, end, to);
    case Storage::dense_i8:
      return copy_dense<std::int8_t>(view, j, missing, begin, end, to);
    case Storage::dense_u8:
      return copy_dense<std::uint8_t>(view, j, missing, begin, end, to);
    case Storage::dosage_u16:
      return copy_dosages(view, j, missing, begin, end, to);
    case Storage::genotype_2bit:
      return copy_genotypes(view, j, missing, begin, end, to);
    case Storage::sparse_f32:
    case Storage::sparse_f64:
      break;  // above
  }
}

void add_raw_rows(const ColumnsView& view, VarId j, double coefficient, double missing,
                  std::span<const std::uint32_t> rows, std::span<double> sums) {
  switch (view.storage) {
    case Storage::dense_f32:
      return add_dense_rows<float>(view, j, coefficient, missing, rows, sums);
    case Storage::dense_f64:
      return add_dense_rows<double>(view, j, coefficient, missing, rows, sums);
    case Storage::dense_i8:
      return add_dense_rows<std::int8_t>(view, j, coefficient, missing, rows, sums);
    case Storage::dense_u8:
      return add_dense_rows<std::uint8_t>(view, j, coefficient, missing, rows, sums);
    case Storage::dosage_u16:
      return add_dosage_rows(view, j, coefficient, missing, rows, sums);
    case Storage::genotype_2bit:
      return add_genotype_rows(view, j, coefficient, missing, rows, sums);
    case Storage::sparse_f32:
      return add_sparse_rows<float>(view, j, coefficient, missing, rows, sums);
    case Storage::sparse_f64:
      return add_sparse_rows<double>(view, j, coefficient, missing, rows, sums);
  }
}

void add_raw_column(const ColumnsView& view, VarId j, double coefficient, double missing, std::span<double> sums) {
  switch (view.storage) {
    case Storage::dense_f32:
      return add_dense<float>(view, j, coefficient, missing, sums);
    case Storage::dense_f64:
      return add_dense<double>(view, j, coefficient, missing, sums);
    case Storage::dense_i8:
      return add_dense<std::int8_t>(view, j, coefficient, missing, sums);
    case Storage::dense_u8:
      return add_dense<std::uint8_t>(view, j, coefficient, missing, sums);
    case Storage::dosage_u16:
      return add_dosages(view, j, coefficient, missing, sums);
    case Storage::genotype_2bit:
      return add_genotypes(view, j, coefficient, missing, sums);
    case Storage::sparse_f32:
      return add_sparse<float>(view, j, coefficient, missing, sums);
    case Storage::sparse_f64:
      return add_sparse<double>(view, j, coefficient, missing, sums);
  }
}

}  // namespace strads::lasso
