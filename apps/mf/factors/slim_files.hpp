// Item weights (SLIM) as files of a run directory, and back. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mf/factors/model_files.hpp"
#include "mf/slim/slim.hpp"
#include "strads/data/arrays.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::mf {

/// Whether a run directory holds such a model.
[[nodiscard]] bool is_slim_model(const std::string& directory);

/// What scores need.
struct SlimWeights {
  ModelIds ids;
  SparseRows weights;
  double lowest_positive = 0;  ///< a pair is a positive from this rating on
};

[[nodiscard]] SparseRows weights_by_row(const SlimSolution& solution);
/// The weights alone. Errors: as write_slim_model().
[[nodiscard]] Status write_weights(RunDirectory& directory, const SparseRows& weights);
/// Weights and ids; reads the weights back. Errors: input, with the file and the system's reason; internal: what was
/// read is something else.
[[nodiscard]] Status write_slim_model(RunDirectory& directory, const SlimWeights& model);
/// Errors: as read_factor_model().
[[nodiscard]] Result<SlimWeights> read_slim_model(const std::string& directory);

}  // namespace strads::mf
