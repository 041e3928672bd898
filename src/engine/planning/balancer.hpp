// SAP step 3: merges blocks into at most P blocks of like workload.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "strads/base/types.hpp"

namespace strads::engine {

/// Longest processing time first (Graham 1969): blocks in descending workload, each to the least loaded bin; ties go
/// to the earlier block and to the earlier bin. The heaviest bin is at most 4/3 - 1/(3 bins) of the best possible.
/// Returns the non-empty bins. Cost: O(b log b + b x bins).
[[nodiscard]] std::vector<std::vector<VarId>> balance(const std::vector<std::vector<VarId>>& blocks, std::size_t bins,
                                                      const std::function<double(VarId)>& workload);

}  // namespace strads::engine
