#include "regression/data_options.hpp"

#include "strads/program/option_table.hpp"

namespace strads::lasso {

void add_genotype_options(OptionTable& table, Source& source) {
  const OptionSection rows = table.section("input");
  rows.common().text("bfile", "PREFIX",
                     "genotypes: PLINK PREFIX.bed, .bim, .fam; mapped, never expanded; an @ in PREFIX stands for each "
                     "chromosome that has files, whose columns are copied together",
                     &source.bfile);
  rows.common().text("pfile", "PREFIX",
                     "genotypes: PLINK 2 PREFIX.pgen, .pvar (or .pvar.zst), .psam; unpacked once into a file that is "
                     "mapped, found again by later runs",
                     &source.pfile);
  rows.text("bpfile", "PREFIX",
            "genotypes: PREFIX.pgen with the tables of PLINK 1, PREFIX.bim (or .bim.zst), .fam; otherwise as --pfile",
            &source.bpfile);
  rows.text("scratch", "DIR", "folder for what a .pgen is unpacked to; default: beside the .pgen", &source.scratch);
}

void add_source_options(OptionTable& table, Source& source) {
  add_genotype_options(table, source);
  table.section("input").common().text(
      "x", "FILE",
      "design matrix: .npy, .npz, CSV/TSV, libsvm, Matrix Market; format by content, then suffix; gzip by content",
      &source.x);
}

void add_phenotype_options(OptionTable& table, Response& response, const std::string& more) {
  const OptionSection rows = table.section("input");
  rows.common().text("pheno", "FILE",
                     "table with FID IID and phenotypes; without it: column 6 of the .fam, or a column of the .psam",
                     &response.pheno);
  rows.common().text("pheno-name", "COLUMN",
                     "its column, or without --pheno one of the .psam; default: the first after the ids" + more,
                     &response.pheno_name);
}

void add_response_options(OptionTable& table, Response& response, const std::string& more) {
  add_phenotype_options(table, response, more);
  const OptionSection rows = table.section("input");
  rows.common().text("y", "FILE", "response table with a header; libsvm carries its own", &response.y);
  rows.text("y-name", "COLUMN",
            "its column (without --y: a column of X); default: the first of --y; a column of X leaves X" + more,
            &response.y_name);
}

void add_control_option(OptionTable& table, Response& response) {
  table.section("input").flag(
      "1", "case/control phenotypes are 0 and 1, as plink2's --1; without it 0 is missing where there is a 2",
      &response.zero_is_control);
}

void add_missing_option(OptionTable& table, std::string* missing) {
  table.section("input").choice(
      "missing",
      "missing values in a table X: an error with its place, or the column's mean; genotypes: always the mean", missing,
      {"error", "mean"});
}

void add_sample_options(OptionTable& table, Samples& samples) {
  const OptionSection rows = table.section("input");
  rows.text("id-column", "COLUMN",
            "text column of X (and y) with sample ids; rows pair by position unless both have ids", &samples.id_column);
  rows.common().text("keep", "FILE", "samples to keep, FID IID (or one id) a line", &samples.keep);
  rows.text("remove", "FILE", "samples to leave out, FID IID (or one id) a line", &samples.remove);
}

void add_weights_options(OptionTable& table, Response& response, const std::string& what) {
  const OptionSection rows = table.section("input");
  rows.text("weights", "FILE",
            "table (or .npy vector) of sample weights " + what + "; matched as the table of the response is; only " +
                "their ratios matter, 0 leaves a sample out",
            &response.weights);
  rows.text("weights-name", "COLUMN", "column of --weights (default: the first after the ids)", &response.weights_name);
}

void add_variable_options(OptionTable& table, Variables& variables) {
  const OptionSection rows = table.section("input");
  rows.text("extract", "FILE", "variables to keep, one id a line", &variables.extract);
  rows.text("exclude", "FILE", "variables to leave out, one id a line", &variables.exclude);
  rows.list("chr", "CHROMOSOMES",
            "chromosomes to keep (PLINK), also as 1-4,22,X; X = 23, Y = 24, XY = 25, MT = 26, chr2 = 2",
            &variables.chromosomes);
  rows.unit("base pairs")
      .count("from-bp", "BP", "first position to keep, on the one chromosome that --chr names", &variables.from_bp, {});
  rows.unit("base pairs")
      .count("to-bp", "BP", "last position to keep, on the one chromosome that --chr names", &variables.to_bp, {});
}

void add_genotype_filters(OptionTable& table, Variables& variables, std::optional<double>& mind) {
  const OptionSection rows = table.section("input");
  rows.number("mind", "SHARE", "largest share of variants without a call that a sample may have (PLINK)", &mind,
              {.min = 0, .max = 1});
  rows.number("geno", "SHARE", "largest share of samples without a call that a variant may have (PLINK)",
              &variables.geno, {.min = 0, .max = 1});
  rows.number(
      "hwe", "P",
      "smallest p that a variant may have in the exact test of Hardy-Weinberg equilibrium among founders (PLINK)",
      &variables.hwe, {.min = 0, .max = 1, .max_open = true});
  rows.number("maf", "F", "smallest frequency of the rarer allele among founders (PLINK)", &variables.maf,
              {.min = 0, .max = 0.5});
  rows.number("max-maf", "F", "largest frequency of the rarer allele among founders (PLINK)", &variables.max_maf,
              {.min = 0, .max = 0.5});
}

}  // namespace strads::lasso
