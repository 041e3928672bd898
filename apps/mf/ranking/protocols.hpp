// How ratings are split to judge lists by: leave-last-out and strong generalisation. docs/GUIDE-ratings.md,
// "Protocols".
#pragma once

#include <cstdint>
#include <vector>

#include "strads/data/rating_events.hpp"

namespace strads::mf {

/// Where a line goes. A pair that comes several times goes as one; of one to be found one line is kept: the last by
/// time, or in the file where no time is asked for.
enum class SplitPart : std::uint8_t { train, given, test, left_out };

/// Of each user the pair whose last line has the greatest time, of equal ones the one further down in the file, is to
/// be found; all others are learned from. A user with one pair alone is learned from. REQUIRES: events.times.
[[nodiscard]] std::vector<SplitPart> leave_last_out(const RatingEvents& events);

struct StrongSplit {
  double users = 0.1;  ///< share of the users that are not learned from
  double test = 0.2;   ///< share of their pairs that are to be found
  std::uint64_t seed = 1;
};
/// Users in the order of a hash of (seed, id): the first floor(share x users) are not learned from. Of their pairs
/// those with items that no other user has are left out. Of the n that remain, in the order of a hash of (seed, user,
/// item), the first floor(share x n) are to be found where n is at least 5; the others are given [Liang18].
[[nodiscard]] std::vector<SplitPart> strong_generalisation(const RatingEvents& events, const StrongSplit& split);

}  // namespace strads::mf
