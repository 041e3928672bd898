#include "data/datasets/take_columns.hpp"

namespace strads::data {

void take_copied(CopiedColumns copied, Storage storage, std::uint64_t rows, std::uint64_t columns,
                 DatasetParts& parts) {
  switch (storage) {
    case Storage::dense_f32:
      return take_dense(std::move(copied.f32), storage, rows, columns, parts);
    case Storage::dense_i8:
      return take_dense(std::move(copied.i8), storage, rows, columns, parts);
    case Storage::dense_u8:
      return take_dense(std::move(copied.u8), storage, rows, columns, parts);
    default:
      return take_dense(std::move(copied.f64), storage, rows, columns, parts);
  }
}

void take_sparse(SparseColumns columns, std::uint64_t rows, DatasetParts& parts) {
  const auto owner = std::make_shared<const SparseColumns>(std::move(columns));
  const bool single = owner->f64.empty();
  parts.columns.storage = single ? Storage::sparse_f32 : Storage::sparse_f64;
  parts.columns.rows = rows;
  parts.columns.columns = static_cast<VarId>(owner->starts.size() - 1);
  parts.columns.values = single ? bytes_of(owner->f32) : bytes_of(owner->f64);
  parts.columns.starts = owner->starts;
  parts.columns.row_numbers = owner->rows;
  parts.missing_imputed = owner->missing_imputed;
  parts.owners.push_back(owner);
}

}  // namespace strads::data
