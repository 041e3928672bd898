// `mf predict`: pairs of user and item.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::mf {

/// `arguments`: those after "predict". Errors: usage, input.
[[nodiscard]] Status run_predict(std::span<const std::string> arguments);

}  // namespace strads::mf
