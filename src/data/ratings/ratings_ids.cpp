#include "data/ratings/ratings_ids.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "strads/base/hash.hpp"

namespace strads::data {

namespace {

static_assert(std::endian::native == std::endian::little, "short ids lie in words, first byte lowest");

constexpr int kOffsetBits = 47;
constexpr std::size_t kShards = 64;

std::uint64_t hash_of(std::string_view id) {
  return xxh3(std::as_bytes(std::span(id.data(), id.size())));
}

std::uint64_t key_behind(const std::uint64_t& reference, std::string_view text) {
  return reference < kLongId ? reference : id_key(id_text(reference, text));
}

std::size_t shard_of(std::uint64_t key) {
  return scrambled(key) >> 58;
}

class Names final : public IdTable {
 public:
  Names(std::string bytes, std::vector<std::uint64_t> starts) : bytes_(std::move(bytes)), starts_(std::move(starts)) {}

  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(starts_.size() - 1); }
  [[nodiscard]] std::string_view name(std::uint32_t index) const override {
    return std::string_view(bytes_).substr(starts_[index], starts_[index + 1] - starts_[index]);
  }
  [[nodiscard]] std::uint32_t find(std::string_view name_wanted) const override {
    std::call_once(indexed_, [this] { build_index(); });
    const std::uint64_t hash = hash_of(name_wanted);
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      if (slots_[slot] == 0) return size();
      if ((slots_[slot] ^ hash) >> 32 != 0) continue;
      const auto index = static_cast<std::uint32_t>(slots_[slot]) - 1;
      if (name(index) == name_wanted) return index;
    }
  }

 private:
  // A slot is the upper half of the hash and, below, the number plus one.
  void build_index() const {
    slots_.assign(std::bit_ceil(2 * std::size_t{size()} + 1), 0);
    mask_ = slots_.size() - 1;
    for (std::uint32_t index = 0; index < size(); ++index) {
      const std::uint64_t hash = hash_of(name(index));
      std::size_t slot = hash & mask_;
      while (slots_[slot] != 0) slot = (slot + 1) & mask_;
      slots_[slot] = (hash >> 32 << 32) | (std::uint64_t{index} + 1);
    }
  }

  std::string bytes_;
  std::vector<std::uint64_t> starts_;  // size() + 1 offsets
  mutable std::once_flag indexed_;
  mutable std::vector<std::uint64_t> slots_;
  mutable std::size_t mask_ = 0;
};

// Where an id is seen first.
struct First {
  std::uint32_t piece;
  std::uint32_t local;
};

class Merger {
 public:
  Merger(std::span<const std::vector<std::uint64_t>> references, std::string_view text, Chunks& chunks)
      : references_(references),
        text_(text),
        chunks_(chunks),
        numbers_(references.size()),
        is_first_(references.size()),
        dealt_(references.size()),
        bases_(references.size() + 1),
        firsts_(kShards) {}

  MergedIds run() {
    chunks_.for_each(references_.size(), [&](std::size_t piece) { deal(piece); });
    chunks_.for_each(kShards, [&](std::size_t shard) { number_in(shard); });
    chunks_.for_each(references_.size(), [&](std::size_t piece) { count_firsts(piece); });
    for (std::size_t piece = 0; piece < references_.size(); ++piece) bases_[piece + 1] += bases_[piece];
    if (bases_.back() > std::numeric_limits<std::uint32_t>::max() - 1) return {};
    chunks_.for_each(references_.size(), [&](std::size_t piece) { number_firsts(piece); });
    chunks_.for_each(kShards, [&](std::size_t shard) { number_others(shard); });
    return {names(), std::move(numbers_)};
  }

 private:
  // The local numbers of one piece, shard by shard.
  struct Dealt {
    std::vector<std::uint32_t> locals;
    std::uint32_t starts[kShards + 1] = {};
  };

