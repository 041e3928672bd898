#include "lasso/options/family_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

void add_family_options(OptionTable& table, FitOptions& options) {
  table.choice({.name = "family",
                .placeholder = "",
                .effect = "gaussian = number, binomial = one of two classes; least squares, or logistic regression "
                          "(docs/FORMATS.md says how classes are coded)",
                .section = "problem",
                .common = true},
               &options.family, {"gaussian", "binomial"});
  table.on_off({.name = "intercept",
                .placeholder = "",
                .effect = "of the binomial family: an intercept without penalty; off needs --center off",
                .section = "problem"},
               &options.lasso.intercept);
}

void add_offset_options(OptionTable& table, Response& response) {
  table.text({.name = "offset",
              .placeholder = "FILE",
              .effect = "of the binomial family: table (or .npy vector) of what is added to X beta at each sample; "
                        "matched as the table of the response is",
              .section = "input"},
             &response.offset);
  table.text({.name = "offset-name",
              .placeholder = "COLUMN",
              .effect = "column of --offset (default: the first after the ids)",
              .section = "input"},
             &response.offset_name);
}

Status settle_family(FitOptions& options) {
  const bool binomial = options.family == "binomial";
  options.lasso.family = binomial ? Family::binomial : Family::gaussian;
  options.input.response.two_classes = binomial;
  if (!options.input.response.offset_name.empty() && options.input.response.offset.empty()) {
    return Status::usage("--offset-name needs --offset FILE");
  }
  if (!binomial) {
    if (!options.lasso.intercept) {
      return Status::usage(
          "--intercept goes with --family binomial; least squares have none where --center off and --center-y off say "
          "so");
    }
    if (!options.input.response.offset.empty()) {
      return Status::usage("--offset goes with --family binomial; with least squares subtract it from the response");
    }
    return {};
  }
  if (!options.lasso.center_y || !options.lasso.scale_y) {
    return Status::usage("--" + std::string(options.lasso.center_y ? "scale-y" : "center-y") +
                         " off has no meaning for --family binomial, whose response is one of two classes; leave it "
                         "out");
  }
  if (options.lambda_scale == "y") {
    return Status::usage(
        "--lambda-scale y has no meaning for --family binomial, whose response has no scale; give lambda of the "
        "standardised problem (unit; glmnet's lambda times sqrt(N)) or lambda / lambda_max (ratio)");
  }
  if (!options.lasso.intercept && options.lasso.center) {
    return Status::usage(
        "--intercept off needs --center off: without an intercept nothing would make up for the means that are "
        "subtracted");
  }
  return {};
}

}  // namespace strads::lasso
