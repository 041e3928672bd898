// The commands of `lda`. `arguments`: those after the command's name.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::lda {

/// Loads, samples, writes. The status' code is the exit code: stopped (without a message) when a limit or SIGINT ended
/// the run and the results are written.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);
/// Topics of unseen documents. Errors: usage, input.
[[nodiscard]] Status run_infer(std::span<const std::string> arguments);
/// Perplexity and coherence. Errors: usage, input.
[[nodiscard]] Status run_evaluate(std::span<const std::string> arguments);

}  // namespace strads::lda
