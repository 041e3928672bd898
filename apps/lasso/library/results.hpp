// From what the commands keep of a run to what their callers in other programs get.
#pragma once

#include "lasso/library/lasso_library.hpp"
#include "lasso/study/study_result.hpp"

namespace strads::lasso {

/// Path, model, and what people who validate have chosen.
void take_path(const PathResult& result, PathCall& out);
void take_cv(const PathResult& result, CvCall& out);
/// What is alike for all, but for how the run went.
void note_path(const PathResult& result, Outcome& out);

}  // namespace strads::lasso
