// From what the commands keep of a run to what their callers in other programs get.
#pragma once

#include <string>
#include <vector>

#include "lasso/library/lasso_library.hpp"
#include "lasso/output/cv_output.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/path_output.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// The path of `result` and its model.
void take_path(const PathResult& result, PathCall& out);
void take_cv(const CvResult& result, CvCall& out);
/// What is alike for all.
void note_outcome(const RunFacts& facts, double lambda_max, const std::vector<std::string>& notes,
                  const OptionTable& table, Outcome& out);

}  // namespace strads::lasso
