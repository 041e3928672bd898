// What is read, for every command of the Lasso: the rows of its options and what concerns several of them.
#pragma once

#include "lasso/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// Parts of add_data_options(), for commands that read data but fit nothing.
void add_source_options(OptionTable& table, Source& source);
/// Of these two only what goes with genotypes.
void add_genotype_options(OptionTable& table, Source& source);
void add_phenotype_options(OptionTable& table, Response& response);
void add_response_options(OptionTable& table, Response& response);
void add_control_option(OptionTable& table, Response& response);
void add_selection_options(OptionTable& table, InputOptions& input);

}  // namespace strads::lasso
