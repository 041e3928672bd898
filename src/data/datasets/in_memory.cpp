// Matrices that another program holds, as columns of a data set.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "data/datasets/load_each.hpp"
#include "data/datasets/take_columns.hpp"
#include "data/files/memory_limit.hpp"
#include "data/formats/dense_columns.hpp"
#include "data/formats/sparse_columns.hpp"

namespace strads::data {
namespace {

const std::string kName = "X";  ///< in place of a path

std::unique_ptr<const VariableNames> names_of(const DataInMemory& data, std::uint64_t columns) {
  if (data.names.empty()) return names_by_number(columns);
  StringList names;
  for (const std::string& name : data.names) names.push_back(name);
  return names_from_list(std::move(names));
}

Status check_shape(const DataInMemory& data, std::uint64_t rows, std::uint64_t columns) {
  if (rows == 0 || columns == 0) {
    return Status::input(kName + ": " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                         " columns, expected at least one of each");
  }
  if (rows > kRowsMax || columns > kRowsMax) {
    return Status::input(kName + ": more rows or columns than 32 bits can count");
  }
  if (!data.names.empty() && data.names.size() != columns) {
    return Status::input(kName + ": " + std::to_string(data.names.size()) + " names for " + std::to_string(columns) +
                         " columns, expected as many");
  }
  return {};
}

/// The array as a .npy would have it. REQUIRES: its columns (or rows) follow each other.
NpyArray as_npy(const DenseInMemory& dense) {
  NpyArray array;
  array.kind = dense.kind;
  array.item_size = dense.item_size;
  array.fortran = dense.column_major;
  array.shape = {dense.rows, dense.columns};
  array.count = dense.rows * dense.columns;
  array.data = {reinterpret_cast<const char*>(dense.values), array.count * dense.item_size};
  return array;
}

/// Column j alone.
NpyArray column_of(const DenseInMemory& dense, std::uint64_t j) {
  DenseInMemory one = dense;
  one.values = dense.values + j * dense.stride;
  one.columns = 1;
  return as_npy(one);
}

bool follow_each_other(const DenseInMemory& dense) {
  return !dense.column_major || dense.stride == 0 || dense.stride == dense.rows * dense.item_size;
}

bool can_be_used(const DenseInMemory& dense) {
  const auto none = [](std::uint64_t) {};
  if (!is_column_major(column_of(dense, 0)) || !dense.column_major) return false;
  if (reinterpret_cast<std::uintptr_t>(dense.values) % dense.item_size != 0) return false;
  if (follow_each_other(dense)) return all_finite(as_npy(dense), none);
  for (std::uint64_t j = 0; j < dense.columns; ++j) {
    if (!all_finite(column_of(dense, j), none)) return false;
  }
  return true;
}

/// The same numbers, column after column. Columns with gaps between them are few and short beside their own copy.
Result<CopiedColumns> copied(const DenseInMemory& dense, std::span<const std::uint8_t> kept, const Source& source,
                             std::span<const double> weights) {
  if (follow_each_other(dense)) {
    return copy_columns(as_npy(dense), kept, source.missing_mean, kName, source.missing_stays, weights);
  }
  std::string packed;
  packed.reserve(dense.rows * dense.columns * dense.item_size);
  for (std::uint64_t j = 0; j < dense.columns; ++j) packed += column_of(dense, j).data;
  DenseInMemory whole = dense;
  whole.values = reinterpret_cast<const std::byte*>(packed.data());
  whole.stride = 0;
  return copy_columns(as_npy(whole), kept, source.missing_mean, kName, source.missing_stays, weights);
}

AllLoaded load_dense_in_memory(const InputOptions& options, ResponseNames names, const DataInMemory& data) {
  const DenseInMemory& dense = *data.dense;
  if (Status shape = check_shape(data, dense.rows, dense.columns); !shape.ok()) return shape;
  const Storage storage = storage_of(column_of(dense, 0));
  std::optional<bool> can_stay;  // once it is known: looking costs a pass
  const auto build = [&](const SampleSelection& selection) -> Result<Built> {
    DatasetParts parts;
    parts.names = names_of(data, dense.columns);
    if (!can_stay) can_stay = can_be_used(dense);
    if (*can_stay) {
      use_dense(dense.values, storage, dense.rows, dense.columns,
                dense.stride != 0 ? dense.stride : dense.rows * dense.item_size, parts);
      parts.owners.push_back(options.source.in_memory);
      return Built{std::move(parts), true};
    }
    const std::uint64_t rows = selection.rows.kept_count();
    const std::uint64_t bytes = storage == Storage::dense_f64 ? sizeof(double) : dense.item_size;
    if (Status fits = expect_memory(kName, "copied column by column, the array takes", rows * dense.columns * bytes,
                                    "give it column-major (numpy.asfortranarray) with nothing missing, which is used "
                                    "where it lies, or use a larger machine",
                                    options.source.memory);
        !fits.ok()) {
      return fits;
    }
    STRADS_ASSIGN_OR_RETURN(auto columns,
                            copied(dense, selection.rows.kept(), options.source, mean_weights(selection)));
    parts.missing_imputed = columns.missing_imputed;
    take_copied(std::move(columns), storage, rows, dense.columns, parts);
    return Built{std::move(parts), false};
  };
  return load_each(options, names, dense.rows, SampleIds{}, none_of_its_own, build);
}

double value_of(const SparseInMemory& sparse, std::uint64_t entry) {
  if (sparse.single)
    return static_cast<double>(NpyLoader<float>{}(reinterpret_cast<const char*>(sparse.values), entry));
  return NpyLoader<double>{}(reinterpret_cast<const char*>(sparse.values), entry);
}

Status check_sparse(const SparseInMemory& sparse) {
  const auto& starts = sparse.starts;
  const bool whole = starts.size() == sparse.columns + 1 && starts.front() == 0 &&
                     std::is_sorted(starts.begin(), starts.end()) && starts.back() == sparse.row_numbers.size();
  if (!whole) return Status::input(kName + ": where columns begin does not fit the entries, expected offsets from 0");
  for (std::uint64_t j = 0; j < sparse.columns; ++j) {
    for (std::uint64_t e = starts[j]; e < starts[j + 1]; ++e) {
      const bool rises = e == starts[j] || sparse.row_numbers[e - 1] < sparse.row_numbers[e];
      if (rises && sparse.row_numbers[e] < sparse.rows) continue;
      return Status::input(kName + ": row numbers of column " + std::to_string(j + 1) + " do not rise from 0 to " +
                           std::to_string(sparse.rows - 1) + ", expected sorted columns without repeated entries");
    }
  }
  return {};
}

/// For a copy: entries are missing, or the caller has to be told which one is not finite.
Result<SparseEntries> entries_of(const SparseInMemory& sparse) {
  SparseEntries entries;
  entries.row_count = sparse.rows;
  entries.column_count = sparse.columns;
  entries.single_precision = sparse.single;
  entries.rows.assign(sparse.row_numbers.begin(), sparse.row_numbers.end());
  for (std::uint64_t j = 0; j < sparse.columns; ++j) {
    for (std::uint64_t e = sparse.starts[j]; e < sparse.starts[j + 1]; ++e) {
      const double value = value_of(sparse, e);
      if (std::isinf(value)) {
        return Status::input(kName + ": row " + std::to_string(sparse.row_numbers[e] + 1) + ", column " +
                             std::to_string(j + 1) + ": infinite, expected a finite number");
      }
      if (std::isnan(value)) entries.missing.push_back({sparse.row_numbers[e], 0, j + 1});
      entries.columns.push_back(static_cast<std::uint32_t>(j));
      entries.values.push_back(value);
    }
  }
  return entries;
}

bool is_finite_everywhere(const SparseInMemory& sparse) {
  bool finite = true;
  for (std::uint64_t e = 0; e < sparse.row_numbers.size(); ++e) finite = finite && std::isfinite(value_of(sparse, e));
  return finite;
}

AllLoaded load_sparse_in_memory(const InputOptions& options, ResponseNames names, const DataInMemory& data) {
  const SparseInMemory& sparse = *data.sparse;
  if (Status shape = check_shape(data, sparse.rows, sparse.columns); !shape.ok()) return shape;
  if (Status whole = check_sparse(sparse); !whole.ok()) return whole;
  const bool can_stay = is_finite_everywhere(sparse);
  const auto build = [&](const SampleSelection& selection) -> Result<Built> {
    DatasetParts parts;
    parts.names = names_of(data, sparse.columns);
    if (can_stay) {
      parts.columns.storage = sparse.single ? Storage::sparse_f32 : Storage::sparse_f64;
      parts.columns.rows = sparse.rows;
      parts.columns.columns = static_cast<VarId>(sparse.columns);
      parts.columns.values = sparse.values;
      parts.columns.starts = sparse.starts;
      parts.columns.row_numbers = sparse.row_numbers;
      parts.owners.push_back(options.source.in_memory);
      return Built{std::move(parts), true};
    }
    STRADS_ASSIGN_OR_RETURN(const auto entries, entries_of(sparse));
    STRADS_ASSIGN_OR_RETURN(auto columns, to_columns(entries, selection.rows.kept(), options.source.missing_mean, kName,
                                                     options.source.missing_stays, mean_weights(selection)));
    take_sparse(std::move(columns), selection.rows.kept_count(), parts);
    return Built{std::move(parts), false};
  };
  return load_each(options, names, sparse.rows, SampleIds{}, none_of_its_own, build);
}

}  // namespace

AllLoaded load_in_memory(const InputOptions& options, ResponseNames names) {
  const DataInMemory& data = *options.source.in_memory;
  if (options.response.required && !data.response.has_value()) {
    return Status::usage(kName + " needs a response");
  }
  return data.dense ? load_dense_in_memory(options, names, data) : load_sparse_in_memory(options, names, data);
}

}  // namespace strads::data
