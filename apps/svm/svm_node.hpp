// What programs that hold every model need of this one: the model as a daemon loads it.
#pragma once

#include "strads/program/daemon_model.hpp"

namespace strads::svm {

/// "svm fit".
[[nodiscard]] DaemonModel svm_node();

}  // namespace strads::svm
