// What `stradsd` and `strads_sim` need to know of topic models.
#pragma once

#include "strads/program/daemon_model.hpp"

namespace strads::lda {

/// "lda fit" for a daemon.
[[nodiscard]] DaemonModel lda_node();

}  // namespace strads::lda
