// `mf recommend`: the best items of each user.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::mf {

/// `arguments`: those after "recommend". Errors: usage, input.
[[nodiscard]] Status run_recommend(std::span<const std::string> arguments);

}  // namespace strads::mf
