#include "data/files/mapped_ranges.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace strads::data {

namespace {

constexpr std::size_t kRangesMax = 1024;
constexpr std::uintptr_t kFree = 0, kTaken = 1;  ///< no mapping begins there

/// One mapping. `begin` is written last and read first.
struct RangeSlot {
  std::atomic<std::uintptr_t> begin = kFree;
  std::atomic<std::uint64_t> size = 0;
  std::atomic<const char*> path = nullptr;
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::atomic<const char*>::is_always_lock_free,
              "a signal handler may not take a lock");

/// Constant initialisation: there before anybody maps, and never destroyed.
constinit std::array<RangeSlot, kRangesMax> range_slots{};

}  // namespace

void note_mapped_range(const MappedRange& range) {
  for (RangeSlot& slot : range_slots) {
    std::uintptr_t expected = kFree;
    if (!slot.begin.compare_exchange_strong(expected, kTaken)) continue;
    slot.size = range.size;
    slot.path = range.path;
    slot.begin = range.begin;
    return;
  }
}

void forget_mapped_range(std::uintptr_t begin) {
  for (RangeSlot& slot : range_slots) {
    if (slot.begin != begin) continue;
    slot.begin = kFree;
    return;
  }
}

std::optional<MappedRange> mapped_range_at(std::uintptr_t address) noexcept {
  for (const RangeSlot& slot : range_slots) {
    const std::uintptr_t begin = slot.begin;
    if (begin == kFree || begin == kTaken || address < begin) continue;
    const MappedRange range{begin, slot.size, slot.path};
    // Unchanged, so that all three are of one mapping: that of an address that is being read does not go.
    if (address - begin < range.size && slot.begin == begin) return range;
  }
  return std::nullopt;
}

}  // namespace strads::data
