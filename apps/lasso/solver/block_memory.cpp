#include "lasso/solver/block_memory.hpp"

#include <malloc.h>

namespace strads::lasso {

void keep_block_memory() {
  constexpr int kLargest = 4 << 20;  // with more, memory grows by a tenth and a fit is no faster
  constexpr int kTop = 16 << 20;     // free memory at the end of the heap that stays
  (void)mallopt(M_MMAP_THRESHOLD, kLargest);
  (void)mallopt(M_TRIM_THRESHOLD, kTop);
}

}  // namespace strads::lasso
