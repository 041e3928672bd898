// What `stradsd` and `strads_sim` need to know of matrix factorization.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "strads/base/types.hpp"
#include "strads/data/ratings.hpp"
#include "strads/program/daemon_model.hpp"
#include "strads/program/memory_plan.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "strads/transport/cluster.hpp"

namespace strads::mf {

/// "mf fit" for a daemon.
[[nodiscard]] DaemonModel mf_node();
/// "mf cv" for a daemon.
[[nodiscard]] DaemonModel mf_cv_node();

/// A factorization of ratings in memory; `config`: options of `mf fit` as a config file without its [input].
/// `second_model` makes models from the same ratings. Errors: usage, input.
[[nodiscard]] Result<LoadedModel> mf_on(const std::shared_ptr<const Ratings>& ratings, const std::string& config);
/// Item weights (--solver slim) of ratings in memory, likewise. `block_work`: SlimOptions::block_work.
[[nodiscard]] Result<LoadedModel> slim_on(const std::shared_ptr<const Ratings>& ratings, const std::string& config,
                                          std::uint64_t block_work);

// --- what the simulator tells of a run ---

/// The columns of trace.csv: one row a sweep.
[[nodiscard]] Trace::Columns curve_columns();
/// ", RMSE 0.71 training, 0.88 test": those that there are; of item weights the items that are certified.
[[nodiscard]] std::string errors_text(const Certificate& end);
/// RMSE, sweeps and imbalance; of item weights items, certificates and the worst gap.
void add_errors(Summary& summary, const Certificate& end);
/// recount() of the end of a run of `model`, which mf_node() has loaded.
void count_again(const Model& model, RunEnd& end);

// --- what the simulator plans of a fit that nobody has made ---

struct PlannedFactorization {
  std::uint64_t users = 0, items = 0, ratings = 0;
  std::string solver = "sgd";  ///< sgd, cd, als
  bool implicit = false;       ///< with als
  std::uint32_t rank = 40;
  double held_out = 0.05;     ///< share of the ratings that are looked at after each sweep
  std::uint64_t workers = 8;  ///< blocks of each side
  std::uint64_t nodes = 0;    ///< that share them; 0: one process does everything
};

/// What all workers together do in one sweep.
struct PlannedSweep {
  Cost cost;
  std::uint64_t phases = 0;  ///< barriers
  double factor_bytes = 0;   ///< of both sides' factors
  double user_bytes = 0;     ///< of those of the users
};
/// Rows of implicit feedback are taken to have as uneven numbers of pairs as those of known sets.
[[nodiscard]] PlannedSweep plan_sweep(const PlannedFactorization& fit);
/// Of all processes, as `mf fit --dry-run` has them.
[[nodiscard]] MemoryPlan plan_memory(const PlannedFactorization& fit, unsigned threads);

}  // namespace strads::mf
