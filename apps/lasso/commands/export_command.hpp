// `lasso export`: hands a fitted model to other programs.
#pragma once

#include <span>
#include <string>

#include "lasso/options/score_options.hpp"
#include "regression/model_file.hpp"
#include "strads/base/status.hpp"

namespace strads::lasso {

/// The model as a file of `options.format`. Errors: usage: the format needs alleles.
[[nodiscard]] Result<std::string> exported_text(const ExportOptions& options, const FittedModel& model);

/// `arguments`: those after "export". Errors: usage, input.
[[nodiscard]] Status run_export(std::span<const std::string> arguments);

}  // namespace strads::lasso
