// A model as files that other programs serve recommendations from. Formats: docs/OUTPUT.md.
#pragma once

#include <string>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "mf/factors/slim_files.hpp"
#include "strads/base/status.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::mf {

inline constexpr const char* kVectorsFile[kSides] = {"user_vectors.npy", "item_vectors.npy"};
/// Row k of an array belongs to line k.
inline constexpr const char* kVectorIdsFile[kSides] = {"user_ids.txt", "item_ids.txt"};

/// Columns of the vectors: the rank, and two more where there is a mean or a bias.
[[nodiscard]] std::uint32_t vector_size(const FactorModel& model);
/// Rows of one side, one after the other, whose inner product is score(): of a user w, 1, mean + b, of an item h, b, 1.
[[nodiscard]] std::vector<float> serving_vectors(const FactorModel& model, Side side);

/// Errors: input, with the file and the system's reason; internal: what was read back is something else.
[[nodiscard]] Status write_serving(RunDirectory& directory, const FactorModel& model);
/// The weights, and the ids of their rows and columns.
[[nodiscard]] Status write_serving(RunDirectory& directory, const SlimWeights& model);

}  // namespace strads::mf
