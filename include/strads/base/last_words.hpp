// Who says why a process ends at once. Layer: base. Pure.
#pragma once

#include <string_view>

namespace strads {

/// Says why the process ends at once: one message, no line end, and its exit code. Safe in a signal handler.
using SayFailure = void (*)(std::string_view message, int exit_code);
/// Who says it from here on; null: who finds the failure writes to stderr.
void set_last_words(SayFailure say);
[[nodiscard]] SayFailure last_words();

}  // namespace strads
