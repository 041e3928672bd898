#include "lasso/options/fit_options.hpp"

#include <filesystem>
#include <system_error>

#include "lasso/options/cv_options.hpp"
#include "lasso/options/data_options.hpp"
#include "lasso/options/family_options.hpp"
#include "lasso/options/path_options.hpp"
#include "lasso/options/score_options.hpp"
#include "regression/model_file.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/policy_options.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::lasso {
namespace {

void add_standardization_options(OptionTable& table, LassoOptions& lasso) {
  const OptionSection rows = table.section("problem");
  rows.on_off("center", "subtract the mean of every column of X; implicit, sparse stays sparse", &lasso.center);
  rows.on_off("scale", "divide every column of X by its 2-norm; with --center off by that of the raw column",
              &lasso.scale);
  rows.on_off("center-y", "subtract the mean of y", &lasso.center_y);
  rows.on_off("scale-y", "divide y by its 2-norm; lambda and tolerance are on the scale that results", &lasso.scale_y);
}

void add_lambda_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().number("lambda", "L", "weight of the l1 norm, on the scale of --lambda-scale", &options.lambda,
                       {.min = 0, .min_open = true});
  rows.common().number("lambda-ratio", "R", "instead of --lambda: lambda / lambda_max", &options.lambda_ratio,
                       {.min = 0, .min_open = true});
  table.exclusive("lambda", "lambda-ratio");
  rows.choice("lambda-scale",
              "what --lambda means: unit = columns and y of unit norm, y = lambda sy / sqrt(N) as in glmnet and "
              "scikit-learn's StandardScaler with Lasso, ratio = lambda / lambda_max, sample = lambda sy / N, with "
              "--scale off and --scale-y off scikit-learn's alpha",
              &options.lambda_scale, {"unit", "y", "ratio", "sample"});
}

/// `more`: what is said besides.
std::string l1_ratio_effect(const std::string& more) {
  return "elastic net: the l1 norm's share of lambda; 1 - A is the squares'; glmnet's alpha; 0 = ridge: all variables "
         "take part" +
         more;
}

void add_other_penalty_options(OptionTable& table, FitOptions& options) {
  table.section("").count(
      "expected-nonzeros", "K",
      "nonzeros of the last solution that --dry-run plans for, if you have an idea; 0 = guessed from the shape",
      &options.expected_nonzeros, {});
  const OptionSection rows = table.section("problem");
  rows.flag("nonnegative", "no coefficient below 0, on the scale of X; covariates are free",
            &options.lasso.nonnegative);
  rows.text("penalty-factors", "FILE",
            "variables and factors of their penalty, id and factor a line, others have 1; 0 = no penalty, Inf = takes "
            "no part; used as they are, see docs/MODELS.md for glmnet's",
            &options.input.variables.penalty_factors);
  add_standardization_options(table, options.lasso);
  rows.common().number(
      "tolerance", "T",
      "stop when the duality gap is at most T x objective; the gap is recomputed from the data before the verdict",
      &options.lasso.tolerance, {.min = 0, .max = 1, .max_open = true});
}

}  // namespace

void add_penalty_options(OptionTable& table, FitOptions& options) {
  add_family_options(table, options);
  table.section("problem").common().number("l1-ratio", "A", l1_ratio_effect(""), &options.lasso.l1_ratio,
                                           {.min = 0, .max = 1});
  add_other_penalty_options(table, options);
}

void add_penalty_options(OptionTable& table, FitOptions& options, std::vector<std::string>& l1_ratios,
                         const std::string& several) {
  add_family_options(table, options);
  table.section("problem").common().list("l1-ratio", "A,...", l1_ratio_effect("; several: " + several), &l1_ratios);
  add_other_penalty_options(table, options);
}

void add_warm_start_option(OptionTable& table, FitOptions& options) {
  table.section("problem").text("warm-start", "DIR",
                                "run directory of an earlier fit: begin with its coefficients instead of zeros; the "
                                "answer is certified as ever, so it only saves time",
                                &options.warm_start);
}

Status check_l1_ratio(double ratio, bool nonnegative) {
  if (ratio == 0 && nonnegative) {
    return Status::usage(
        "--nonnegative needs --l1-ratio above 0: blocks of ridge are solved without looking at signs; 0.001 is close "
        "to it");
  }
  if (ratio >= 0 && ratio <= 1) return {};
  return Status::usage("--l1-ratio " + short_text(ratio) + ": expected a number in [0, 1]");
}

void add_policy_options(OptionTable& table, FitOptions& options) {
  add_policy_choice(table, &options.policy);
  table.section("policy").on_off(
      "guard", "exact line search of every round, so that the objective never rises; off only for experiments",
      &options.lasso.guard);
  add_policy_numbers(table, &options.lasso);
  add_cost_model(table, &options.cost_model);
}

