// The data of a run, read or kept from an earlier run of the same node.
#pragma once

#include <memory>
#include <vector>

#include "lasso/options/path_options.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/kept_data.hpp"

namespace strads::lasso {

/// As load_traits(). A fit, a path and a cross-validation find what each other has read.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Dataset>>> traits_of(const PathCommandOptions& options,
                                                                            KeptData& kept);

}  // namespace strads::lasso
