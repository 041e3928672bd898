#include "results.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <limits>

namespace strads::python {
namespace {

namespace py = pybind11;

template <class Field>
py::object object_of(const Field& field) {
  return py::cast(field);
}
py::object object_of(const std::vector<double>& values) {
  return array_of(values);
}
py::object object_of(const std::vector<VarId>& values) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

/// Of nobody they are NaN.
py::dict score_facts(const lasso::HeldOutScore& score) {
  py::dict facts;
  facts["samples"] = score.samples;
  facts["mse"] = score.of(lasso::Measure::mse);
  facts["mae"] = score.of(lasso::Measure::mae);
  facts["r2"] = score.samples == 0 ? std::numeric_limits<double>::quiet_NaN() : score.r2;
  facts["deviance"] = score.of(lasso::Measure::deviance);
  facts["class"] = score.of(lasso::Measure::misclassification);
  facts["auc"] = score.of(lasso::Measure::auc);
  return facts;
}

py::list list_of(const std::vector<lasso::Solution>& solutions) {
  py::list list;
  for (const lasso::Solution& solution : solutions) list.append(facts_of(solution));
  return list;
}

}  // namespace

py::array_t<double> array_of(std::span<const double> values) {
  py::array_t<double> out(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

py::dict facts_of_run(const HostedOutcome& outcome) {
  py::dict facts;
  facts["stop_reason"] = outcome.stop_reason;
  facts["rounds"] = outcome.rounds;
  facts["phases"] = outcome.phases;
  facts["updates"] = outcome.updates;
  facts["seconds_load"] = outcome.seconds_load;
  facts["seconds_solve"] = outcome.seconds_solve;
  facts["seconds_check"] = outcome.seconds_check;
  facts["notes"] = outcome.notes;
  facts["config"] = outcome.config;
  return facts;
}

py::dict facts_of(const lasso::Outcome& outcome) {
  py::dict facts = facts_of_run(outcome);
  facts["converged"] = outcome.converged;
  facts["samples"] = outcome.samples;
  facts["columns"] = outcome.columns;
  facts["lambda_max"] = outcome.lambda_max;
  facts["response_mean"] = outcome.response_mean;
  facts["response_norm"] = outcome.response_norm;
  facts["classes"] = py::make_tuple(outcome.classes[0], outcome.classes[1]);
  return facts;
}

py::dict facts_of(const lasso::Solution& solution) {
  py::dict facts;
  lasso::Solution::fields(solution, [&](const char* name, const auto& field) { facts[name] = object_of(field); });
  return facts;
}

py::dict facts_of(const lasso::FitCall& fit) {
  py::dict facts = facts_of(static_cast<const lasso::Outcome&>(fit));
  facts["solution"] = facts_of(fit.solution);
  facts["model"] = state_of(fit.model);
  return facts;
}

py::dict facts_of(const lasso::SolvedPathCall& path) {
  py::dict facts = facts_of(static_cast<const lasso::Outcome&>(path));
  facts["response"] = path.response;
  facts["l1_ratio"] = path.l1_ratio;
  facts["path"] = list_of(path.path);
  facts["path_hash"] = path.path_hash;
  py::list models;
  for (std::size_t k = 0; k < path.model.steps.size(); ++k) models.append(state_of(path.model.at(k)));
  facts["models"] = models;
  return facts;
}

py::dict facts_of(const lasso::SplitChoice& split) {
  py::dict facts;
  facts["measure"] = split.measure;
  facts["validation"] = array_of(split.validation);
  facts["chosen"] = split.chosen;
  facts["train"] = split.train;
  facts["val"] = split.validate;
  facts["test"] = split.test;
  facts["on_val"] = score_facts(split.on_validation);
  facts["on_test"] = score_facts(split.on_test);
  facts["refit"] = split.refit ? py::object(facts_of(*split.refit)) : py::none();
  facts["refit_model"] = split.refit ? py::object(state_of(split.refit_model)) : py::none();
  facts["refit_on_test"] = score_facts(split.refit_on_test);
  return facts;
}

py::dict facts_of(const lasso::PathCall& path) {
  py::dict facts = facts_of(static_cast<const lasso::SolvedPathCall&>(path));
  facts["split"] = path.split ? py::object(facts_of(*path.split)) : py::none();
  py::list others;
  for (const lasso::PathCall& other : path.others) others.append(facts_of(other));
  facts["others"] = others;
  return facts;
}

py::dict facts_of(const lasso::CvCall& cv) {
  py::dict facts = facts_of(static_cast<const lasso::SolvedPathCall&>(cv));
  facts["measure"] = cv.measure;
  facts["mean"] = array_of(cv.mean);
  facts["standard_error"] = array_of(cv.standard_error);
  py::list errors, folds;
  for (const auto& fold : cv.fold_errors) errors.append(array_of(fold));
  for (const auto& fold : cv.folds) folds.append(list_of(fold));
  facts["fold_errors"] = errors;
  facts["folds"] = folds;
  facts["fold_of_row"] = cv.fold_of_row;
  facts["least"] = cv.least;
  facts["simplest"] = cv.simplest;
  py::list others;
  for (const lasso::CvCall& other : cv.others) others.append(facts_of(other));
  facts["others"] = others;
  return facts;
}

py::tuple state_of(const lasso::FittedModel& model) {
  py::list variables;
  for (const lasso::FittedVariable& one : model.variables) {
    variables.append(py::make_tuple(one.column, one.id, one.chromosome, one.position, one.counted, one.other,
                                    one.coefficient, one.mean));
  }
  return py::make_tuple(model.response, model.columns, model.has_alleles, model.has_names, model.intercept,
                        model.covariate_names, model.covariates, variables, model.family, model.classes,
                        model.has_offset);
}

lasso::FittedModel model_of(const py::tuple& state) {
  if (state.size() != 11) throw py::value_error("no fitted model");
  lasso::FittedModel model;
  model.response = state[0].cast<std::string>();
  model.columns = state[1].cast<VarId>();
  model.has_alleles = state[2].cast<bool>();
  model.has_names = state[3].cast<bool>();
  model.intercept = state[4].cast<double>();
  model.covariate_names = state[5].cast<std::vector<std::string>>();
  model.covariates = state[6].cast<std::vector<double>>();
  for (const auto& item : state[7].cast<py::list>()) {
    const auto one = item.cast<py::tuple>();
    model.variables.push_back({one[0].cast<VarId>(), one[1].cast<std::string>(), one[2].cast<std::string>(),
                               one[3].cast<std::string>(), one[4].cast<std::string>(), one[5].cast<std::string>(),
                               one[6].cast<double>(), one[7].cast<double>()});
  }
  model.family = state[8].cast<std::string>();
  model.classes = state[9].cast<std::array<std::string, 2>>();
  model.has_offset = state[10].cast<bool>();
  return model;
}

}  // namespace strads::python
