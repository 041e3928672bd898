// Where programs take long vectors from. The system fills each page of new memory with zeros when it is first touched;
// where the host of a virtual machine takes part in that, 64 MB in small pages cost 50 ms, in large ones 9 ms. A fit
// whose solve takes a tenth of a second asks for as much.
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "program/process/large_arrays.hpp"

namespace strads {

void* take_array(std::size_t bytes) {
  // A last page that is at least half full is a large one, too.
  const std::size_t large = (bytes + kLargePage / 2) / kLargePage * kLargePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, large > 0 ? kLargePage : kCacheLine, std::max(bytes, large)) != 0) throw std::bad_alloc();
  // A hint: where it is not followed, the array lies in small pages and is read more slowly.
  if (large > 0) (void)madvise(memory, large, MADV_HUGEPAGE);
  return memory;
}

}  // namespace strads

// Sanitizers have operators of their own, which know more about what they handed out.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRADS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define STRADS_SANITIZED
#endif
#endif

#ifndef STRADS_SANITIZED
// Replaced for the whole program: std::vector asks here. Memory of both branches goes back by free().
void* operator new(std::size_t bytes) {
  if (bytes >= strads::kLargePage / 2) return strads::take_array(bytes);
  for (;;) {
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}
#endif
