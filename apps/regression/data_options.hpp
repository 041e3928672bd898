// What is read, for every program whose data are samples and variables: the rows of its options. What differs between
// programs, they say themselves.
#pragma once

#include <optional>
#include <string>

#include "strads/data/input_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// --bfile, --pfile, --bpfile, --scratch.
void add_genotype_options(OptionTable& table, Source& source);
/// These and --x.
void add_source_options(OptionTable& table, Source& source);
/// --pheno, --pheno-name: what goes with genotypes. `more`: what is said of the name besides.
void add_phenotype_options(OptionTable& table, Response& response, const std::string& more);
/// These, --y and --y-name.
void add_response_options(OptionTable& table, Response& response, const std::string& more);
/// --1.
void add_control_option(OptionTable& table, Response& response);
/// --missing. `missing`: "error" or "mean".
void add_missing_option(OptionTable& table, std::string* missing);
/// --id-column, --keep, --remove.
void add_sample_options(OptionTable& table, Samples& samples);
/// --weights, --weights-name. `what`: what is weighted, and what weights of 0 and their size mean.
void add_weights_options(OptionTable& table, Response& response, const std::string& what);
/// --extract, --exclude, --chr, --from-bp, --to-bp.
void add_variable_options(OptionTable& table, Variables& variables);
/// --mind, --geno, --hwe, --maf, --max-maf.
void add_genotype_filters(OptionTable& table, Variables& variables, std::optional<double>& mind);

}  // namespace strads::lasso
