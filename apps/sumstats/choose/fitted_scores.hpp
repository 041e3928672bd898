// Solutions as models that other commands read.
#pragma once

#include <cstddef>

#include "regression/model_file.hpp"
#include "sumstats/load/summary_load.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// By what b is turned into effects of a copy.
enum class WeightScale : std::uint8_t {
  study,    ///< all by the study's own beta and se: its units
  mixed,    ///< those of which beta and se are unknown by the trait's sd that the others imply
  standard  ///< no beta is known: b / sd in the panel, in standard deviations of the trait
};
[[nodiscard]] WeightScale weight_scale_of(const LoadedSummary& loaded);
[[nodiscard]] const char* text_of(WeightScale scale);

/// Effect of a copy of the allele that the panel counts, for b = 1: sqrt(n se^2 + beta^2), which is sd of the trait by
/// sd of the variant in the study, or trait sd / panel sd.
[[nodiscard]] double effect_of(const LoadedSummary& loaded, std::size_t variant);

/// The solutions at points [from, to) of the grid. `mean` of a variant is twice its frequency in the study, where that
/// is known, else in the panel. Coefficients are as effect_of().
[[nodiscard]] lasso::FittedPath fitted_scores(const LoadedSummary& loaded, const Grid& grid,
                                              const SummarySolution& solution, std::size_t from, std::size_t to);

}  // namespace strads::sumstats
