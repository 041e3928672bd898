// The paths of a study as runs beside each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lasso/study/study.hpp"
#include "strads/engine/options.hpp"
#include "strads/transport/embedded_runs.hpp"

namespace strads::lasso {

/// Where a path is in a study.
struct PathPlace {
  std::size_t group = 0;
  std::size_t path = 0;
};

/// Told of every solution of every path, in the process that holds the coordinator.
using StudyRecorded = std::function<void(const PathPlace& at, const Solution& point)>;

/// All paths of all groups, each with the bits that it has alone. One that follows lambdas takes one only after the
/// first of its group has passed it, so that where it ends does not depend on who was faster. One that follows a choice
/// begins when that was made, at the chosen lambda per sample as it was there: lambda sy / sqrt(N), with the sy and N
/// of its own people. It is a path of that one lambda, from zeros.
struct StudyRuns {
  std::vector<PathPlace> places;  ///< of the runs: by group and path, but that those that wait for a choice come last
  std::vector<RunRequest> requests;
  std::vector<std::shared_ptr<PathLead>> leads;  ///< by group: what the first path has told the others
  /// To be called when a run has ended: others may wait for it no longer.
  std::function<void(std::size_t run)> note_end;
  /// To be called after it, for a group with a path that follows its choice: the index of the chosen lambda; none: no
  /// lambda was solved.
  std::function<void(std::size_t group, std::optional<std::size_t> chosen)> choose;
};
/// `watchers`: by group, those who may end its paths; null or empty: nobody does. Where they watch the first path
/// alone, it ends with the lambda by which they have seen enough. Where each watches another, all paths go down the
/// lambdas side by side, no further than one lambda past what all of these have solved, so that who is faster changes
/// nothing: then all paths of the group have to run at the same time.
[[nodiscard]] StudyRuns make_study_runs(std::span<const PathGroup> groups, const LassoOptions& options,
                                        const EngineOptions& engine, const StudyRecorded& recorded,
                                        std::span<const std::shared_ptr<Watchers>> watchers = {});

/// The model of one of these runs on a node, where nobody judges. REQUIRES: there is such a run.
[[nodiscard]] std::shared_ptr<Model> make_study_model(std::span<const PathGroup> groups, std::size_t run,
                                                      const LassoOptions& options, const PathRecorded& recorded = {});

}  // namespace strads::lasso
