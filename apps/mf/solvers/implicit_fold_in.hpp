// Factors of new users from their chosen pairs, with the items as they are. Private to apps/mf. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "mf/problem/mf.hpp"

namespace strads::mf {

/// Each row of `users`, options.rank numbers, becomes the exact minimum of the objective of implicit feedback for its
/// user.
///   begins: users + 1 offsets into items and confidences; items: rows of `factors`; confidences above 0
///   factors: of the items, options.rank numbers each
/// The penalty counts the pairs that are here. The same bits for any number of threads. Cost: items rank^2 + 10 rank^3
/// flops, and as update_implicit_rows().
void fold_in_implicit(const MfOptions& options, std::span<const std::uint64_t> begins,
                      std::span<const std::uint32_t> items, std::span<const float> confidences,
                      std::span<const float> factors, std::span<float> users, Chunks& chunks);

}  // namespace strads::mf