/// Reading comes before --out DIR is made ready, but other processes read later: the directories must differ.
Status settle_warm_start(FitOptions& options) {
  if (options.warm_start.empty()) return {};
  std::error_code none;
  if (!options.common.out.empty() && std::filesystem::equivalent(options.warm_start, options.common.out, none)) {
    return Status::usage("--warm-start and --out are both " + options.common.out +
                         "; give another --out, so that the earlier run stays");
  }
  const std::filesystem::path folder = options.warm_start;
  if (std::filesystem::exists(folder / "path.bin", none) && !std::filesystem::exists(folder / "model.bin", none)) {
    return Status::input(
        "--warm-start " + options.warm_start +
        ": a path, which has a solution for each of its lambdas; expected a folder with one, in a "
        "model.bin: that of lasso fit, lambda_min or lambda_1se of lasso cv, chosen or refit of --split");
  }
  if (Status run = expect_run_folder(options.warm_start, "model.bin", "lasso fit"); !run.ok()) {
    return Status(run.code(), "--warm-start " + run.message());
  }
  auto earlier = read_model(options.warm_start + "/model.bin");
  if (!earlier.ok()) {
    return Status(earlier.status().code(), "--warm-start " + options.warm_start +
                                               " (the run directory of a fit): " + earlier.status().message());
  }
  if (earlier.value().family != options.family) {
    return Status::usage("--warm-start " + options.warm_start + ": a model of the family " + earlier.value().family +
                         ", whose coefficients say nothing about --family " + options.family);
  }
  options.lasso.warm_start = std::make_shared<const FittedModel>(std::move(earlier).value());
  return {};
}

namespace {

Status settle_lambda(FitOptions& options, const OptionTable& table) {
  if (!options.lambda.has_value() && options.lambda_scale != "unit") {
    return Status::usage("--lambda-scale says what --lambda means; give --lambda, or --lambda-ratio alone");
  }
  // A config file's --lambda is set aside by --lambda-ratio on the command line, and the other way round.
  const bool by_ratio = !options.lambda.has_value() || table.given("lambda-ratio");
  options.lasso.lambda = by_ratio ? options.lambda_ratio : *options.lambda;
  options.lasso.lambda_scale = by_ratio ? LambdaScale::ratio : lambda_scale_named(options.lambda_scale);
  return {};
}

}  // namespace

LambdaScale lambda_scale_named(const std::string& name) {
  return name == "ratio"    ? LambdaScale::ratio
         : name == "y"      ? LambdaScale::y
         : name == "sample" ? LambdaScale::sample
                            : LambdaScale::unit;
}

OptionTable fit_option_table(FitOptions& options) {
  return fit_option_table(
      options, "lasso fit",
      "lasso fit: min over beta of 1/2 ||y - X beta||^2 + lambda ||beta||_1, certified by its duality gap\n"
      "usage: lasso fit --bfile PREFIX [--pheno FILE --pheno-name COLUMN] [options]\n"
      "       lasso fit --x FILE [--y FILE] [--y-name COLUMN] [options]\n");
}

OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_data_options(table, options);
  add_lambda_options(table, options);
  add_penalty_options(table, options);
  add_warm_start_option(table, options);
  add_policy_options(table, options);
  add_run_options(table, options);
  add_checkpoint_options(table, options);
  add_trace_option(table, options);
  return table;
}

void add_trace_option(OptionTable& table, FitOptions& options) {
  table.section("output").text("trace-rounds", "FILE",
                               "a row for each block of each round: its variables, their deltas, the step; grows with "
                               "the run, to check a policy against its paper",
                               &options.trace_rounds);
}

std::vector<std::string*> paths_of(FitOptions& options) {
  auto& [source, response, samples, variables] = options.input;
  return {&source.bfile,   &source.pfile,       &source.bpfile,     &source.x,          &response.pheno,
          &response.y,     &samples.keep,       &samples.remove,    &variables.extract, &variables.exclude,
          &response.covar, &response.weights,   &response.offset,   &source.scratch,    &variables.penalty_factors,
          &samples.split,  &options.cost_model, &options.warm_start};
}

Status settle_fit_options(FitOptions& options, const OptionTable& table) {
  if (Status run = settle_run_options(options, table); !run.ok()) return run;
  if (Status lambda = settle_lambda(options, table); !lambda.ok()) return lambda;
  return settle_warm_start(options);
}

