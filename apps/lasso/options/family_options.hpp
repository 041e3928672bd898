// The options that say what the response is: --family and what goes with it.
#pragma once

#include "lasso/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// --family, --intercept.
void add_family_options(OptionTable& table, FitOptions& options);
/// --offset, --offset-name.
void add_offset_options(OptionTable& table, InputOptions& input);

/// Fills options.lasso.family and what follows from it in options.input. Errors: usage: an option that has no meaning
/// for the family.
[[nodiscard]] Status settle_family(FitOptions& options);

}  // namespace strads::lasso
