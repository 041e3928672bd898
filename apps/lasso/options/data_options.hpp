// What is read, for every command of the Lasso: the rows of its options and what concerns several of them.
#pragma once

#include "lasso/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// Parts of add_data_options(), for commands that read data but fit nothing.
void add_source_options(OptionTable& table, InputOptions& input);
/// Of these two only what goes with genotypes.
void add_genotype_options(OptionTable& table, InputOptions& input);
void add_phenotype_options(OptionTable& table, InputOptions& input);
void add_response_options(OptionTable& table, InputOptions& input);
void add_control_option(OptionTable& table, InputOptions& input);
void add_selection_options(OptionTable& table, InputOptions& input);

/// Errors: usage: options that do not go together.
[[nodiscard]] Status check_input(const InputOptions& input);

/// Usage error: --covar-name without a table, where samples have none of their own (.fam, .psam).
[[nodiscard]] Status check_covariate_names(const InputOptions& input);

}  // namespace strads::lasso