Status settle_run_options(FitOptions& options, const OptionTable& table) {
  if (Status input = check_input(options.input); !input.ok()) return input;
  if (Status ratio = check_l1_ratio(options.lasso.l1_ratio, options.lasso.nonnegative); !ratio.ok()) return ratio;
  if (Status run = check_run_options(table, options); !run.ok()) return run;
  if (!options.trace_rounds.empty() && options.cluster.wanted()) {
    return Status::usage(
        "--trace-rounds sees the rounds of a run in one process; several processes take the same rounds, to the bit: "
        "give the same options without those of section [cluster]");
  }
  if (!options.input.response.weights_name.empty() && options.input.response.weights.empty()) {
    return Status::usage("--weights-name needs --weights FILE");
  }
  if (Status family = settle_family(options); !family.ok()) return family;
  const bool has_covariates = !options.input.response.covar.empty() || !options.input.response.covar_names.empty();
  if (has_covariates && !options.lasso.center && options.lasso.family->is_squares()) {
    return Status::usage("--covar needs --center on: the covariates are projected out together with the mean");
  }
  options.input.source.missing_mean = options.missing == "mean";
  settle_policy(options.policy, options.engine, options.lasso);
  return read_cost_model(options.cost_model, options.lasso.cost);
}

void add_solution_options(OptionTable& table, SolutionChoice& choice) {
  const OptionSection rows = table.section("input");
  rows.common().text("model", "DIR",
                     "run directory of a fit, a path or a cross-validation; its model.bin or path.bin is read",
                     &choice.model);
  rows.common().number("lambda", "L",
                       "of a path: the solution at this lambda, as in path.tsv's column lambda; between two of them "
                       "coefficients are interpolated linearly; default: of a cross-validation lambda.min, of a path "
                       "with --split the chosen one, of another path one column for each lambda",
                       &choice.lambda, {.min = 0, .min_open = true});
  rows.flag("exact",
            "with --lambda, not interpolated but solved anew at that lambda, with the run's data and options, from the "
            "nearest solution of the path on; certified as ever",
            &choice.exact);
  rows.common().count("lambda-index", "K", "of a path: the K-th solution, from 1; 0 = not given", &choice.lambda_index,
                      {});
  rows.common().flag("lambda-1se", "of a cross-validation: the solution at lambda.1se instead of lambda.min",
                     &choice.lambda_1se);
  rows.count("fold", "K", "of a cross-validation: the path without fold K, from 1; 0 = that on all samples",
             &choice.fold, {});
  table.exclusive("lambda", "lambda-index");
}

OptionTable predict_option_table(PredictOptions& options) {
  OptionTable table("lasso predict",
                    "lasso predict: intercept + X beta of a fitted model, missing values at their training means\n"
                    "usage: lasso predict --model DIR --bfile PREFIX [--out FILE] [options]\n"
                    "       lasso predict --model DIR --x FILE [--out FILE] [options]\n");
  add_solution_options(table, options);
  add_source_options(table, options.input.source);
  add_response_options(table, options.input.response, kSeveralTraits);
  add_control_option(table, options.input.response);
  add_selection_options(table, options.input);
  add_offset_options(table, options.input.response);
  add_common_options(table, options.common, "FILE", "where the predictions go; without it: stdout", false);
  return table;
}

Status check_solution_choice(const SolutionChoice& choice) {
  if (choice.model.empty())
    return Status::usage("no model: give --model DIR, the run directory of a fit, a path or a cross-validation");
  if (choice.lambda_1se && (choice.lambda.has_value() || choice.lambda_index > 0)) {
    return Status::usage("--lambda-1se chooses a solution, and so does --lambda or --lambda-index: give one of them");
  }
  if (choice.exact && !choice.lambda.has_value()) return Status::usage("--exact needs --lambda L, where to solve");
  if (choice.exact && choice.fold > 0) {
    return Status::usage("--exact solves on all samples, --fold " + std::to_string(choice.fold) +
                         " is a path without some of them: give one of the two");
  }
  return {};
}

Status check_predict_options(const PredictOptions& options) {
  if (Status choice = check_solution_choice(options); !choice.ok()) return choice;
  return check_input(options.input);
}

void visit_option_tables(const TableVisit& visit) {
  FitOptions fit;
  PathCommandOptions path;
  CvOptions cv;
  PredictOptions predict;
  ScoreOptions score;
  ExportOptions exported;
  visit(fit_option_table(fit));
  visit(path_option_table(path));
  visit(cv_option_table(cv));
  visit(predict_option_table(predict));
  visit(score_option_table(score));
  visit(export_option_table(exported));
}

std::string options_document() {
  return "# Options\n\nWritten by the program itself from its option tables (`STRADS_REWRITE=1 ctest -R "
         "OptionsDocument` "
         "rewrites it).\nThe section is that of a config file (`--config FILE`), where an option is `name = "
         "value`.\n\n" +
         markdown_of(visit_option_tables);
}

}  // namespace strads::lasso
