// What programs that hold every model need of this one: its models as a daemon loads them.
#pragma once

#include "strads/program/daemon_model.hpp"

namespace strads::svm {

/// "svm fit".
[[nodiscard]] DaemonModel svm_node();
/// "svm cv".
[[nodiscard]] DaemonModel svm_cv_node();

}  // namespace strads::svm
