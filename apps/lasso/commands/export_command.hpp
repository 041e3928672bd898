// `lasso export`: hands a fitted model to other programs.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::lasso {

/// `arguments`: those after "export". Errors: usage, input.
[[nodiscard]] Status run_export(std::span<const std::string> arguments);

}  // namespace strads::lasso
