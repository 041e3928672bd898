// Solutions as models that other commands read.
#pragma once

#include <cstddef>

#include "regression/model_file.hpp"
#include "sumstats/load/summary_load.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

[[nodiscard]] const char* text_of(WeightScale scale);

/// The solutions at points [from, to) of the grid. `mean` of a variant is twice its frequency in the study, where that
/// is known, else in the panel. Coefficients are b x effect.
[[nodiscard]] lasso::FittedPath fitted_scores(const LoadedSummary& loaded, const Grid& grid,
                                              const SummarySolution& solution, std::size_t from, std::size_t to);

/// The one at point k.
[[nodiscard]] lasso::FittedModel fitted_score(const LoadedSummary& loaded, const Grid& grid,
                                              const SummarySolution& solution, std::size_t k);

}  // namespace strads::sumstats
