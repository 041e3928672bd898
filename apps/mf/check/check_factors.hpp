// What a run says of its factors, against the ratings. Private to apps/mf.
#pragma once

#include <cstdint>

#include "mf/factors/model_files.hpp"
#include "mf/problem/mf.hpp"

namespace strads::mf {

/// Squared errors of some ratings, recomputed.
struct ErrorSum {
  double squared = 0;
  double reach = 0;  ///< Recounted::reach of the same ratings
  double mean = 0;   ///< what is subtracted from each rating
  std::uint64_t ratings = 0;
};
/// How far apart two such sums may be that were computed of the same factors, in single and in double precision:
/// docs/MODELS.md, "What is checked". Pure.
[[nodiscard]] double rounding_of(const ErrorSum& errors);

/// Whether the end of a run brought each user's and each item's factors, once. Errors: internal, as check_factors().
[[nodiscard]] Status check_reports(const MfData& data, const RunEnd& end);

/// Recomputes objective, training error and validation error of the factors as they are written. `solution`: of the
/// same run, with the figures that it says; it gets those that were found. REQUIRES: as recounted().
/// Errors: internal, without a full stop, where a figure differs by more than rounding explains, with both figures; of
/// sgd, which does not know them, none does.
[[nodiscard]] Status check_factors(const Model& model, const FactorModel& factors, MfSolution& solution,
                                   Chunks& chunks);

}  // namespace strads::mf
