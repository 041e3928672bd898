// What `lasso path --split` writes and shows besides what every path does. Formats: docs/OUTPUT.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lasso/held_out/split.hpp"
#include "lasso/options/path_options.hpp"
#include "lasso/output/path_output.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// Everything about a finished path with a split. The base class has the path on train.
struct SplitResult : PathResult {
  SplitData split;
  std::vector<Solution> refit;  ///< solved on train and val, in order; the last one is the model. Empty: none
  // Of the chosen step; the last one of the refitted model.
  HeldOutScore validation_score, test_score, refit_score;

  [[nodiscard]] bool has_choice() const { return !curve.mean.empty(); }
};

inline constexpr const char* kValidationPicture = "val.svg";
inline constexpr const char* kChosenFolder = "chosen";
inline constexpr const char* kRefitFolder = "refit";

/// "train 800, val 100, test 100": samples.
[[nodiscard]] std::string split_text(const SplitData& data);
/// The scores of the chosen and of the refitted model. REQUIRES: a choice, steps that are complete.
void score_models(SplitResult& result);
/// The error on val against lambda. REQUIRES: a choice.
[[nodiscard]] std::string validation_picture(const SplitResult& result);
/// Writes chosen/ and refit/ as far as these are there. `model`: the path on train.
[[nodiscard]] Status write_split_models(const PathCommandOptions& options, const SplitResult& result,
                                        const FittedPath& model, RunDirectory& directory);
/// Those of a path, and "split", "measure", "chosen", "refit".
[[nodiscard]] Summary split_summary(const PathCommandOptions& options, const SplitResult& result);
/// Seven lines: those of a path, and after the second what was chosen and how good it is on test. Of a path that was
/// stopped one more between these: what it has not looked at.
[[nodiscard]] std::string split_closing_lines(const PathCommandOptions& options, const SplitResult& result,
                                              const RunDirectory& directory);

}  // namespace strads::lasso
