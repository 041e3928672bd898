// `mf fold-in`: factors of new users, with the items' factors as they are.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::mf {

/// `arguments`: those after "fold-in". Errors: usage, input.
[[nodiscard]] Status run_fold_in(std::span<const std::string> arguments);

}  // namespace strads::mf
