// What nodes compare before a run. The only file of this layer that knows xxHash.
#include <xxhash.h>

#include <span>

#include "data/loaded_dataset.hpp"

namespace strads::data {

namespace {

// Chains hashes: each piece is hashed with the hash of all pieces before it as its seed, its length first, so that
// bytes cannot move from one piece to the next unnoticed.
class Chain {
 public:
  void number(std::uint64_t value) { hash_ = XXH3_64bits_withSeed(&value, sizeof value, hash_); }
  void bytes(const void* data, std::uint64_t size) {
    number(size);
    if (size > 0) hash_ = XXH3_64bits_withSeed(data, size, hash_);
  }
  template <class T>
  void list(std::span<const T> values) {
    bytes(values.data(), values.size_bytes());
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

void add_columns(const ColumnsView& columns, Chain& chain) {
  if (columns.storage != Storage::sparse_f32 && columns.storage != Storage::sparse_f64) {
    chain.bytes(columns.values, columns.columns * columns.column_stride);
    return;
  }
  const std::uint64_t value_bytes = columns.storage == Storage::sparse_f32 ? sizeof(float) : sizeof(double);
  chain.list(columns.starts);
  chain.list(columns.row_numbers);
  chain.bytes(columns.values, columns.row_numbers.size() * value_bytes);
}

}  // namespace

std::uint64_t fingerprint_of(const DatasetParts& parts) {
  Chain chain;
  chain.number(static_cast<std::uint64_t>(parts.columns.storage));
  chain.number(parts.columns.rows);
  chain.number(parts.columns.columns);
  add_columns(parts.columns, chain);
  chain.list(std::span<const std::uint32_t>(parts.dropped_rows));
  chain.list(std::span<const std::uint8_t>(parts.excluded));
  chain.list(std::span<const double>(parts.response));
  chain.number(parts.covariates.size());
  for (const auto& covariate : parts.covariates) chain.list(std::span<const double>(covariate));
  return chain.value();
}

}  // namespace strads::data
