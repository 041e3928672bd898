// Columns that a reader has made, handed to the data set that owns them from then on. Layer: data.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "data/datasets/loaded_dataset.hpp"
#include "data/formats/dense_columns.hpp"
#include "data/formats/sparse_columns.hpp"

namespace strads::data {

template <class T>
const std::byte* bytes_of(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

/// Columns that are used where they lie, `column_stride` bytes from one to the next.
inline void use_dense(const std::byte* values, Storage storage, std::uint64_t rows, std::uint64_t columns,
                      std::uint64_t column_stride, DatasetParts& parts) {
  parts.columns.storage = storage;
  parts.columns.rows = rows;
  parts.columns.columns = static_cast<VarId>(columns);
  parts.columns.values = values;
  parts.columns.column_stride = column_stride;
}

template <class T>
void take_dense(std::vector<T> values, Storage storage, std::uint64_t rows, std::uint64_t columns,
                DatasetParts& parts) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  use_dense(bytes_of(*owner), storage, rows, columns, rows * sizeof(T), parts);
  parts.owners.push_back(owner);
}

/// What copy_columns() gave for an array of this storage.
void take_copied(CopiedColumns copied, Storage storage, std::uint64_t rows, std::uint64_t columns, DatasetParts& parts);

void take_sparse(SparseColumns columns, std::uint64_t rows, DatasetParts& parts);

}  // namespace strads::data
