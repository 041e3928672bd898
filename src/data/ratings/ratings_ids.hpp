// Ids of users and items while a file of ratings is read: local numbers of a piece, then one table. Layer: data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {

/// Longest id, bytes.
inline constexpr std::uint64_t kIdBytesMax = 65535;
/// Ids of up to so many bytes are their own key.
inline constexpr std::uint64_t kShortIdBytes = 7;
/// Marks keys and references of longer ids.
inline constexpr std::uint64_t kLongId = std::uint64_t{1} << 63;

/// A word that stands for an id in hash tables: up to 7 bytes are the bytes themselves (first byte lowest) with the
/// length in the top byte, hence equal exactly when the ids are; of longer ids it is kLongId and 63 bits of their
/// hash. Never 0. REQUIRES: 1 <= size <= kIdBytesMax.
[[nodiscard]] std::uint64_t id_key(std::string_view id);

/// A word from which id_text finds the id again: the key of short ones, else kLongId, length and offset in `text`.
/// REQUIRES: id lies in text, offset < 2^47.
[[nodiscard]] std::uint64_t id_reference(std::string_view id, std::string_view text);

/// The id behind a reference. Of short ids the view points into `reference`.
[[nodiscard]] std::string_view id_text(const std::uint64_t& reference, std::string_view text);

/// Scrambles a key. Its top six bits choose the shard in merge_ids, the ones below the slot of a table.
[[nodiscard]] constexpr std::uint64_t scrambled(std::uint64_t key) {
  key *= 0x9e3779b97f4a7c15U;
  key ^= key >> 32;
  return key * 0xd6e8feb86659fd93U;
}

/// Numbers ids in the order in which they come. Open addressing, 16 bytes a slot, at most half full.
class IdNumbers {
 public:
  /// text: where long ids lie; must outlive this object.
  explicit IdNumbers(std::string_view text) : text_(text), slots_(kSlotsMin) {}

  /// Asks for the cache line that number() will read.
  void prefetch(std::uint64_t key) const noexcept { __builtin_prefetch(&slots_[place(key)]); }

  /// The number of an id; a new one gets the next number. REQUIRES: fewer than 2^32 - 1 ids.
  std::uint32_t number(std::uint64_t key, std::uint64_t reference) {
    for (std::size_t slot = place(key);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].key == key && (key < kLongId || same_text(slots_[slot].number, reference))) {
        return slots_[slot].number;
      }
      if (slots_[slot].key == 0) return insert(slot, key, reference);
    }
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return references_.size(); }
  /// References in the order of the numbers; the object is empty afterwards.
  [[nodiscard]] std::vector<std::uint64_t> release_references();

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: free
    std::uint32_t number = 0;
  };
  static constexpr std::size_t kSlotsMin = 256;

  [[nodiscard]] std::size_t place(std::uint64_t key) const noexcept {
    return (scrambled(key) >> 20) & (slots_.size() - 1);
  }
  [[nodiscard]] bool same_text(std::uint32_t number, std::uint64_t reference) const;
  std::uint32_t insert(std::size_t slot, std::uint64_t key, std::uint64_t reference);
  void grow();

  std::string_view text_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> references_;
};

/// Names one after the other in one block; the index for find() is built when it is first needed.
std::shared_ptr<const IdTable> make_id_table(std::string bytes, std::vector<std::uint64_t> starts);

/// One numbering for the ids of all pieces.
struct MergedIds {
  std::shared_ptr<const IdTable> table;
  std::vector<std::vector<std::uint32_t>> numbers;  ///< [piece][local number] -> number in the table
};

/// Merges local id tables: the numbers follow the first appearance, pieces one after the other. The work is cut by
/// hash into 64 shards, so that it is parallel and each table stays in the cache; the result knows nothing of that.
///   references: [piece][local number]
///   text:       where long ids lie
/// Returns a null table when there are more than 2^32 - 2 ids. Cost: about 20 ns an entry of `references`.
MergedIds merge_ids(std::span<const std::vector<std::uint64_t>> references, std::string_view text, Chunks& chunks);

}  // namespace strads::data
