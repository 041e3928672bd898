// Large pages for long arrays: random reads of factors find their addresses in fewer table entries of the processor.
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "strads/payload.hpp"
#include "strads/run.hpp"

namespace strads {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;

void* take(std::size_t bytes) {
  const bool large = bytes >= kLargePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? kLargePage : kCacheLine, bytes) != 0) throw std::bad_alloc();
  // A hint: where it is not followed, the array lies in small pages and is read more slowly.
  if (large) (void)madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
  return memory;
}

void give(void* memory, std::size_t) {
  std::free(memory);
}

}  // namespace

void use_large_pages() {
  use_float_memory({take, give});
}

}  // namespace strads
