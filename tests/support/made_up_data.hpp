// Small data sets in memory, made up from a seed.
#pragma once

#include <cstdint>
#include <memory>

#include "strads/data/dataset.hpp"

namespace strads::support {

struct MadeUp {
  std::uint32_t rows = 60;
  VarId columns = 90;
  std::uint64_t seed = 1;
  double correlation = 0.1;  ///< between any two columns (dense), or of a column with the one before (genotypes)
  double missing = 0;        ///< share of missing calls (genotypes)
};

/// Doubles; the response is a sum of 8 columns plus noise.
[[nodiscard]] std::shared_ptr<const Dataset> dense_dataset(const MadeUp& made_up);
/// Two bits a call, as in a PLINK .bed.
[[nodiscard]] std::shared_ptr<const Dataset> genotype_dataset(const MadeUp& made_up);

}  // namespace strads::support
