// From what the commands keep of a run to what their callers in other programs get.
#pragma once

#include <string>
#include <vector>

#include "lasso/library/lasso_library.hpp"
#include "lasso/study/study_result.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// Path, model, and what people who validate have chosen.
void take_path(const PathResult& result, PathCall& out);
void take_cv(const PathResult& result, CvCall& out);
/// What is alike for all. `run`: of all results together.
void note_outcome(const RunFacts& run, const PathResult& result, const std::vector<std::string>& notes,
                  const OptionTable& table, Outcome& out);

}  // namespace strads::lasso
