#include "numerics/factors/factor_kernels.hpp"

#include "numerics/kernels/kernels.hpp"
#include "numerics/kernels/simd_targets.hpp"

// The targets of kernels.cpp, which says which one is chosen.
#define HWY_DISABLED_TARGETS (~(HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/factors/factor_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/factors/factor_kernels_blocks-inl.hpp"
#include "numerics/factors/factor_kernels_panel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {

extern const FactorKernels kFactorTable;
const FactorKernels kFactorTable = {
    STRADS_TARGET_NAME, kFloatLanes, &update_panel, &add_panel_equations, &sum_equation_lanes, &record_dots,
};

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strads {
namespace {

constexpr const FactorKernels* kTables[] = {
#if HWY_TARGETS & HWY_AVX3
    &N_AVX3::kFactorTable,
#endif
#if HWY_TARGETS & HWY_AVX2
    &N_AVX2::kFactorTable,
#endif
#if HWY_TARGETS & HWY_SSE4
    &N_SSE4::kFactorTable,
#endif
    &HWY_NAMESPACE::kFactorTable,
};

}  // namespace

const FactorKernels& factor_kernels() {
  return table_of(kernels().name, kTables);
}

}  // namespace strads
#endif  // HWY_ONCE
