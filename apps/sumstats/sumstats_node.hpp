// What programs that hold every model need of this one.
#pragma once

#include "strads/program/daemon_model.hpp"

namespace strads::sumstats {

/// "lasso path --sumstats" for a daemon.
[[nodiscard]] DaemonModel sumstats_node();

}  // namespace strads::sumstats
