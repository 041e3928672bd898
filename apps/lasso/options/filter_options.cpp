#include "lasso/options/filter_options.hpp"

#include <string>

#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

void add_place_options(OptionTable& table, Variables& variables) {
  table.text(
      {.name = "extract", .placeholder = "FILE", .effect = "variables to keep, one id a line", .section = "input"},
      &variables.extract);
  table.text(
      {.name = "exclude", .placeholder = "FILE", .effect = "variables to leave out, one id a line", .section = "input"},
      &variables.exclude);
  table.list({.name = "chr",
              .placeholder = "CHROMOSOMES",
              .effect = "chromosomes to keep (PLINK), also as 1-4,22,X; X = 23, Y = 24, XY = 25, MT = 26, chr2 = 2",
              .section = "input"},
             &variables.chromosomes);
  table.count({.name = "from-bp",
               .placeholder = "BP",
               .effect = "first position to keep, on the one chromosome that --chr names",
               .section = "input",
               .unit = "base pairs"},
              &variables.from_bp, {});
  table.count({.name = "to-bp",
               .placeholder = "BP",
               .effect = "last position to keep, on the one chromosome that --chr names",
               .section = "input",
               .unit = "base pairs"},
              &variables.to_bp, {});
}

void add_genotype_filters(OptionTable& table, Variables& variables, std::optional<double>& mind) {
  table.number({.name = "mind",
                .placeholder = "SHARE",
                .effect = "largest share of variants without a call that a sample may have (PLINK)",
                .section = "input"},
               &mind, {.min = 0, .max = 1});
  table.number({.name = "geno",
                .placeholder = "SHARE",
                .effect = "largest share of samples without a call that a variant may have (PLINK)",
                .section = "input"},
               &variables.geno, {.min = 0, .max = 1});
  table.number({.name = "hwe",
                .placeholder = "P",
                .effect = "smallest p that a variant may have in the exact test of Hardy-Weinberg equilibrium among "
                          "founders (PLINK)",
                .section = "input"},
               &variables.hwe, {.min = 0, .max = 1, .max_open = true});
  table.number({.name = "maf",
                .placeholder = "F",
                .effect = "smallest frequency of the rarer allele among founders (PLINK)",
                .section = "input"},
               &variables.maf, {.min = 0, .max = 0.5});
  table.number({.name = "max-maf",
                .placeholder = "F",
                .effect = "largest frequency of the rarer allele among founders (PLINK)",
                .section = "input"},
               &variables.max_maf, {.min = 0, .max = 0.5});
}

}  // namespace

void add_filter_options(OptionTable& table, InputOptions& input) {
  add_place_options(table, input.variables);
  add_genotype_filters(table, input.variables, input.samples.mind);
}

}  // namespace strads::lasso
