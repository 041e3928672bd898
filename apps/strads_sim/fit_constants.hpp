// What microbenchmarks do not see, from small fits: simulated ones shall take as long as real ones.
#pragma once

#include <functional>
#include <string>

#include "strads/base/status.hpp"
#include "strads/program/calibrate.hpp"

namespace strads::simulator {

/// Sets `task`, `local_flop`, `message` and `message_tcp` (with the latencies, so that an idle round takes as long as
/// before) by fits to made-up genotypes, each done for real and simulated. Takes some seconds. `say` gets a line for
/// each. Errors: cluster: no sockets.
[[nodiscard]] Status fit_constants(Calibration& calibration, const std::function<void(const std::string& line)>& say);

}  // namespace strads::simulator
