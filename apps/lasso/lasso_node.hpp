// `lasso fit` on a node: from the driver's options to a model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lasso/solver/block_tally.hpp"  // block_solves(), for strads_sim
#include "strads/data/dataset.hpp"
#include "strads/program/daemon_model.hpp"

namespace strads {
struct Calibration;  // strads/program/calibrate.hpp
}

namespace strads::lasso {

/// What stradsd needs to take part in a `lasso fit`, and strads_sim to simulate one.
[[nodiscard]] DaemonModel lasso_node();
/// The same for `lasso path`. What it finds in a simulation is the whole path: its hash is path_hash().
[[nodiscard]] DaemonModel path_node();

/// The same for `lasso cv`.
[[nodiscard]] DaemonModel cv_node();

/// What the models of LoadedModel::second_model share with the first one.
enum class Shared : std::uint8_t {
  columns,  ///< the data and what is known about their columns, as models of one process do
  data      ///< the data alone: each learns the rest by itself, as processes of a cluster do
};

/// A Lasso over data in memory, of which strads_sim simulates clusters. `config`: options of `lasso fit`, as the text
/// of a config file; those of its input are not looked at. `costs`: what the file of --cost-model would hold; nullptr:
/// the fixed costs.
[[nodiscard]] Result<LoadedModel> lasso_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                                           const Calibration* costs = nullptr, Shared shared = Shared::columns);
/// The same for a path: `config` has options of `lasso path`.
[[nodiscard]] Result<LoadedModel> path_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                                          const Calibration* costs = nullptr, Shared shared = Shared::columns);

}  // namespace strads::lasso
