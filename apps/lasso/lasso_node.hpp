// `lasso fit` on a node: from the driver's options to a model.
#pragma once

#include <memory>
#include <string>

#include "strads/dataset.hpp"
#include "strads/run.hpp"

namespace strads::lasso {

/// What stradsd needs to take part in a `lasso fit`, and strads_sim to simulate one.
[[nodiscard]] DaemonModel lasso_node();

/// A Lasso over data that are no file. `config`: options of `lasso fit`, as the text of a config file; those of its
/// input are not looked at.
[[nodiscard]] Result<LoadedModel> lasso_on(std::shared_ptr<const Dataset> dataset, const std::string& config);

}  // namespace strads::lasso
