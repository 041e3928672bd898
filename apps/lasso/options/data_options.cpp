#include "lasso/options/data_options.hpp"

#include "lasso/options/family_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

void add_genotype_options(OptionTable& table, Source& source) {
  table.text({.name = "bfile",
              .placeholder = "PREFIX",
              .effect = "genotypes: PLINK PREFIX.bed, .bim, .fam; mapped, never expanded",
              .section = "input",
              .common = true},
             &source.bfile);
  table.text(
      {.name = "pfile",
       .placeholder = "PREFIX",
       .effect = "genotypes: PLINK 2 PREFIX.pgen, .pvar (or .pvar.zst), .psam; unpacked once into a file that is "
                 "mapped, found again by later runs",
       .section = "input",
       .common = true},
      &source.pfile);
  table.text({.name = "bpfile",
              .placeholder = "PREFIX",
              .effect = "genotypes: PREFIX.pgen with the tables of PLINK 1, PREFIX.bim (or .bim.zst), .fam; otherwise "
                        "as --pfile",
              .section = "input"},
             &source.bpfile);
  table.text({.name = "scratch",
              .placeholder = "DIR",
              .effect = "folder for what a .pgen is unpacked to; default: beside the .pgen",
              .section = "input"},
             &source.scratch);
}

void add_source_options(OptionTable& table, Source& source) {
  add_genotype_options(table, source);
  table.text(
      {.name = "x",
       .placeholder = "FILE",
       .effect =
           "design matrix: .npy, .npz, CSV/TSV, libsvm, Matrix Market; format by content, then suffix; gzip by content",
       .section = "input",
       .common = true},
      &source.x);
}

void add_phenotype_options(OptionTable& table, Response& response) {
  table.text({.name = "pheno",
              .placeholder = "FILE",
              .effect = "table with FID IID and phenotypes; without it: column 6 of the .fam, or a column of the .psam",
              .section = "input",
              .common = true},
             &response.pheno);
  table.text({.name = "pheno-name",
              .placeholder = "COLUMN",
              .effect = "its column, or without --pheno one of the .psam; default: the first after the ids; lasso path "
                        "and lasso cv take several, separated by commas",
              .section = "input",
              .common = true},
             &response.pheno_name);
}

void add_response_options(OptionTable& table, Response& response) {
  add_phenotype_options(table, response);
  table.text({.name = "y",
              .placeholder = "FILE",
              .effect = "response table with a header; libsvm carries its own",
              .section = "input",
              .common = true},
             &response.y);
  table.text({.name = "y-name",
              .placeholder = "COLUMN",
              .effect = "its column (without --y: a column of X); default: the first of --y; a column of X leaves X; "
                        "lasso path and lasso cv take several, separated by commas",
              .section = "input"},
             &response.y_name);
}

void add_control_option(OptionTable& table, Response& response) {
  table.flag(
      {.name = "1",
       .placeholder = "",
       .effect = "case/control phenotypes are 0 and 1, as plink2's --1; without it 0 is missing where there is a 2",
       .section = "input"},
      &response.zero_is_control);
}

void add_selection_options(OptionTable& table, InputOptions& input) {
  table.text({.name = "id-column",
              .placeholder = "COLUMN",
              .effect = "text column of X (and y) with sample ids; rows pair by position unless both have ids",
              .section = "input"},
             &input.samples.id_column);
  table.text({.name = "keep",
              .placeholder = "FILE",
              .effect = "samples to keep, FID IID (or one id) a line",
              .section = "input",
              .common = true},
             &input.samples.keep);
  table.text({.name = "remove",
              .placeholder = "FILE",
              .effect = "samples to leave out, FID IID (or one id) a line",
              .section = "input"},
             &input.samples.remove);
  table.text({.name = "covar",
              .placeholder = "FILE",
              .effect = "table with FID IID and covariates; they are fitted without penalty (projected out)",
              .section = "input",
              .common = true},
             &input.response.covar);
}

namespace {

// Which samples and variables take part.
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

void add_data_options(OptionTable& table, FitOptions& options) {
  add_source_options(table, options.input.source);
  add_response_options(table, options.input.response);
  add_control_option(table, options.input.response);
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
      &options.input.response.covar_names);
  table.text(
      {.name = "weights",
       .placeholder = "FILE",
       .effect = "table (or .npy vector) of sample weights in the sum of squares, means and norms; matched as the "
                 "table of the response is; only their ratios matter, 0 leaves a sample out",
       .section = "input"},
      &options.input.response.weights);
  table.text({.name = "weights-name",
              .placeholder = "COLUMN",
              .effect = "column of --weights (default: the first after the ids)",
              .section = "input"},
             &options.input.response.weights_name);
  add_offset_options(table, options.input.response);
  add_place_options(table, options.input.variables);
  add_genotype_filters(table, options.input.variables, options.input.samples.mind);
}

}  // namespace strads::lasso
