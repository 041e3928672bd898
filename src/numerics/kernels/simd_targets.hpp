// The SIMD targets that kernels are compiled for, and how their tables are found. Layer: numerics. Private.
#pragma once

#include <cstddef>
#include <string_view>

// Name of HWY_TARGET, as --simd and simd_name() have it. A macro, since Highway's headers may come only after the
// targets of a file are chosen.
#define STRADS_TARGET_NAME             \
  (HWY_TARGET == HWY_AVX3   ? "avx512" \
   : HWY_TARGET == HWY_AVX2 ? "avx2"   \
   : HWY_TARGET == HWY_SSE4 ? "sse4"   \
   : HWY_TARGET == HWY_NEON ? "neon"   \
                            : "emulated")

namespace strads {

/// The table of the target that choose_simd() chose; the last one where it has none. Each has its target's name.
template <class Table, std::size_t kCount>
const Table& table_of(std::string_view target, const Table* const (&tables)[kCount]) {
  for (const Table* const table : tables) {
    if (target == table->name) return *table;
  }
  return *tables[kCount - 1];
}

}  // namespace strads
