// load_ratings with the sizes that tests want to choose. Layer: data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {

/// How files are cut; results do not depend on it.
struct RatingsPieces {
  std::uint64_t text_bytes = 0;  ///< 0: as ratings_piece_bytes says
  std::uint64_t npz_ratings = std::uint64_t{1} << 20;
};

/// strads::load_ratings.
[[nodiscard]] Result<std::shared_ptr<const Ratings>> load_ratings(const RatingsInput& input, Chunks& chunks,
                                                                  const std::function<void(double share)>& progress,
                                                                  const RatingsPieces& pieces);

}  // namespace strads::data
