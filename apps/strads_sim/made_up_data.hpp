// Small data in memory, made up from a seed.
#pragma once

#include <cstdint>
#include <memory>

#include "strads/data/dataset.hpp"

namespace strads::simulator {

struct MadeUpData {
  std::uint32_t rows = 30;
  VarId columns = 60;
  std::uint64_t seed = 1;
  double correlation = 0.2;  ///< dense: variance that adjacent columns share; genotypes: calls that are the neighbour's
  bool genotypes = false;    ///< two bits a call as in a PLINK .bed, one call in 100 missing; else doubles
  bool sparse = false;       ///< doubles: columns keep shares of their entries, each its own
  bool weights = false;      ///< of the samples, 0.5 to 2
  bool factors = false;      ///< of the penalty, 0.5 to 2
  bool classes = false;      ///< the response is 1 where it would be at least its median, else 0
  bool counts = false;       ///< the response is 0, 1, 2 ... by how far above its mean it would be
};

/// The response is a sum of six columns and noise. The same description, the same bits.
[[nodiscard]] std::shared_ptr<const Dataset> made_up(const MadeUpData& description);

}  // namespace strads::simulator
