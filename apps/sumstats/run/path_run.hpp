// `lasso path --sumstats`: from options to files.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::sumstats {

/// Exit codes: as `lasso path`.
Status run_path(std::span<const std::string> arguments);

}  // namespace strads::sumstats
