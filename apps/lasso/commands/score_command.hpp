// `lasso score`: scores of other people and what they are worth.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::lasso {

/// `arguments`: those after "score". Errors: usage, input.
[[nodiscard]] Status run_score(std::span<const std::string> arguments);

}  // namespace strads::lasso
