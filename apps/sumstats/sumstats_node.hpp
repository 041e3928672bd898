// What programs that hold every model need of this one.
#pragma once

#include "strads/program/daemon_model.hpp"

namespace strads::sumstats {

/// "lasso path --sumstats" and "lasso fit --sumstats" for a daemon.
[[nodiscard]] DaemonModel sumstats_node();
[[nodiscard]] DaemonModel sumstats_fit_node();

}  // namespace strads::sumstats
