// A small Lasso problem in memory, made up from a seed.
#pragma once

#include <cstdint>
#include <memory>

#include "strads/dataset.hpp"

namespace strads::simulator {

struct MadeUpProblem {
  std::uint32_t rows = 24;
  VarId columns = 60;
  std::uint64_t seed = 1;
  double correlation = 0.3;  ///< share of the variance that adjacent columns have in common, below 1
};

/// Columns of doubles, roughly normal; the response is a sum of six columns and noise. The same seed, the same bits.
[[nodiscard]] std::shared_ptr<const Dataset> made_up(const MadeUpProblem& problem);

}  // namespace strads::simulator
