// What is read, for every command of the Lasso: what its own rows say besides those that all programs have.
#pragma once

#include "lasso/options/fit_options.hpp"
#include "regression/data_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// Parts of add_data_options(), for commands that read data but fit nothing.
inline constexpr const char* kSeveralTraits = "; lasso path and lasso cv take several, separated by commas";
/// Who takes part, and --covar.
void add_selection_options(OptionTable& table, InputOptions& input);

}  // namespace strads::lasso
