// What a checkpoint of a cross-validation keeps of a path that has ended.
#pragma once

#include <vector>

#include "lasso/problem/lasso_path.hpp"
#include "strads/program/checkpoint_file.hpp"

namespace strads::lasso {

/// `lead`: what the path on all samples told the others; null: the path without a fold, which tells nobody anything.
[[nodiscard]] KeptOfRun kept_of_path(const std::vector<Solution>& steps, const PathLead* lead);

/// Takes both back. `lead`: as it was given. Errors: input: this is no such thing.
Status take_back_path(const KeptOfRun& kept, std::vector<Solution>& steps, PathLead* lead);

}  // namespace strads::lasso
