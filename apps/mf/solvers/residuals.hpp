// ccd: what workers remember from phase to phase. Private to apps/mf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace strads::mf {

/// The residuals of one block's ratings, as they are when the first `moved` features of a sweep have changed on both
/// sides. They are a function of the factors at the beginning of the sweep and of those features: whoever lacks them
/// computes the same bits anew.
struct Residual {
  std::mutex mutex;  ///< held by the push that uses it; another one of the same block computes its own
  std::optional<std::uint64_t> sweep;  ///< Plan::sweep; no value: nothing is here
  std::uint32_t moved = 0;
  std::vector<float> values;
};

/// Of all blocks: users' pages, then items' pages.
struct Residuals {
  explicit Residuals(std::size_t blocks) : of_block(blocks) {}
  std::vector<Residual> of_block;
};

}  // namespace strads::mf
