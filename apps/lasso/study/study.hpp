// A study: data, and a list of paths. `lasso fit` is one path of one lambda; `--split` a path and a fit that follows
// its choice; `lasso cv` a path on all samples and one without each fold that follows its lambdas; traits and l1 ratios
// are more of these. The driver and its nodes make the same study of the same options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lasso/problem/lasso.hpp"
#include "lasso/study/cv_measure.hpp"
#include "lasso/study/stop_rule.hpp"
#include "regression/cv_folds.hpp"

namespace strads::lasso {

/// What a path takes from the first one of its group.
enum class Follows : std::uint8_t {
  nobody,
  lambdas,  ///< all of them, until where that one ends
  choice    ///< the one that was chosen, once that one has ended
};

/// One path: whose samples, and what it has to do with the others. What is alike for all are options.
struct Path {
  std::string name;  ///< in its group: "all samples", "without fold 2", "train"; "": there are no others
  std::shared_ptr<LassoData> data = {};
  Follows follows = Follows::nobody;
  std::vector<std::uint32_t> watchers = {};  ///< rows of people whom it has not seen and who watch it; ascending
};

/// Paths of one response at one l1 ratio. The first is the one that others follow.
struct PathGroup {
  std::shared_ptr<const Dataset> dataset = {};  ///< everybody who takes part, watches or tests
  Family family = Family::gaussian;
  double l1_ratio = 1;
  std::vector<Path> paths = {};
  Folds folds = {};                      ///< of a cross-validation
  std::vector<std::uint32_t> test = {};  ///< of a split: rows of people who watch nothing

  [[nodiscard]] const std::shared_ptr<LassoData>& data() const { return paths.front().data; }
  /// Places of the paths that somebody watches.
  [[nodiscard]] std::vector<std::size_t> watched() const;
  /// Who watches the first path: those who validate.
  [[nodiscard]] const std::vector<std::uint32_t>& validate() const { return paths.front().watchers; }
  /// Whether there is a path of this kind.
  [[nodiscard]] bool has(Follows follows) const;
};

/// By trait and l1 ratio: those of the first trait first.
struct Study {
  std::vector<PathGroup> groups;

  [[nodiscard]] std::size_t size() const;  ///< paths
};

/// What is done with each response at each l1 ratio.
struct StudyDesign {
  enum class Kind : std::uint8_t { path, split, cv };
  Kind kind = Kind::path;
  std::vector<double> l1_ratios = {};  ///< empty: that of the options
  // Of a split.
  Measure measure = Measure::mse;
  bool refit = true;  ///< train and val are fitted together at the chosen lambda
  // Of a cross-validation.
  std::string folds = {};  ///< a number or a file (read_folds)
  std::uint64_t seed = 1;
  bool stratify = false;                              ///< as draw_folds()
  std::span<const std::uint32_t> folds_of_rows = {};  ///< instead of `folds`, or empty
};

/// Errors: as prepare_lasso(), draw_folds() and read_folds(), naming the fold or part, and the trait where there are
/// several; input: a response too large or too small for squared errors; usage: the area under the curve where those
/// who validate are of one class.
[[nodiscard]] Result<Study> make_study(std::span<const std::shared_ptr<const Dataset>> datasets,
                                       const LassoOptions& options, const StudyDesign& design);
/// The same of one response at the l1 ratio of `options`.
[[nodiscard]] Result<PathGroup> make_group(std::shared_ptr<const Dataset> dataset, const LassoOptions& options,
                                           const StudyDesign& design);

/// Of everything that decides what these paths come to, who watches and who tests as well: the files of a split may
/// change while the data stay. Cost: as Dataset::fingerprint().
[[nodiscard]] std::uint64_t study_fingerprint(std::span<const PathGroup> groups);

/// The measure of a group: of a cross-validation measure_for() its samples and folds. Errors: usage: the area under the
/// curve where no fold has samples of both classes.
[[nodiscard]] Result<Measure> measure_of(const PathGroup& group, Measure wanted);

/// Those who watch its paths.
[[nodiscard]] std::shared_ptr<Watchers> watchers_of(const PathGroup& group, Measure measure, const StopRule& rule);

/// Errors of a solution of path `path` for those who watch it, their offsets added. Cost: one pass over its variables.
[[nodiscard]] FoldError held_out_error(const PathGroup& group, std::size_t path, const Solution& step, Measure measure);

/// Mean of w (y - ybar)^2 over the samples: what a model without variables is off by. REQUIRES: folds.
[[nodiscard]] double response_variance(const PathGroup& group);

}  // namespace strads::lasso
