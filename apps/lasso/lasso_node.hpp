// `lasso fit` on a node: from the driver's options to a model.
#pragma once

#include "strads/run.hpp"

namespace strads::lasso {

/// What stradsd needs to take part in a `lasso fit`.
[[nodiscard]] DaemonModel lasso_node();

}  // namespace strads::lasso
