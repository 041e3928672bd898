// Where programs take long arrays from: large pages, and the memory of arrays of the same size that are gone. Random
// reads of factors find their addresses in fewer table entries of the processor; and the pages of a version, as long as
// those of the version before the last, are not filled with zeros by the system time and again.
#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

#include "program/process/large_arrays.hpp"
#include "strads/base/payload.hpp"
#include "strads/program/float_memory.hpp"
#include "strads/program/program.hpp"

namespace strads {
namespace {

constexpr std::size_t kKept = std::size_t{128} << 10;  ///< shorter arrays are malloc's own business

/// Up to a sixteenth longer: pages of one side differ by a few records, and the next one shall fit where another was.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::max<std::size_t>(1, std::bit_floor(bytes) / 16);
  return (bytes + step - 1) / step * step;
}

/// Arrays that were given back. Thread-safe.
class Kept {
 public:
  /// The shortest one that is long enough, if at most a quarter of it is too much.
  void* allocate(std::size_t bytes) {
    std::multimap<std::size_t, void*> outdated;
    {
      const std::lock_guard lock(mutex_);
      const auto found = by_size_.lower_bound(bytes);
      if (found != by_size_.end() && found->first <= bytes + bytes / 4) {
        const auto [size, memory] = *found;
        by_size_.erase(found);
        kept_ -= size;
        used_ += size;
        sizes_.emplace(memory, size);
        return memory;
      }
      // A new length, and far more is kept than used: that is of an earlier part of the program.
      if (kept_ > 2 * used_) {
        outdated.swap(by_size_);
        kept_ = 0;
      }
    }
    for (const auto& [size, memory] : outdated) std::free(memory);
    void* const memory = take_array(bytes);
    const std::lock_guard lock(mutex_);
    used_ += bytes;
    sizes_.emplace(memory, bytes);
    return memory;
  }
  void keep(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(memory);
    const std::size_t size = found->second;
    sizes_.erase(found);
    by_size_.emplace(size, memory);
    used_ -= size;
    kept_ += size;
  }
  void give_back() {
    std::multimap<std::size_t, void*> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(by_size_);
      kept_ = 0;
    }
    for (const auto& [size, memory] : all) std::free(memory);
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, void*> by_size_;
  std::unordered_map<void*, std::size_t> sizes_;  ///< of those in use
  std::size_t used_ = 0, kept_ = 0;               ///< bytes
};

/// Never destroyed: arrays may outlive the objects of this file.
Kept& kept() {
  static Kept* const kept = new Kept;
  return *kept;
}

void* allocate(std::size_t bytes) {
  return bytes < kKept ? take_array(bytes) : kept().allocate(rounded(bytes));
}

void give(void* memory, std::size_t bytes) {
  bytes < kKept ? std::free(memory) : kept().keep(memory);
}

}  // namespace

void use_large_pages() {
  use_float_memory({allocate, give});
  // Long vectors go back to the system when they are freed; by default the limit would grow with the first of them.
  (void)mallopt(M_MMAP_THRESHOLD, static_cast<int>(kKept));
}

void give_back_floats() {
  kept().give_back();
}

}  // namespace strads
