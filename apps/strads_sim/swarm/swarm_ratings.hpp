// Ratings of the swarm's factorizations and item weights.
#pragma once

#include <cstdint>
#include <memory>

#include "strads/base/random.hpp"
#include "strads/data/ratings.hpp"

namespace strads::simulator {

/// One to five stars, or any number; about a third of the pairs of 6 to 20 users and as many items. `holds_out`: some
/// may be held out. Everybody has rated something that is not.
[[nodiscard]] std::shared_ptr<const Ratings> draw_ratings(std::uint64_t seed, bool holds_out, CounterRng& random);

}  // namespace strads::simulator
