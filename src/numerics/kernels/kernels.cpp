#include "numerics/kernels/kernels.hpp"

#include <atomic>
#include <string>

#include "strads/numerics/columns.hpp"

// Three levels on x86, or NEON; newer AVX-512 subsets would be further targets with bits of their own. Highway also
// needs its portable fallback.
#define HWY_DISABLED_TARGETS (~(HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/kernels/kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/kernels/dense_kernels-inl.hpp"
#include "numerics/kernels/dosage_kernels-inl.hpp"
#include "numerics/kernels/genotype_kernels-inl.hpp"
#include "numerics/kernels/gram_kernels-inl.hpp"
#include "numerics/kernels/logistic_kernels-inl.hpp"
#include "numerics/kernels/poisson_kernels-inl.hpp"
#include "numerics/kernels/quantised_kernels.hpp"
#include "numerics/kernels/simd_targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {

extern const Kernels kTable;
const Kernels kTable = {
    STRADS_TARGET_NAME,
    &sum,
    &dot,
    &axpy,
    &dense_dot<float>,
    &dense_dot<double>,
    &dense_dot<std::int8_t>,
    &dense_dot<std::uint8_t>,
    &dense_add<float>,
    &dense_add<double>,
    &dense_add<std::int8_t>,
    &dense_add<std::uint8_t>,
    &dense_pair<float>,
    &dense_pair<double>,
    &dense_pair<std::int8_t>,
    &dense_pair<std::uint8_t>,
    &dosage_dot,
    &dosage_add,
    &dosage_pair,
    &genotype_dot,
    &genotype_add,
    &genotype_counts,
    &genotype_pair,
    &genotype_planes,
    &genotype_plane_pair,
    &gram_add,
    &gram_entry,
    {{&logistic_terms, &logistic_change, &logistic_divergence}, {&poisson_terms, &poisson_change, &poisson_divergence}},
};

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strads {
namespace {

struct Level {
  Simd simd;
  std::int64_t target;  ///< Highway's bit
  const Kernels* table;
};

/// What this build holds, best first. The last entry is what any CPU of the build's baseline runs.
constexpr Level kLevels[] = {
#if HWY_TARGETS & HWY_AVX3
    {Simd::avx512, HWY_AVX3, &N_AVX3::kTable},
#endif
#if HWY_TARGETS & HWY_AVX2
    {Simd::avx2, HWY_AVX2, &N_AVX2::kTable},
#endif
#if HWY_TARGETS & HWY_SSE4
    {Simd::sse4, HWY_SSE4, &N_SSE4::kTable},
#endif
    {Simd::automatic, 0, &HWY_NAMESPACE::kTable},
};

#if HWY_TARGETS & HWY_AVX3
/// The table of AVX-512, with counting instructions where the CPU has them: Highway 1.0 knows them under a target that
/// would make all other bits new ones. Counts are whole numbers and the same.
const Kernels* avx512_table() {
  static const Kernels table = [] {
    Kernels result = N_AVX3::kTable;
    if (wide_genotype_counts() != nullptr) result.genotype_counts = wide_genotype_counts();
    if (wide_genotype_plane_pair() != nullptr) result.genotype_plane_pair = wide_genotype_plane_pair();
    return result;
  }();
  return &table;
}
#endif

/// First level that the CPU has and that is `wanted` (automatic: any); nullptr when there is none.
const Kernels* find(Simd wanted) {
  for (const Level& level : kLevels) {
    const bool runs = level.target == 0 || (hwy::SupportedTargets() & level.target) != 0;
    if (!runs || (wanted != Simd::automatic && wanted != level.simd)) continue;
#if HWY_TARGETS & HWY_AVX3
    if (level.simd == Simd::avx512) return avx512_table();
#endif
    return level.table;
  }
  return nullptr;
}

std::atomic<const Kernels*>& chosen() {
  static std::atomic<const Kernels*> table{find(Simd::automatic)};
  return table;
}

std::string_view name_of(Simd simd) {
  switch (simd) {
    case Simd::sse4:
      return "sse4";
    case Simd::avx2:
      return "avx2";
    case Simd::avx512:
      return "avx512";
    case Simd::automatic:
      break;
  }
  return "automatic";
}

}  // namespace

const Kernels& kernels() {
  return *chosen().load(std::memory_order_acquire);
}

Status choose_simd(Simd wanted) {
  const Kernels* const table = find(wanted);
  if (table == nullptr) {
    return Status::usage("--simd " + std::string(name_of(wanted)) + ": this CPU has at most " +
                         find(Simd::automatic)->name + "; choose that, a lower level, or automatic");
  }
  chosen().store(table, std::memory_order_release);
  return {};
}

std::string_view simd_name() {
  return kernels().name;
}

}  // namespace strads
#endif  // HWY_ONCE
