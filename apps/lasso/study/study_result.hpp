// What became of a study.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lasso/problem/solution.hpp"
#include "lasso/study/cv_measure.hpp"
#include "lasso/study/held_out.hpp"
#include "lasso/study/study.hpp"
#include "strads/program/program_run.hpp"

namespace strads::lasso {

/// What every finished run knows.
struct RunFacts : RunRecord {
  std::shared_ptr<LassoData> data;
};

/// Everything about the finished paths of a group. Facts are those of the run, with data, end and stop reason of the
/// first path.
struct PathResult : RunFacts {
  PathGroup group;
  std::vector<Solution> steps;                   ///< of the first path: solved, in order
  std::vector<std::vector<Solution>> followers;  ///< the same of the others: folds, or train and val
  std::vector<RunEnd> ends;                      ///< by path
  std::string path_hash;
  bool tolerance_met = false;  ///< by every solution that was to be found, with the gap that was recomputed
  Measure measure = Measure::mse;
  Curve curve;                     ///< of those who watch; empty: nobody does, or no lambda was solved
  bool has_stopped = false;        ///< the paths ended since the errors grew no smaller
  std::optional<double> variance;  ///< of the response, where errors are squares of numbers
  // Of a split: of the chosen step; the last one of train and val.
  HeldOutScore validation_score, test_score, refit_score;

  [[nodiscard]] std::vector<Solution>& steps_of(std::size_t path) { return path == 0 ? steps : followers[path - 1]; }
  [[nodiscard]] bool has_choice() const { return !curve.mean.empty(); }
  [[nodiscard]] bool is_cross_validated() const { return group.folds.count > 0; }
  /// Those who validate have chosen.
  [[nodiscard]] bool is_validated() const { return has_choice() && !is_cross_validated(); }
  /// The fit of train and val; null: there is none.
  [[nodiscard]] const Solution* refit() const {
    return is_cross_validated() || followers.empty() || followers[0].empty() ? nullptr : &followers[0].back();
  }
};

/// Of all traits at all l1 ratios, those of the first trait first.
struct StudyResults {
  RunFacts run;  ///< of all together
  std::vector<PathResult> list;
  std::size_t ratios = 1;  ///< of each trait

  [[nodiscard]] std::size_t traits() const { return list.size() / ratios; }
  [[nodiscard]] std::span<const PathResult> of_trait(std::size_t trait) const {
    return std::span(list).subspan(trait * ratios, ratios);
  }
  /// The one with the best mean error, of equals the first; the first where none has a curve.
  [[nodiscard]] const PathResult& best_of_trait(std::size_t trait) const;
};
/// Its place. REQUIRES: not empty.
[[nodiscard]] std::size_t best_ratio(std::span<const PathResult> ratios);

}  // namespace strads::lasso
