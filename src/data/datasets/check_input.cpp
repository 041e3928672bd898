// Which options of the data go together.
#include <string>
#include <utility>

#include "data/text/text.hpp"
#include "strads/data/input_options.hpp"

namespace strads {
namespace {

Status check_source(const Source& source) {
  if (source.has_x_in_memory()) {
    return source.given() == 0 ? Status()
                               : Status::usage("X is given twice, in memory and as a file; give one of them");
  }
  if (source.given() == 0) {
    return Status::usage(
        "no input: give --bfile PREFIX, --pfile PREFIX, --bpfile PREFIX or --x FILE (--help shows the options)");
  }
  if (source.given() > 1) {
    return Status::usage("--bfile, --pfile, --bpfile and --x exclude each other; give one of them");
  }
  if (!source.has_pgen() && !source.scratch.empty()) return Status::usage("--scratch goes with --pfile and --bpfile");
  return {};
}

Status check_filters(const InputOptions& input) {
  const Variables& variables = input.variables;
  const std::pair<const char*, bool> of_plink[] = {
      {"--chr", !variables.chromosomes.empty()}, {"--from-bp", variables.from_bp.has_value()},
      {"--to-bp", variables.to_bp.has_value()},  {"--mind", input.samples.mind.has_value()},
      {"--geno", variables.geno.has_value()},    {"--hwe", variables.hwe.has_value()},
      {"--maf", variables.maf.has_value()},      {"--max-maf", variables.max_maf.has_value()},
  };
  for (const auto& [option, given] : of_plink) {
    if (!given || input.source.is_plink()) continue;
    return Status::usage(std::string(option) + " goes with --bfile: other formats have no chromosomes, founders or " +
                         "genotype calls");
  }
  if (variables.maf && variables.max_maf && *variables.maf > *variables.max_maf) {
    return Status::usage("--maf " + data::short_number(*variables.maf) + " is larger than --max-maf " +
                         data::short_number(*variables.max_maf) + ": no variant lies between them");
  }
  return {};
}

}  // namespace

Status check_input(const InputOptions& input) {
  const Source& source = input.source;
  const Response& response = input.response;
  if (Status given = check_source(source); !given.ok()) return given;
  if (Status filters = check_filters(input); !filters.ok()) return filters;
  if (!source.is_plink()) {
    if (!response.pheno.empty() || !response.pheno_name.empty()) {
      return Status::usage("--pheno and --pheno-name go with --bfile; with --x use --y and --y-name");
    }
    if (!response.covar_names.empty() && response.covar.empty()) {
      return Status::usage("--covar-name needs --covar FILE; only columns of a .fam or a .psam need none");
    }
    return {};
  }
  if (!response.y.empty() || !response.y_name.empty()) {
    return Status::usage("--y and --y-name go with --x; with --bfile use --pheno and --pheno-name");
  }
  if (!input.samples.id_column.empty())
    return Status::usage("--id-column goes with --x: PLINK samples have FID and IID");
  if (response.pheno.empty() && !response.pheno_name.empty() && !source.has_psam()) {
    return Status::usage("--pheno-name needs --pheno FILE");
  }
  return {};
}

}  // namespace strads
