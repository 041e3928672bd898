#include "lasso/options/family_options.hpp"

#include "strads/base/listed.hpp"
#include "strads/data/data_in_memory.hpp"
#include "strads/policies/policies.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

std::vector<std::string> names_of_families() {
  std::vector<std::string> names;
  for (const Family family : Family::all()) names.emplace_back(family->name);
  return names;
}

/// "gaussian: number, binomial: class; least squares, or logistic regression (...)".
std::string families_text() {
  std::vector<std::string> responses, regressions;
  for (const Family family : Family::all()) {
    const std::string_view response = family->response, article = "a ";
    const bool has_article = response.starts_with(article);
    responses.push_back(family->name + (": " + std::string(response.substr(has_article ? article.size() : 0))));
    regressions.emplace_back(family->regression);
  }
  return listed(responses, ", ") + "; " + listed(regressions, ", or ") +
         " (docs/FORMATS.md says how classes are coded)";
}

}  // namespace

void add_family_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().choice("family", families_text(), &options.family, names_of_families());
  rows.on_off("intercept", of_families_with_link() + ": an intercept without penalty; off needs --center off",
              &options.lasso.intercept);
}

void add_offset_options(OptionTable& table, Response& response) {
  const OptionSection rows = table.section("input");
  rows.text(
      "offset", "FILE",
      of_families_with_link() +
          ": table (or .npy vector) of what is added to X beta at each sample; matched as the table of the response is",
      &response.offset);
  rows.text("offset-name", "COLUMN", "column of --offset (default: the first after the ids)", &response.offset_name);
}

Status settle_family(FitOptions& options) {
  const Family family = Family::named(options.family).value_or(Family::gaussian);
  options.lasso.family = family;
  options.input.response.two_classes = family->has_classes;
  options.input.response.only_numbers = family->has_only_numbers();
  if (!options.input.response.offset_name.empty() && options.input.response.offset.empty()) {
    return Status::usage("--offset-name needs --offset FILE");
  }
  if (family->is_squares()) {
    if (!options.lasso.intercept) {
      return Status::usage("--intercept goes with --family " + families_with_link(" or ") +
                           "; least squares have none where --center off and --center-y off say so");
    }
    const auto& memory = options.input.source.in_memory;
    if (!options.input.response.offset.empty() || (memory != nullptr && !memory->offset.empty())) {
      return Status::usage("--offset goes with --family " + families_with_link(" or ") +
                           "; with least squares subtract it from the response");
    }
    return {};
  }
  const std::string own = "--family " + std::string(family->name);
  if (!options.lasso.center_y || !options.lasso.scale_y) {
    return Status::usage("--" + std::string(options.lasso.center_y ? "scale-y" : "center-y") +
                         " off has no meaning for " + own + ", whose response is " + family->response +
                         "; leave it out");
  }
  if (options.lambda_scale == "y") {
    return Status::usage("--lambda-scale y has no meaning for " + own +
                         ", whose response has no scale; give lambda of the standardised problem (unit; glmnet's "
                         "lambda times sqrt(N)) or lambda / lambda_max (ratio)");
  }
  if (!options.lasso.intercept && options.lasso.center) {
    return Status::usage(
        "--intercept off needs --center off: without an intercept nothing would make up for the means that are "
        "subtracted");
  }
  if (!family->curvature_bound && options.policy != policy_names().front()) {
    return Status::usage("--policy " + options.policy +
                         " takes steps by a bound of the loss's second derivative, and " + own +
                         " has none; leave it out (auto searches every step)");
  }
  return {};
}

}  // namespace strads::lasso
