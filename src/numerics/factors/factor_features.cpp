// ccd: the paper's eqs. (4), (5) on blocks of ratings, and the dispatch of its kernels.
#include "numerics/factors/factor_features_kernels.hpp"
#include "numerics/kernels/kernels.hpp"
#include "numerics/kernels/simd_targets.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/factorization.hpp"

// The targets of kernels.cpp, which says which one is chosen.
#define HWY_DISABLED_TARGETS (~(HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/factors/factor_features.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/factors/factor_features-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::features {

extern const FeatureKernels kTable;
const FeatureKernels kTable = {STRADS_TARGET_NAME, &start, &move, &feature_sums};

}  // namespace strads::HWY_NAMESPACE::features
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strads {
namespace {

constexpr const FeatureKernels* kTables[] = {
#if HWY_TARGETS & HWY_AVX3
    &N_AVX3::features::kTable,
#endif
#if HWY_TARGETS & HWY_AVX2
    &N_AVX2::features::kTable,
#endif
#if HWY_TARGETS & HWY_SSE4
    &N_SSE4::features::kTable,
#endif
    &HWY_NAMESPACE::features::kTable,
};

/// The table of the target that choose_simd chose for the model layer.
const FeatureKernels& feature_kernels() {
  return table_of(kernels().name, kTables);
}

FeatureRows pointers(const RatingRows& rows) {
  return {.begins = rows.begins.data(),
          .rows = rows.rows(),
          .slots = rows.slots.wide(),
          .codes = rows.codes.empty() ? nullptr : rows.codes.data(),
          .levels = rows.levels,
          .values = rows.values.empty() ? nullptr : rows.values.data()};
}

/// Multiplications and additions of one rating in sums().
constexpr std::uint64_t kSumFlops = 10;

}  // namespace

void start_residual(const RatingRows& rows, std::span<const float* const> row_features,
                    std::span<const FeaturePages> column_features, float mean, std::span<float> residual) {
  STRADS_CHECK(row_features.size() == column_features.size(), "a feature has two sides");
  STRADS_CHECK(residual.size() >= rows.begins.back(), "a residual for every rating");
  feature_kernels().start(pointers(rows), row_features.data(), column_features.data(), row_features.size(), mean,
                          residual.data());
}

void move_residual(const RatingRows& rows, const float* old_row, const float* new_row, const FeaturePages& old_column,
                   const FeaturePages& new_column, std::span<float> residual) {
  STRADS_CHECK(residual.size() >= rows.begins.back(), "a residual for every rating");
  feature_kernels().move(pointers(rows), old_row, new_row, old_column, new_column, residual.data());
}

void update_feature(const RatingRows& rows, const float* old_row, const FeaturePages& old_column, const FeaturePages& h,
                    bool fixed_column, const FeatureProblem& problem, std::span<const float> residual, float* new_row,
                    RowSums& sums) {
  STRADS_CHECK(residual.size() >= rows.begins.back(), "a residual for every rating");
  const FeatureKernels& table = feature_kernels();
  const FeaturePages ones;
  const FeaturePages& old_feature = fixed_column ? ones : old_column;
  const FeaturePages& feature = fixed_column ? ones : h.pages != nullptr ? h : old_column;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::uint64_t begin = rows.begins[i], count = rows.begins[i + 1] - begin;
    new_row[i] = 0;
    if (count == 0) continue;
    FeatureSums row{};
    table.sums(rows.slots.wide() + begin, count, old_row[i], old_feature, feature, residual.data() + begin, row);
    const double penalty = problem.weighted ? problem.lambda * static_cast<double>(count) : problem.lambda;
    const double divisor = penalty + row.squares;
    if (divisor > 0) new_row[i] = static_cast<float>(row.target / divisor);
    // With w in place of the row's feature, and h in place of the other side's.
    const auto error_with = [&row](double w) { return row.without - 2 * w * row.target + w * w * row.squares; };
    sums.error_before += error_with(static_cast<double>(old_row[i]));
    sums.error_after += error_with(static_cast<double>(new_row[i]));
  }
  sums.flops += kSumFlops * rows.ratings();
}

}  // namespace strads
#endif  // HWY_ONCE
