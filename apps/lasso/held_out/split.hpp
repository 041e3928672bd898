// `lasso path --split`: a path on the people who train, watched by those who validate, and a fit of both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lasso/held_out/held_out.hpp"
#include "lasso/held_out/stop_rule.hpp"
#include "lasso/model/lasso.hpp"
#include "strads/engine/options.hpp"
#include "strads/transport/embedded_runs.hpp"

namespace strads::lasso {

/// What one process knows about the data.
struct SplitData {
  std::shared_ptr<const Dataset> dataset;  ///< everybody who takes part
  Family family = Family::gaussian;
  std::shared_ptr<LassoData> train;
  std::shared_ptr<LassoData> refit;           ///< train and val; null: not asked for
  std::vector<std::uint32_t> validate, test;  ///< their rows, ascending; nobody need be in `test`

  /// The path, and the fit of train and val besides.
  [[nodiscard]] std::size_t runs() const { return refit == nullptr ? 1 : 2; }
};
/// Errors: as prepare_lasso(), naming the part; input: a response too large or too small for squared errors; usage: the
/// area under the curve where those who validate are of one class. REQUIRES: dataset->split() is not empty.
[[nodiscard]] Result<SplitData> prepare_split(std::shared_ptr<const Dataset> dataset, const LassoOptions& options,
                                              Measure measure, bool refit);

/// Of everything that decides what a run with these data comes to, who validates and who tests as well: the files of a
/// split may change while the data stay. Cost: as Dataset::fingerprint().
[[nodiscard]] std::uint64_t split_fingerprint(const SplitData& data);

/// The people who validate, who watch the path on train.
[[nodiscard]] Watchers those_who_validate(const SplitData& data, Measure measure, const StopRule& rule);

/// The path and the fit of train and val. The fit begins when the path has ended, at the chosen lambda per sample as it
/// was there: lambda sy / sqrt(N), with the sy and N of its own people. It is a path of that one lambda, from zeros.
struct SplitRuns {
  std::vector<RunRequest> requests;
  std::shared_ptr<PathLead> train;  ///< what the first has said of itself
  /// To be called when the first has ended, with the index of the chosen lambda; none: it has solved none.
  std::function<void(std::optional<std::size_t> chosen)> choose;
};
using SplitRecorded = std::function<void(std::size_t run, const Solution& point)>;
/// `validating` and `data` outlive the runs.
[[nodiscard]] SplitRuns make_split_runs(const SplitData& data, const LassoOptions& options, const EngineOptions& engine,
                                        Watchers& validating, const SplitRecorded& recorded);
/// The model of one of these runs on a node, where nobody judges. REQUIRES: run < data.runs().
[[nodiscard]] std::shared_ptr<Model> make_split_part(const SplitData& data, std::size_t run,
                                                     const LassoOptions& options);

}  // namespace strads::lasso
