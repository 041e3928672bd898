// From files to what one process of a fit knows.
#pragma once

#include <functional>
#include <memory>

#include "mf/mf.hpp"

namespace strads::mf {

/// Reads the ratings and counts them; they can be read again. `progress`: as in load_ratings. Errors: input.
[[nodiscard]] Result<std::shared_ptr<MfData>> load_mf(const RatingsInput& input, std::shared_ptr<Chunks> threads,
                                                      const std::function<void(double share)>& progress);

}  // namespace strads::mf
