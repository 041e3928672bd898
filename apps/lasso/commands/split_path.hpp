// `lasso path --split`.
#pragma once

#include "lasso/options/path_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// As run_path(), of settled options with --split; stdout gets seven lines.
[[nodiscard]] Status run_split_path(const PathCommandOptions& options, const OptionTable& table);

}  // namespace strads::lasso
