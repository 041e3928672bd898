// A path.bin that is written without being in memory as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "regression/model_file.hpp"

namespace strads::lasso {

/// A path of which a variable or a step at a time is in memory. What write_path() asks for it asks for twice, in order,
/// and has to get the same.
struct PathInPieces {
  FittedModel shape;  ///< without variables
  std::size_t variables = 0, steps = 0;
  std::function<FittedVariable(std::size_t)> variable;
  std::function<FittedStep(std::size_t)> step;
};

/// The bytes of the whole path.
[[nodiscard]] Status write_path(const std::string& path, const PathInPieces& pieces);

}  // namespace strads::lasso
