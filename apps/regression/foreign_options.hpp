// Options of other programs that people try here.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::lasso {

/// Usage error for an argument that is an option of plink2, glmnet or scikit-learn and none of ours: what does the same
/// here. No name of these is near enough to ours for the nearest one to be what was meant.
[[nodiscard]] Status expect_own_options(std::span<const std::string> arguments);

/// Their names, without dashes: none may become an option of ours without leaving the list.
[[nodiscard]] std::span<const std::string> foreign_option_names();

}  // namespace strads::lasso
