#include "lasso/options/filter_options.hpp"

#include <string>
#include <utility>

#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

void add_place_options(OptionTable& table, InputOptions& input) {
  table.text(
      {.name = "extract", .placeholder = "FILE", .effect = "variables to keep, one id a line", .section = "input"},
      &input.extract);
  table.text(
      {.name = "exclude", .placeholder = "FILE", .effect = "variables to leave out, one id a line", .section = "input"},
      &input.exclude);
  table.list({.name = "chr",
              .placeholder = "CHROMOSOMES",
              .effect = "chromosomes to keep (PLINK), also as 1-4,22,X; X = 23, Y = 24, XY = 25, MT = 26, chr2 = 2",
              .section = "input"},
             &input.chromosomes);
  table.count({.name = "from-bp",
               .placeholder = "BP",
               .effect = "first position to keep, on the one chromosome that --chr names",
               .section = "input",
               .unit = "base pairs"},
              &input.from_bp, {});
  table.count({.name = "to-bp",
               .placeholder = "BP",
               .effect = "last position to keep, on the one chromosome that --chr names",
               .section = "input",
               .unit = "base pairs"},
              &input.to_bp, {});
}

void add_genotype_filters(OptionTable& table, InputOptions& input) {
  table.number({.name = "mind",
                .placeholder = "SHARE",
                .effect = "largest share of variants without a call that a sample may have (PLINK)",
                .section = "input"},
               &input.mind, {.min = 0, .max = 1});
  table.number({.name = "geno",
                .placeholder = "SHARE",
                .effect = "largest share of samples without a call that a variant may have (PLINK)",
                .section = "input"},
               &input.geno, {.min = 0, .max = 1});
  table.number({.name = "hwe",
                .placeholder = "P",
                .effect = "smallest p that a variant may have in the exact test of Hardy-Weinberg equilibrium among "
                          "founders (PLINK)",
                .section = "input"},
               &input.hwe, {.min = 0, .max = 1, .max_open = true});
  table.number({.name = "maf",
                .placeholder = "F",
                .effect = "smallest frequency of the rarer allele among founders (PLINK)",
                .section = "input"},
               &input.maf, {.min = 0, .max = 0.5});
  table.number({.name = "max-maf",
                .placeholder = "F",
                .effect = "largest frequency of the rarer allele among founders (PLINK)",
                .section = "input"},
               &input.max_maf, {.min = 0, .max = 0.5});
}

}  // namespace

void add_filter_options(OptionTable& table, InputOptions& input) {
  add_place_options(table, input);
  add_genotype_filters(table, input);
}

Status check_filters(const InputOptions& input) {
  const std::pair<const char*, bool> of_plink[] = {
      {"--chr", !input.chromosomes.empty()}, {"--from-bp", input.from_bp.has_value()},
      {"--to-bp", input.to_bp.has_value()},  {"--mind", input.mind.has_value()},
      {"--geno", input.geno.has_value()},    {"--hwe", input.hwe.has_value()},
      {"--maf", input.maf.has_value()},      {"--max-maf", input.max_maf.has_value()},
  };
  for (const auto& [option, given] : of_plink) {
    if (!given || input.is_plink()) continue;
    return Status::usage(std::string(option) + " goes with --bfile: other formats have no chromosomes, founders or " +
                         "genotype calls");
  }
  if (input.maf && input.max_maf && *input.maf > *input.max_maf) {
    return Status::usage("--maf " + short_text(*input.maf) + " is larger than --max-maf " + short_text(*input.max_maf) +
                         ": no variant lies between them");
  }
  return {};
}

}  // namespace strads::lasso
