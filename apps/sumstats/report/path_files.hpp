// Files of a run: the curve, the solutions, the chosen one. Formats: docs/OUTPUT.md.
#pragma once

#include <string>
#include <vector>

#include "strads/program/run_directory.hpp"
#include "sumstats/load/path_result.hpp"
#include "sumstats/options/path_options.hpp"

namespace strads::sumstats {

/// Names of what a run of these options writes, its summary left out.
[[nodiscard]] std::vector<std::string> files_of_path(const PathOptions& options);

/// path.tsv, dropped.tsv, for each shrinkage s_S/path.bin, which lasso predict and lasso export take; of the chosen
/// solution coefficients.tsv, model.bin and score.txt, a file of the PGS Catalog's form. A fit has neither a curve nor
/// path.bin.
[[nodiscard]] Status write_path_files(RunDirectory& directory, const PathOptions& options, const PathResult& result);

}  // namespace strads::sumstats
