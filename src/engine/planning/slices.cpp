#include "engine/planning/slices.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "strads/base/random.hpp"
#include "strads/base/status.hpp"

namespace strads::engine {

namespace {
constexpr std::uint64_t kStripesPerSliceMin = 64;  // fewer would make slices of visibly different sizes
}

std::vector<std::vector<VarId>> deal_slices(std::uint64_t seed, VarId count, std::uint32_t slices, VarId stripe) {
  STRADS_CHECK(slices >= 1, "a run has at least one scheduler");
  std::vector<std::vector<VarId>> dealt(slices);
  if (slices == 1) {
    dealt[0].resize(count);
    std::iota(dealt[0].begin(), dealt[0].end(), VarId{0});
    return dealt;
  }
  std::uint64_t width = std::max<VarId>(stripe, 1);
  if (count / width < kStripesPerSliceMin * slices) width = 1;
  std::vector<std::uint64_t> stripes((count + width - 1) / width);
  std::iota(stripes.begin(), stripes.end(), std::uint64_t{0});
  CounterRng rng(seed, Purpose::slices);
  shuffle(stripes, rng);
  for (std::size_t k = 0; k < stripes.size(); ++k) {
    const std::uint64_t begin = stripes[k] * width;
    const std::uint64_t end = std::min<std::uint64_t>(begin + width, count);
    for (std::uint64_t j = begin; j < end; ++j) dealt[k % slices].push_back(static_cast<VarId>(j));
  }
  for (auto& slice : dealt) std::sort(slice.begin(), slice.end());
  return dealt;
}

}  // namespace strads::engine
