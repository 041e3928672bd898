// What `lasso path --split` writes and shows besides what every path does. Formats: docs/OUTPUT.md.
#pragma once

#include <span>
#include <string>

#include "lasso/options/path_options.hpp"
#include "lasso/output/path_output.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

inline constexpr const char* kValidationPicture = "val.svg";
inline constexpr const char* kChosenFolder = "chosen";
inline constexpr const char* kRefitFolder = "refit";

/// "train 800, val 100, test 100": samples.
[[nodiscard]] std::string split_text(const PathGroup& group);
/// "R2 0.31"; of two classes "AUC 0.8, deviance 0.91".
[[nodiscard]] std::string held_out_score_text(const HeldOutScore& score, Family family);
/// Adds "chosen" and "refit", as far as these are there.
void add_split_choice(Summary& summary, const PathResult& result);
/// The scores of the chosen and of the refitted model. REQUIRES: a choice, steps that are complete.
void score_models(PathResult& result);
/// The error on val against lambda. REQUIRES: a choice.
[[nodiscard]] std::string validation_picture(const PathResult& result);
/// Writes chosen/ and refit/ as far as these are there. `model`: the path on train.
[[nodiscard]] Status write_split_models(const PathCommandOptions& options, const PathResult& result,
                                        const FittedPath& model, RunDirectory& directory);
/// `run`, `all`: as path_summary(). Those of a path, and "split", "measure", "chosen", "refit".
[[nodiscard]] Summary split_summary(const PathCommandOptions& options, const PathResult& result, const RunFacts* run,
                                    std::span<const PathResult> all = {});
/// Seven lines: those of a path, and after the second what was chosen and how good it is on test. Of a path that was
/// stopped one more between these: what it has not looked at.
[[nodiscard]] std::string split_closing_lines(const PathCommandOptions& options, const PathResult& result,
                                              const RunDirectory& directory);

}  // namespace strads::lasso
