// From the solution of a run to factors that can be written, and how well they predict. Private to apps/mf.
#pragma once

#include <initializer_list>

#include "mf/factors/model_files.hpp"
#include "mf/problem/mf.hpp"

namespace strads::mf {

/// Moves factors and biases of the solution into a model that can be written. `clip`: to the range of the ratings.
[[nodiscard]] FactorModel factor_model(const MfData& data, MfSolution& solution, bool clip);

/// Errors of the model's predictions, in the user's unit. `parts`: of `data`. Pieces are cut by number: the same bits
/// for any number of threads.
[[nodiscard]] Quality quality_on(const FactorModel& model, const MfData& data,
                                 std::initializer_list<const Triplets*> parts, Chunks& chunks);
/// On the test ratings, strangers included.
[[nodiscard]] Quality test_quality(const FactorModel& model, const MfData& data, Chunks& chunks);

}  // namespace strads::mf
