// What nodes compare before a run. The only file of this layer that knows xxHash.
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <span>

#include "data/datasets/loaded_dataset.hpp"

namespace strads::data {

namespace {

// Of a mapped file so many bytes are read before their pages are given back.
constexpr std::uint64_t kHashedAtOnce = std::uint64_t{1} << 22;

// Before offsets: the same numbers as weights are something else.
constexpr std::uint64_t kOffsetsFollow = 0x6f66667365740000;  // "offset"

// Chains hashes: each list is hashed with the hash of all lists before it as its seed, its length first, so that
// bytes cannot move from one list to the next unnoticed.
class Chain {
 public:
  void number(std::uint64_t value) { hash_ = XXH3_64bits_withSeed(&value, sizeof value, hash_); }
  void bytes(const void* data, std::uint64_t size) {
    number(size);
    if (size > 0) hash_ = XXH3_64bits_withSeed(data, size, hash_);
  }
  // The same hash as bytes(), read piece by piece from `file`, whose pages are given back.
  void mapped_bytes(const MappedFile& file, std::uint64_t offset, std::uint64_t size) {
    number(size);
    if (size == 0) return;
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
    STRADS_CHECK(state != nullptr, "there is memory for the state of a hash");
    XXH3_64bits_reset_withSeed(state.get(), hash_);
    const std::uint64_t end = offset + size;
    for (std::uint64_t begin = offset; begin < end;) {
      // Pieces end where pages of the file do: no page is touched again after it was given back.
      const std::uint64_t next = std::min(end, (begin / kHashedAtOnce + 1) * kHashedAtOnce);
      if (begin == offset) file.expect(begin, next);
      file.expect(next, std::min(end, next + kHashedAtOnce));
      XXH3_64bits_update(state.get(), file.bytes().data() + begin, next - begin);
      file.release(begin / kHashedAtOnce * kHashedAtOnce, next == end ? file.bytes().size() : next);
      begin = next;
    }
    hash_ = XXH3_64bits_digest(state.get());
  }
  template <class T>
  void list(std::span<const T> values) {
    bytes(values.data(), values.size_bytes());
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

void add_columns(const DatasetParts& parts, Chain& chain) {
  const ColumnsView& columns = parts.columns;
  if (columns.storage != Storage::sparse_f32 && columns.storage != Storage::sparse_f64) {
    const std::uint64_t size = columns.columns * columns.column_stride;
    if (parts.mapped == nullptr) return chain.bytes(columns.values, size);
    parts.mapped->use_small_pages();  // who compares data is one of several processes, and needs a part of them
    const auto* const file = reinterpret_cast<const std::byte*>(parts.mapped->bytes().data());
    return chain.mapped_bytes(*parts.mapped, static_cast<std::uint64_t>(columns.values - file), size);
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
  add_columns(parts, chain);
  chain.list(std::span<const std::uint32_t>(parts.dropped_rows));
  chain.list(std::span<const std::uint8_t>(parts.excluded));
  chain.list(std::span<const double>(parts.response));
  chain.number(parts.covariates.size());
  for (const auto& covariate : parts.covariates) chain.list(std::span<const double>(covariate));
  if (!parts.penalty_factors.empty()) chain.list(std::span<const double>(parts.penalty_factors));
  if (!parts.weights.empty()) chain.list(std::span<const double>(parts.weights));
  if (!parts.offset.empty()) {
    chain.number(kOffsetsFollow);
    chain.list(std::span<const double>(parts.offset));
  }
  return chain.value();
}

}  // namespace strads::data
