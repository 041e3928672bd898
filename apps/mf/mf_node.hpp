// What `stradsd` and `strads_sim` need to know of matrix factorization.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "strads/data/ratings.hpp"
#include "strads/program/daemon_model.hpp"
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

}  // namespace strads::mf