  void deal(std::size_t piece) {
    const auto& references = references_[piece];
    Dealt& dealt = dealt_[piece];
    numbers_[piece].resize(references.size());
    is_first_[piece].resize(references.size());
    dealt.locals.resize(references.size());
    auto& shard_of_local = numbers_[piece];  // kept there for the second loop only
    for (std::size_t local = 0; local < references.size(); ++local) {
      shard_of_local[local] = static_cast<std::uint32_t>(shard_of(key_behind(references[local], text_)));
      ++dealt.starts[shard_of_local[local] + 1];
    }
    for (std::size_t shard = 0; shard < kShards; ++shard) dealt.starts[shard + 1] += dealt.starts[shard];
    std::uint32_t next[kShards];
    std::memcpy(next, dealt.starts, sizeof next);
    for (std::size_t local = 0; local < references.size(); ++local) {
      dealt.locals[next[shard_of_local[local]]++] = static_cast<std::uint32_t>(local);
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> dealt(std::size_t piece, std::size_t shard) const {
    const Dealt& dealt = dealt_[piece];
    return std::span(dealt.locals).subspan(dealt.starts[shard], dealt.starts[shard + 1] - dealt.starts[shard]);
  }

  // Numbers within the shard, in numbers_ for now.
  void number_in(std::size_t shard) {
    IdNumbers ids(text_);
    for (std::size_t piece = 0; piece < references_.size(); ++piece) {
      for (const std::uint32_t local : dealt(piece, shard)) {
        const std::uint64_t& reference = references_[piece][local];
        const std::uint32_t number = ids.number(key_behind(reference, text_), reference);
        numbers_[piece][local] = number;
        if (number < firsts_[shard].size()) continue;
        firsts_[shard].push_back({static_cast<std::uint32_t>(piece), local});
        is_first_[piece][local] = 1;
      }
    }
  }

  void count_firsts(std::size_t piece) {
    for (const std::uint8_t first : is_first_[piece]) bases_[piece + 1] += first;
  }

  void number_firsts(std::size_t piece) {
    auto next = static_cast<std::uint32_t>(bases_[piece]);
    for (std::size_t local = 0; local < numbers_[piece].size(); ++local) {
      if (is_first_[piece][local] != 0) numbers_[piece][local] = next++;
    }
  }

  void number_others(std::size_t shard) {
    for (std::size_t piece = 0; piece < references_.size(); ++piece) {
      for (const std::uint32_t local : dealt(piece, shard)) {
        if (is_first_[piece][local] != 0) continue;
        const First first = firsts_[shard][numbers_[piece][local]];
        numbers_[piece][local] = numbers_[first.piece][first.local];
      }
    }
  }

  [[nodiscard]] std::shared_ptr<const IdTable> names() const {
    std::string bytes;
    std::vector<std::uint64_t> starts;
    starts.reserve(bases_.back() + 1);
    starts.push_back(0);
    for (std::size_t piece = 0; piece < references_.size(); ++piece) {
      for (std::size_t local = 0; local < is_first_[piece].size(); ++local) {
        if (is_first_[piece][local] == 0) continue;
        bytes.append(id_text(references_[piece][local], text_));
        starts.push_back(bytes.size());
      }
    }
    bytes.shrink_to_fit();
    return make_id_table(std::move(bytes), std::move(starts));
  }

  std::span<const std::vector<std::uint64_t>> references_;
  std::string_view text_;
  Chunks& chunks_;
  std::vector<std::vector<std::uint32_t>> numbers_;
  std::vector<std::vector<std::uint8_t>> is_first_;  // [piece][local]: no earlier piece has this id
  std::vector<Dealt> dealt_;
  std::vector<std::uint64_t> bases_;        // first new number of each piece, and the count of all
  std::vector<std::vector<First>> firsts_;  // [shard][number within it]
};

}  // namespace

std::uint64_t id_key(std::string_view id) {
  if (id.size() > kShortIdBytes) return kLongId | (hash_of(id) >> 1);
  std::uint64_t key = 0;
  std::memcpy(&key, id.data(), id.size());
  return key | (std::uint64_t{id.size()} << 56);
}

std::uint64_t id_reference(std::string_view id, std::string_view text) {
  if (id.size() <= kShortIdBytes) return id_key(id);
  return kLongId | (std::uint64_t{id.size()} << kOffsetBits) | static_cast<std::uint64_t>(id.data() - text.data());
}

std::string_view id_text(const std::uint64_t& reference, std::string_view text) {
  if (reference < kLongId) return {reinterpret_cast<const char*>(&reference), reference >> 56};
  const std::uint64_t size = (reference & ~kLongId) >> kOffsetBits;
  return text.substr(reference & ((std::uint64_t{1} << kOffsetBits) - 1), size);
}

std::vector<std::uint64_t> IdNumbers::release_references() {
  slots_ = std::vector<Slot>(kSlotsMin);
  std::vector<std::uint64_t> out(references_.begin(), references_.end());  // without the slack
  references_ = std::vector<std::uint64_t>();                              // "= {}" would keep the memory
  return out;
}

bool IdNumbers::same_text(std::uint32_t number, std::uint64_t reference) const {
  return id_text(references_[number], text_) == id_text(reference, text_);
}

std::uint32_t IdNumbers::insert(std::size_t slot, std::uint64_t key, std::uint64_t reference) {
  const auto number = static_cast<std::uint32_t>(references_.size());
  slots_[slot] = {key, number};
  references_.push_back(reference);
  if (2 * references_.size() > slots_.size()) grow();
  return number;
}

void IdNumbers::grow() {
  std::vector<Slot> old(4 * slots_.size());  // moving all is what costs
  old.swap(slots_);
  for (const Slot& entry : old) {
    if (entry.key == 0) continue;
    std::size_t slot = place(entry.key);
    while (slots_[slot].key != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = entry;
  }
}

std::shared_ptr<const IdTable> make_id_table(std::string bytes, std::vector<std::uint64_t> starts) {
  return std::make_shared<const Names>(std::move(bytes), std::move(starts));
}

MergedIds merge_ids(std::span<const std::vector<std::uint64_t>> references, std::string_view text, Chunks& chunks) {
  return Merger(references, text, chunks).run();
}

}  // namespace strads::data
