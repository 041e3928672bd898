// The arrays that models put into messages. Layer: base. Pure.
#pragma once

#include <vector>

#include "strads/types.hpp"

namespace strads {

/// Model-defined content of a message: two typed arrays that travel as raw little-endian frames. What they hold is
/// written down once, beside the model (the Lasso: apps/lasso/payloads.hpp). The lengths are independent.
struct Payload {
  std::vector<VarId> ids;
  std::vector<double> values;

  friend bool operator==(const Payload&, const Payload&) = default;
};

}  // namespace strads
