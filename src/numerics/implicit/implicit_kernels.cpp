#include "numerics/implicit/implicit_kernels.hpp"

#include "numerics/kernels/kernels.hpp"
#include "numerics/kernels/simd_targets.hpp"

// The targets of kernels.cpp, which says which one is chosen.
#define HWY_DISABLED_TARGETS (~(HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/implicit/implicit_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/implicit/implicit_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::implicit {

extern const ImplicitKernels kTable;
const ImplicitKernels kTable = {STRADS_TARGET_NAME, &product, &inner, &dots, &add_panels, &fetch, &dot, &add};

}  // namespace strads::HWY_NAMESPACE::implicit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strads {
namespace {

constexpr const ImplicitKernels* kImplicitTables[] = {
#if HWY_TARGETS & HWY_AVX3
    &N_AVX3::implicit::kTable,
#endif
#if HWY_TARGETS & HWY_AVX2
    &N_AVX2::implicit::kTable,
#endif
#if HWY_TARGETS & HWY_SSE4
    &N_SSE4::implicit::kTable,
#endif
    &HWY_NAMESPACE::implicit::kTable,
};

}  // namespace

const ImplicitKernels& implicit_kernels() {
  return table_of(kernels().name, kImplicitTables);
}

}  // namespace strads
#endif  // HWY_ONCE
