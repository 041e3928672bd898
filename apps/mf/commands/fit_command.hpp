// `mf fit`: loads, solves, writes.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::mf {

/// `arguments`: those after "fit". The status' code is the exit code: stopped (without a message) when a limit or
/// SIGINT ended the run and the results are written.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);

}  // namespace strads::mf
