// From files to what one process of a fit knows.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mf/mf.hpp"

namespace strads::mf {

/// Reads the ratings and counts them; they can be read again. `progress`: as in load_ratings. Errors: input.
[[nodiscard]] Result<std::shared_ptr<MfData>> load_mf(const RatingsInput& input, std::shared_ptr<Chunks> threads,
                                                      const std::function<void(double share)>& progress);

/// What is said when a file is read again for the ratings of a lost worker and is another one.
[[nodiscard]] Status changed_since(const std::string& path);

}  // namespace strads::mf
