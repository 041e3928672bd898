// `lasso fit` on a node: from the driver's options to a model.
#pragma once

#include <memory>
#include <string>

#include "lasso/solver/block_tally.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/daemon_model.hpp"

namespace strads::lasso {

/// What stradsd needs to take part in a `lasso fit`, and strads_sim to simulate one.
[[nodiscard]] DaemonModel lasso_node();
/// The same for `lasso path`. What it finds in a simulation is the whole path: its hash is path_hash().
[[nodiscard]] DaemonModel path_node();

/// The same for `lasso cv`.
[[nodiscard]] DaemonModel cv_node();

/// What clusters of very small problems want otherwise than a fit.
struct Rehearsal {
  bool rounds_cost_nothing = false;  ///< in the model of costs: `auto` goes parallel however small the data are
  bool nothing_shared = false;  ///< LoadedModel::another() shares the data alone; else also what is known about columns
};

/// A Lasso over data that are no file. `config`: options of `lasso fit`, as the text of a config file; those of its
/// input are not looked at.
[[nodiscard]] Result<LoadedModel> lasso_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                                           const Rehearsal& rehearsal = {});
/// The same for a path: `config` has options of `lasso path`.
[[nodiscard]] Result<LoadedModel> path_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                                          const Rehearsal& rehearsal = {});

}  // namespace strads::lasso
