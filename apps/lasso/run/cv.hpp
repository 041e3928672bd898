// Cross-validation of the Lasso: a path on all samples and one without each fold; their errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lasso/held_out/stop_rule.hpp"
#include "lasso/model/lasso.hpp"
#include "lasso/run/cv_measure.hpp"
#include "regression/cv_folds.hpp"
#include "strads/engine/options.hpp"
#include "strads/transport/embedded_runs.hpp"

namespace strads::lasso {

/// What one process knows about the data: part 0 has all samples, part f + 1 all but those of fold f.
struct CvData {
  std::shared_ptr<const Dataset> dataset;
  Family family = Family::gaussian;
  double l1_ratio = 1;
  Folds folds;
  std::vector<std::shared_ptr<LassoData>> parts;
};

/// `folds`: a number or a file (read_folds); `stratify`: as draw_folds(); `given`: folds of the rows instead
/// (folds_of_rows), or empty. Errors: as prepare_lasso(), draw_folds() and read_folds(), naming the fold without which
/// a response does not vary.
[[nodiscard]] Result<CvData> prepare_cv(std::shared_ptr<const Dataset> dataset, const LassoOptions& options,
                                        const std::string& folds, std::uint64_t seed, bool stratify = false,
                                        std::span<const std::uint32_t> given = {});

/// The same of several traits at each of several l1 ratios, those of the first trait first; without ratios at the one
/// of `options`. Errors: as prepare_cv(), naming the trait where there are several.
[[nodiscard]] Result<std::vector<CvData>> prepare_traits(std::span<const std::shared_ptr<const Dataset>> datasets,
                                                         const LassoOptions& options, const std::string& folds,
                                                         std::uint64_t seed, bool stratify = false,
                                                         std::span<const double> l1_ratios = {},
                                                         std::span<const std::uint32_t> given = {});

/// The measure of a trait: measure_for() its samples and folds. Errors: usage: the area under the curve where no fold
/// has samples of both classes.
[[nodiscard]] Result<Measure> measure_of(const CvData& data, Measure wanted);

/// One path of the schedule: `part` as in CvData.
struct CvPart {
  std::size_t trait = 0;  ///< as prepare_traits(): of several l1 ratios each one counts as a trait
  std::size_t part = 0;
};

/// Told of every solution of every part, in the process that holds the coordinator.
using CvRecorded = std::function<void(const CvPart& at, const Solution& point)>;

/// The folds, who watch the paths without them: these go down the lambdas side by side, each no further than one lambda
/// past what all folds have solved, so that who is faster changes nothing.
[[nodiscard]] std::shared_ptr<Watchers> folds_that_watch(const CvData& data, Measure measure, const StopRule& rule);

/// All parts of all traits as runs beside each other, each with the bits of `lasso path` on its samples: those of a
/// trait follow the path on all its samples. One takes a lambda only after that path has passed it, so that where it
/// ends does not depend on who was faster.
struct CvRuns {
  std::vector<CvPart> places;  ///< of the runs
  std::vector<RunRequest> requests;
  /// To be called when a run has ended: others may wait for it no longer.
  std::function<void(std::size_t run)> note_end;
  std::vector<std::shared_ptr<PathLead>> leads = {};  ///< by trait: what the path on all samples has told the others
};
/// `stops`: by trait, null where the path on all samples ends where it would alone; not null, all parts of the trait
/// have to run at the same time.
[[nodiscard]] CvRuns make_cv_runs(std::span<const CvData> traits, const LassoOptions& options,
                                  const EngineOptions& engine, const CvRecorded& recorded,
                                  std::span<const std::shared_ptr<Watchers>> stops = {});
/// The model of one of these runs on a node, where nobody judges. REQUIRES: there is such a run.
[[nodiscard]] std::shared_ptr<Model> make_cv_part(std::span<const CvData> traits, std::size_t run,
                                                  const LassoOptions& options);

/// Held-out errors of a solution without fold `fold`, its offsets added. Cost: one pass over its variables.
[[nodiscard]] FoldError held_out_error(const CvData& data, std::uint32_t fold, const Solution& step, Measure measure);

/// Mean of w (y - ybar)^2 over the samples: what a model without variables is off by.
[[nodiscard]] double response_variance(const CvData& data);

}  // namespace strads::lasso
