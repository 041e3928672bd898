// `mf cv`: from a command line to a table of scores.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::mf {

/// `arguments`: after "cv". Errors: usage, input, cluster; stopped: a limit or a signal ended it, what is known was
/// written.
[[nodiscard]] Status run_cv(std::span<const std::string> arguments);

}  // namespace strads::mf
