#include "lasso/options/data_options.hpp"

#include "lasso/options/family_options.hpp"
#include "regression/data_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

void add_selection_options(OptionTable& table, InputOptions& input) {
  add_sample_options(table, input.samples);
  table.section("input").common().text(
      "covar", "FILE", "table with FID IID and covariates; they are fitted without penalty (projected out)",
      &input.response.covar);
}

void add_data_options(OptionTable& table, FitOptions& options) {
  add_source_options(table, options.input.source);
  add_response_options(table, options.input.response, kSeveralTraits);
  add_control_option(table, options.input.response);
  add_missing_option(table, &options.missing);
  add_selection_options(table, options.input);
  table.section("input").list(
      "covar-name", "COLUMNS",
      "columns of --covar, also as PC1-PC10; a column of text is a factor; what it does not have may be SEX or another "
      "column of the .fam or .psam, also without --covar; default: all numeric ones of --covar, but of the trait's own "
      "table none",
      &options.input.response.covar_names);
  add_weights_options(table, options.input.response, "in the sum of squares, means and norms");
  add_offset_options(table, options.input.response);
  add_variable_options(table, options.input.variables);
  add_genotype_filters(table, options.input.variables, options.input.samples.mind);
}

}  // namespace strads::lasso
