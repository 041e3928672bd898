// `mf refit` of item weights.
#pragma once

#include "mf/options/serving_options.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {

/// The folder of --model has item weights: every item is solved anew for the pairs of --ratings, from the weights that
/// it has, and certified as by `mf fit`. Errors: as `mf fit --solver slim`; stopped: an item is not certified.
[[nodiscard]] Status refit_weights(const RefitOptions& options);

}  // namespace strads::mf
