// The sum over all pairs of user and item, for recount.cpp. Private to apps/mf.
#pragma once

#include "mf/check/recount.hpp"

namespace strads::mf {

/// Adds alpha0 sum over all pairs of (w_i'h_j)^2 to `found.squared`: the sum over k and l of (W'W)_kl (H'H)_kl, each in
/// double precision, with its sums in a defined order; and the same of absolute values to `found.reach`. Cost: (users +
/// items) rank^2 flops. Memory: nothing that grows with the factors.
void add_all_pairs(const FactorModel& factors, double alpha0, Chunks& chunks, Recounted& found);

}  // namespace strads::mf
