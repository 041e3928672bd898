// The option tables of the commands, as documents.
#pragma once

#include <string>

namespace strads::simulator {

[[nodiscard]] std::string seeds_markdown();
[[nodiscard]] std::string run_markdown();
[[nodiscard]] std::string calibrate_markdown();
[[nodiscard]] std::string plan_markdown();

}  // namespace strads::simulator
