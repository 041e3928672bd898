// sgd on one cell of the grid, and the dispatch of its kernel.
#include <cstdint>
#include <cstring>

#include "numerics/factors/factor_sgd_kernels.hpp"
#include "numerics/kernels/kernels.hpp"
#include "numerics/kernels/simd_targets.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/factorization.hpp"

// The targets of kernels.cpp, which says which one is chosen.
#define HWY_DISABLED_TARGETS (~(HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/factors/factor_sgd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/factors/factor_sgd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::sgd {

extern const SgdKernels kTable;
const SgdKernels kTable = {STRADS_TARGET_NAME, &any_pass};

}  // namespace strads::HWY_NAMESPACE::sgd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strads {
namespace {

constexpr const SgdKernels* kTables[] = {
#if HWY_TARGETS & HWY_AVX3
    &N_AVX3::sgd::kTable,
#endif
#if HWY_TARGETS & HWY_AVX2
    &N_AVX2::sgd::kTable,
#endif
#if HWY_TARGETS & HWY_SSE4
    &N_SSE4::sgd::kTable,
#endif
    &HWY_NAMESPACE::sgd::kTable,
};

/// The table of the target that choose_simd chose for the model layer.
const SgdKernels& sgd_kernels() {
  return table_of(kernels().name, kTables);
}

constexpr std::uint32_t kSlowFactors = 8;

}  // namespace

double sgd_cell(const CellRatings& cell, const SgdProblem& problem, float* row_page, float* column_page) {
  STRADS_CHECK(cell.rows.size() == cell.columns.size(), "a rating has a row and a column");
  STRADS_CHECK((cell.rows.narrow() == nullptr) == (cell.columns.narrow() == nullptr), "rows and columns are alike");
  STRADS_CHECK(cell.codes.size() + cell.values.size() == cell.rows.size(), "a rating has one value");
  const std::uint32_t slow = problem.rank < kSlowFactors ? problem.rank : kSlowFactors;
  const bool fast = problem.rank > slow && !problem.slow_only;
  const SgdCell arguments = {
      .rows = cell.rows.wide(),
      .columns = cell.columns.wide(),
      .narrow_rows = cell.rows.narrow(),
      .narrow_columns = cell.columns.narrow(),
      .codes = cell.codes.empty() ? nullptr : cell.codes.data(),
      .levels = cell.levels,
      .values = cell.values.data(),
      .ratings = cell.rows.size(),
      .stride = sgd_stride(problem.rank),
      .mean = problem.mean,
      .rate = problem.rate,
      .lambda_row = problem.lambda_row,
      .lambda_column = problem.lambda_column,
      .row_multipliers = problem.row_multipliers.empty() ? nullptr : problem.row_multipliers.data(),
      .column_multipliers = problem.column_multipliers.empty() ? nullptr : problem.column_multipliers.data(),
      .shares = {0, problem.bias ? 1.0F : 0.0F, 1.0F / static_cast<float>(slow),
                 fast ? 1.0F / static_cast<float>(problem.rank - slow) : 0.0F},
      .steps = {0, problem.bias ? 1.0F : 0.0F, 1, fast ? 1.0F : 0.0F},
  };
  return sgd_kernels().pass(arguments, row_page, column_page);
}

bool sgd_stays_finite(std::span<const float> records, std::uint32_t rank) {
  const std::size_t stride = sgd_stride(rank);
  // An exponent of ones, NaN or infinity, and nothing else is carried into the place of the sign. Four at a time.
  constexpr std::uint32_t kExponent = 0x7f800000, kLowest = 0x00800000, kSign = 0x80000000;
  using Four = std::uint32_t __attribute__((vector_size(16)));
  Four seen{};
  for (std::size_t at = sgd_bias(rank); at < records.size(); at += stride) {
    Four bits;
    std::memcpy(&bits, records.data() + at, sizeof bits);
    seen |= (bits & kExponent) + kLowest;
  }
  return ((seen[0] | seen[1] | seen[2] | seen[3]) & kSign) == 0;
}

}  // namespace strads
#endif  // HWY_ONCE
