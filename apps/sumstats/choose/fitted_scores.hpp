// Solutions as models that other commands read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regression/path_in_pieces.hpp"
#include "sumstats/load/summary_load.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

[[nodiscard]] const char* text_of(WeightScale scale);

/// The solutions at points [from, to) of the grid as models. `loaded`, `grid` and `solution` outlive the object.
class Scores {
 public:
  Scores(const LoadedSummary& loaded, const Grid& grid, const SummarySolution& solution, std::size_t from,
         std::size_t to);
  /// For write_path(): in memory there is a step at a time. It asks the object, which outlives it.
  [[nodiscard]] lasso::PathInPieces in_pieces() const;
  /// All at once.
  [[nodiscard]] lasso::FittedPath whole() const;

 private:
  [[nodiscard]] lasso::FittedVariable variable(std::size_t place) const;
  [[nodiscard]] lasso::FittedStep step(std::size_t k) const;

  const LoadedSummary& loaded_;
  const Grid& grid_;
  const SummarySolution& solution_;
  std::size_t from_, to_;
  lasso::FittedModel shape_;             ///< without variables
  std::vector<std::uint32_t> order_;     ///< variants of the problem that have a coefficient, by column of the panel
  std::vector<std::uint32_t> place_of_;  ///< of such a variant in order_
};

/// The solutions at points [from, to) of the grid. `mean` of a variant is twice its frequency in the study, where that
/// is known, else in the panel. Coefficients are b x effect.
[[nodiscard]] lasso::FittedPath fitted_scores(const LoadedSummary& loaded, const Grid& grid,
                                              const SummarySolution& solution, std::size_t from, std::size_t to);

/// The one at point k.
[[nodiscard]] lasso::FittedModel fitted_score(const LoadedSummary& loaded, const Grid& grid,
                                              const SummarySolution& solution, std::size_t k);

}  // namespace strads::sumstats
