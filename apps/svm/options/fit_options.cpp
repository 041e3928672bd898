#include "svm/options/fit_options.hpp"

#include <utility>

#include "regression/data_options.hpp"
#include "strads/program/policy_options.hpp"
#include "svm/data/class_weights.hpp"
#include "svm/options/cv_options.hpp"

namespace strads::svm {

void add_data_options(OptionTable& table, FitOptions& options) {
  Response& response = options.input.response;
  lasso::add_source_options(table, options.input.source);
  lasso::add_response_options(table, response, "");
  lasso::add_control_option(table, response);
  lasso::add_missing_option(table, &options.missing);
  lasso::add_sample_options(table, options.input.samples);
  lasso::add_weights_options(table, response, "that multiply the cost of each sample");
  lasso::add_variable_options(table, options.input.variables);
  lasso::add_genotype_filters(table, options.input.variables, options.input.samples.mind);
}

namespace {

void add_cost_option(OptionTable& table, FitOptions& options) {
  table.section("problem").common().number(
      "cost", "C", "weight of the losses beside 1/2 ||w||^2; larger fits the samples more closely, and takes longer",
      &options.svm.cost, {.min = 0, .min_open = true});
}

}  // namespace

void add_problem_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().choice("loss",
                       "of a sample's margin m: hinge = max(0, 1 - m), or its square; m = y w'x; LIBLINEAR's -s 3 and "
                       "-s 1",
                       &options.loss, {"hinge", "squared_hinge"});
  rows.number("bias", "B",
              "a constant variable of this value, whose coefficient has the penalty of the others, as LIBLINEAR's -B; "
              "a larger one makes its penalty matter less; 0 = none",
              &options.svm.bias, {.min = 0});
  rows.common().list("class-weights", "CLASS=W,...",
                     "samples of this class cost W times as much; 1 where not named; balanced = samples / (classes x "
                     "samples of the class); of one class against the rest the rest has 1",
                     &options.class_weights);
  rows.common().number("tolerance", "T",
                       "stop at a duality gap of so much of the objective; each factor of 10 costs some passes",
                       &options.svm.tolerance, {.min = 0, .max = 1, .max_open = true});
}

void add_policy_options(OptionTable& table, FitOptions& options) {
  add_policy_choice(table, &options.policy);
  add_policy_numbers(table, &options.svm.policies);
  add_cost_model(table, &options.cost_model);
}

OptionTable fit_option_table(FitOptions& options) {
  return fit_option_table(
      options, "svm fit",
      "svm fit: min over w of 1/2 ||w||^2 + C sum of losses of y_i w'x_i, certified by its duality gap\n"
      "usage: svm fit --x FILE [--y FILE] [--y-name COLUMN] [--cost C] [options]\n"
      "       svm fit --bfile PREFIX [--pheno FILE --pheno-name COLUMN] [options]\n");
}

OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_data_options(table, options);
  add_cost_option(table, options);
  add_problem_options(table, options);
  add_policy_options(table, options);
  add_run_options(table, options);
  add_checkpoint_options(table, options);
  return table;
}

std::vector<std::string*> paths_of(FitOptions& options) {
  auto& [source, response, samples, variables] = options.input;
  return {&source.bfile,      &source.pfile,      &source.bpfile,     &source.x,     &source.scratch,
          &response.pheno,    &response.y,        &response.weights,  &samples.keep, &samples.remove,
          &variables.extract, &variables.exclude, &options.cost_model};
}

Status settle_fit_options(FitOptions& options, const OptionTable& table) {
  if (Status input = check_input(options.input); !input.ok()) return input;
  if (Status run = check_run_options(table, options); !run.ok()) return run;
  if (!options.input.response.weights_name.empty() && options.input.response.weights.empty()) {
    return Status::usage("--weights-name needs --weights FILE");
  }
  if (Status weights = check_class_weights(options.class_weights); !weights.ok()) return weights;
  options.input.response.any_classes = true;
  options.input.source.missing_mean = options.missing == "mean";
  options.svm.loss = options.loss == "squared_hinge" ? Loss::squared_hinge : Loss::hinge;
  settle_policy(options.policy, options.engine, options.svm.policies);
  return read_cost_model(options.cost_model, options.svm.policies.cost);
}

OptionTable predict_option_table(PredictOptions& options) {
  OptionTable table(
      "svm predict",
      "svm predict: classes and decision values of a fitted model, missing values at their training means\n"
      "usage: svm predict --model DIR --x FILE [--out FILE] [options]\n"
      "       svm predict --model DIR --bfile PREFIX [--out FILE] [options]\n");
  table.section("input").common().text("model", "DIR", "run directory of svm fit or svm cv; its model.bin is read",
                                       &options.model);
  lasso::add_source_options(table, options.input.source);
  lasso::add_response_options(table, options.input.response, "");
  lasso::add_control_option(table, options.input.response);
  lasso::add_sample_options(table, options.input.samples);
  add_common_options(table, options.common, "FILE", "where the predictions go; without it: stdout", false);
  return table;
}

Status check_predict_options(const PredictOptions& options) {
  if (options.model.empty()) return Status::usage("no model: give --model DIR, the run directory of svm fit or svm cv");
  return check_input(options.input);
}

void visit_option_tables(const TableVisit& visit) {
  FitOptions fit;
  CvOptions cv;
  PredictOptions predict;
  visit(fit_option_table(fit));
  visit(cv_option_table(cv));
  visit(predict_option_table(predict));
}

std::string options_document() {
  return markdown_of(visit_option_tables);
}

}  // namespace strads::svm
