// Options that say which samples and variables take part.
#pragma once

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// --extract, --exclude, --chr, --from-bp, --to-bp, and filters by genotypes: --mind, --geno, --hwe, --maf, --max-maf.
void add_filter_options(OptionTable& table, InputOptions& input);
/// Usage errors: an option of genotypes without genotypes, bounds that leave nothing between them.
[[nodiscard]] Status check_filters(const InputOptions& input);

}  // namespace strads::lasso
