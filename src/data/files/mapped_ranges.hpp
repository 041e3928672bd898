// Which mapped file an address lies in: asked by a signal handler when a page of it cannot be read. Layer: data.
#pragma once

#include <cstdint>
#include <optional>

namespace strads::data {

/// A file as it was when it was mapped.
struct MappedRange {
  std::uintptr_t begin = 0;
  std::uint64_t size = 0;
  const char* path = nullptr;  ///< valid until forget_mapped_range()
};

/// Notes a mapping. Thread-safe, without locks. At most 1,024 are known at a time; what comes beyond is not noted.
void note_mapped_range(const MappedRange& range);
/// Call before the mapping goes.
void forget_mapped_range(std::uintptr_t begin);
/// The mapping that `address` lies in; nothing: none that was noted. May be called in a signal handler.
[[nodiscard]] std::optional<MappedRange> mapped_range_at(std::uintptr_t address) noexcept;

}  // namespace strads::data
