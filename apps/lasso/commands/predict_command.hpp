// `lasso predict`: applies a fitted model to other samples.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::lasso {

/// `arguments`: those after "predict". Errors: usage, input.
[[nodiscard]] Status run_predict(std::span<const std::string> arguments);

}  // namespace strads::lasso
