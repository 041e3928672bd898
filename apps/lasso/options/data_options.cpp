#include "lasso/options/data_options.hpp"

#include "lasso/options/family_options.hpp"
#include "lasso/options/filter_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

void add_genotype_options(OptionTable& table, InputOptions& input) {
  table.text({.name = "bfile",
              .placeholder = "PREFIX",
              .effect = "genotypes: PLINK PREFIX.bed, .bim, .fam; mapped, never expanded",
              .section = "input",
              .common = true},
             &input.bfile);
  table.text(
      {.name = "pfile",
       .placeholder = "PREFIX",
       .effect = "genotypes: PLINK 2 PREFIX.pgen, .pvar (or .pvar.zst), .psam; unpacked once into a file that is "
                 "mapped, found again by later runs",
       .section = "input",
       .common = true},
      &input.pfile);
  table.text({.name = "bpfile",
              .placeholder = "PREFIX",
              .effect = "genotypes: PREFIX.pgen with the tables of PLINK 1, PREFIX.bim (or .bim.zst), .fam; otherwise "
                        "as --pfile",
              .section = "input"},
             &input.bpfile);
  table.text({.name = "scratch",
              .placeholder = "DIR",
              .effect = "folder for what a .pgen is unpacked to; default: beside the .pgen",
              .section = "input"},
             &input.scratch);
}

void add_source_options(OptionTable& table, InputOptions& input) {
  add_genotype_options(table, input);
  table.text(
      {.name = "x",
       .placeholder = "FILE",
       .effect =
           "design matrix: .npy, .npz, CSV/TSV, libsvm, Matrix Market; format by content, then suffix; gzip by content",
       .section = "input",
       .common = true},
      &input.x);
}

void add_phenotype_options(OptionTable& table, InputOptions& input) {
  table.text({.name = "pheno",
              .placeholder = "FILE",
              .effect = "table with FID IID and phenotypes; without it: column 6 of the .fam, or a column of the .psam",
              .section = "input",
              .common = true},
             &input.pheno);
  table.text({.name = "pheno-name",
              .placeholder = "COLUMN",
              .effect = "its column, or without --pheno one of the .psam; default: the first after the ids; lasso cv "
                        "takes several, separated by commas",
              .section = "input",
              .common = true},
             &input.pheno_name);
}

void add_response_options(OptionTable& table, InputOptions& input) {
  add_phenotype_options(table, input);
  table.text({.name = "y",
              .placeholder = "FILE",
              .effect = "response table with a header; libsvm carries its own",
              .section = "input",
              .common = true},
             &input.y);
  table.text({.name = "y-name",
              .placeholder = "COLUMN",
              .effect = "its column (without --y: a column of X); default: the first of --y; a column of X leaves X; "
                        "lasso cv takes several, separated by commas",
              .section = "input"},
             &input.y_name);
}

void add_control_option(OptionTable& table, InputOptions& input) {
  table.flag(
      {.name = "1",
       .placeholder = "",
       .effect = "case/control phenotypes are 0 and 1, as plink2's --1; without it 0 is missing where there is a 2",
       .section = "input"},
      &input.zero_is_control);
}

void add_selection_options(OptionTable& table, InputOptions& input) {
  table.text({.name = "id-column",
              .placeholder = "COLUMN",
              .effect = "text column of X (and y) with sample ids; rows pair by position unless both have ids",
              .section = "input"},
             &input.id_column);
  table.text({.name = "keep",
              .placeholder = "FILE",
              .effect = "samples to keep, FID IID (or one id) a line",
              .section = "input",
              .common = true},
             &input.keep);
  table.text({.name = "remove",
              .placeholder = "FILE",
              .effect = "samples to leave out, FID IID (or one id) a line",
              .section = "input"},
             &input.remove);
  table.text({.name = "covar",
              .placeholder = "FILE",
              .effect = "table with FID IID and covariates; they are fitted without penalty (projected out)",
              .section = "input",
              .common = true},
             &input.covar);
}

void add_data_options(OptionTable& table, FitOptions& options) {
  add_source_options(table, options.input);
  add_response_options(table, options.input);
  add_control_option(table, options.input);
  table.choice(
      {.name = "missing",
       .placeholder = "",
       .effect =
           "missing values in a table X: an error with its place, or the column's mean; genotypes: always the mean",
       .section = "input"},
      &options.missing, {"error", "mean"});
  add_selection_options(table, options.input);
  table.list(
      {.name = "covar-name",
       .placeholder = "COLUMNS",
       .effect =
           "columns of --covar, also as PC1-PC10; a column of text is a factor; what it does not have may be SEX or "
           "another column of the .fam or .psam, also without --covar; default: all numeric ones of --covar, but of "
           "the trait's own table none",
       .section = "input"},
      &options.input.covar_names);
  table.text(
      {.name = "weights",
       .placeholder = "FILE",
       .effect = "table (or .npy vector) of sample weights in the sum of squares, means and norms; matched as the "
                 "table of the response is; only their ratios matter, 0 leaves a sample out",
       .section = "input"},
      &options.input.weights);
  table.text({.name = "weights-name",
              .placeholder = "COLUMN",
              .effect = "column of --weights (default: the first after the ids)",
              .section = "input"},
             &options.input.weights_name);
  add_offset_options(table, options.input);
  add_filter_options(table, options.input);
}

namespace {

Status check_source(const InputOptions& input) {
  if (input.has_x_in_memory()) {
    return input.sources() == 0 ? Status()
                                : Status::usage("X is given twice, in memory and as a file; give one of them");
  }
  if (input.sources() == 0) {
    return Status::usage(
        "no input: give --bfile PREFIX, --pfile PREFIX, --bpfile PREFIX or --x FILE (--help shows the options)");
  }
  if (input.sources() > 1) {
    return Status::usage("--bfile, --pfile, --bpfile and --x exclude each other; give one of them");
  }
  if (!input.has_pgen() && !input.scratch.empty()) return Status::usage("--scratch goes with --pfile and --bpfile");
  return {};
}

}  // namespace

Status check_covariate_names(const InputOptions& input) {
  if (!input.covar.empty() || input.covar_names.empty()) return {};
  if (input.is_plink()) return {};
  return Status::usage("--covar-name needs --covar FILE; only columns of a .fam or a .psam need none");
}

Status check_input(const InputOptions& input) {
  if (Status source = check_source(input); !source.ok()) return source;
  if (Status filters = check_filters(input); !filters.ok()) return filters;
  if (!input.is_plink()) {
    if (!input.pheno.empty() || !input.pheno_name.empty()) {
      return Status::usage("--pheno and --pheno-name go with --bfile; with --x use --y and --y-name");
    }
    return {};
  }
  if (!input.y.empty() || !input.y_name.empty()) {
    return Status::usage("--y and --y-name go with --x; with --bfile use --pheno and --pheno-name");
  }
  if (!input.id_column.empty()) return Status::usage("--id-column goes with --x: PLINK samples have FID and IID");
  if (input.pheno.empty() && !input.pheno_name.empty() && !input.has_psam()) {
    return Status::usage("--pheno-name needs --pheno FILE");
  }
  return {};
}

}  // namespace strads::lasso
