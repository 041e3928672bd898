#include "results.hpp"

#include <charconv>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace strads::r {
namespace {

using cpp11::as_sexp;
using cpp11::literals::operator""_nm;  // NOLINT(misc-unused-using-decls): a literal's use is not seen

/// A figure of each, by its name among the fields.
SEXP values_of(const std::vector<lasso::Solution>& path, std::string_view figure) {
  cpp11::writable::doubles out(static_cast<R_xlen_t>(path.size()));
  for (std::size_t k = 0; k < path.size(); ++k) {
    lasso::Solution::fields(path[k], [&]<class Field>(std::string_view name, const Field& field) {
      if constexpr (std::is_same_v<Field, double>) {
        if (name == figure) out[static_cast<R_xlen_t>(k)] = field;
      }
    });
  }
  return out;
}

/// The slots of a dgCMatrix: a column for each solution.
cpp11::writable::list slots_of(const std::vector<lasso::Solution>& path) {
  std::vector<int> starts{0}, rows;
  std::vector<double> values;
  for (const lasso::Solution& solution : path) {
    if (values.size() + solution.variables.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("the path has more nonzeros than a dgCMatrix can have; ask for fewer lambdas");
    }
    rows.insert(rows.end(), solution.variables.begin(), solution.variables.end());
    values.insert(values.end(), solution.coefficients.begin(), solution.coefficients.end());
    starts.push_back(static_cast<int>(values.size()));
  }
  return {"p"_nm = starts, "i"_nm = rows, "x"_nm = values};
}

/// Variables that any solution has, with what a prediction needs to know of them.
cpp11::writable::list list_of(const lasso::FittedModel& shape) {
  std::vector<double> column, mean;
  std::vector<std::string> id, chromosome, position, counted, other;
  for (const lasso::FittedVariable& one : shape.variables) {
    column.push_back(static_cast<double>(one.column) + 1);
    id.push_back(one.id);
    chromosome.push_back(one.chromosome);
    position.push_back(one.position);
    counted.push_back(one.counted);
    other.push_back(one.other);
    mean.push_back(one.mean);
  }
  cpp11::writable::list variables{"column"_nm = column,     "id"_nm = id,      "chromosome"_nm = chromosome,
                                  "position"_nm = position, "A1"_nm = counted, "A2"_nm = other,
                                  "mean"_nm = mean};
  return {"response"_nm = shape.response,
          "columns"_nm = static_cast<double>(shape.columns),
          "has_alleles"_nm = shape.has_alleles,
          "has_names"_nm = shape.has_names,
          "covariate_names"_nm = shape.covariate_names,
          "family"_nm = shape.family,
          "classes"_nm = std::vector<std::string>(shape.classes.begin(), shape.classes.end()),
          "has_offset"_nm = shape.has_offset,
          "variables"_nm = variables};
}

cpp11::writable::list outcome_of(const lasso::Outcome& outcome) {
  cpp11::writable::list out = list_of_run(outcome, outcome.converged, outcome.samples, outcome.columns);
  out.push_back("lambda_max"_nm = outcome.lambda_max);
  out.push_back("null_deviance"_nm = outcome.null_deviance);
  return out;
}

void push_path(cpp11::writable::list& out, const std::vector<lasso::Solution>& path, const lasso::FittedModel& shape) {
  std::vector<std::string> hashes;
  std::vector<double> covariates;
  cpp11::writable::logicals converged;
  for (const lasso::Solution& solution : path) {
    hashes.push_back(solution.beta_hash);
    covariates.insert(covariates.end(), solution.covariates.begin(), solution.covariates.end());
    converged.push_back(solution.certificate.converged ? TRUE : FALSE);
  }
  out.push_back("lambda"_nm = values_of(path, "lambda"));
  out.push_back("lambda_y"_nm = values_of(path, "lambda_y"));
  out.push_back("beta"_nm = slots_of(path));
  out.push_back("intercept"_nm = values_of(path, "intercept"));
  out.push_back("covariates"_nm = covariates);
  out.push_back("explained"_nm = values_of(path, "explained"));
  out.push_back("objective"_nm = values_of(path, "objective"));
  out.push_back("gap"_nm = values_of(path, "gap"));
  out.push_back("relative_gap"_nm = values_of(path, "relative_gap"));
  out.push_back("solution_converged"_nm = converged);
  out.push_back("beta_hash"_nm = hashes);
  out.push_back("model"_nm = list_of(shape));
}

/// `others`: how many results there are besides, of which R asks in calls of their own.
cpp11::writable::list solved_path(const lasso::SolvedPathCall& path, std::size_t others) {
  cpp11::writable::list out = outcome_of(path);
  push_path(out, path.path, path.model.shape);
  out.push_back("path_hash"_nm = path.path_hash);
  out.push_back("others"_nm = static_cast<double>(others));
  return out;
}

/// Of nobody they are NaN.
SEXP scores_of(const lasso::HeldOutScore& score) {
  cpp11::writable::doubles out({"samples"_nm = static_cast<double>(score.samples),
                                "mse"_nm = score.of(lasso::Measure::mse), "mae"_nm = score.of(lasso::Measure::mae),
                                "r2"_nm = score.samples == 0 ? std::numeric_limits<double>::quiet_NaN() : score.r2,
                                "deviance"_nm = score.of(lasso::Measure::deviance),
                                "class"_nm = score.of(lasso::Measure::misclassification),
                                "auc"_nm = score.of(lasso::Measure::auc)});
  return out;
}

void push_split(cpp11::writable::list& out, const lasso::SplitChoice& choice) {
  cpp11::writable::list split{"measure"_nm = choice.measure,
                              "error"_nm = choice.validation,
                              "chosen"_nm = static_cast<double>(choice.chosen) + 1,
                              "train"_nm = static_cast<double>(choice.train),
                              "val"_nm = static_cast<double>(choice.validate),
                              "test"_nm = static_cast<double>(choice.test),
                              "on_val"_nm = scores_of(choice.on_validation),
                              "on_test"_nm = scores_of(choice.on_test)};
  if (choice.refit) {
    cpp11::writable::list refit;
    push_path(refit, {*choice.refit}, choice.refit_model);
    refit.push_back("null_deviance"_nm = choice.refit_null_deviance);
    split.push_back("refit"_nm = refit);
    split.push_back("refit_on_test"_nm = scores_of(choice.refit_on_test));
  }
  out.push_back("split"_nm = split);
}

}  // namespace

cpp11::writable::list list_of(const Status& status, const std::vector<std::string>& notes) {
  const char* const kind = status.code() == StatusCode::usage   ? "usage"
                           : status.code() == StatusCode::input ? "input"
                                                                : "other";
  return {"error"_nm = kind, "message"_nm = status.message(), "notes"_nm = notes};
}

cpp11::writable::list list_of_run(const HostedOutcome& run, bool converged, std::uint64_t samples,
                                  std::uint64_t columns) {
  return {"stop_reason"_nm = run.stop_reason,
          "converged"_nm = converged,
          "rounds"_nm = static_cast<double>(run.rounds),
          "updates"_nm = static_cast<double>(run.updates),
          "seconds"_nm = std::vector<double>{run.seconds_load, run.seconds_solve, run.seconds_check},
          "samples"_nm = static_cast<double>(samples),
          "columns"_nm = static_cast<double>(columns),
          "notes"_nm = run.notes,
          "config"_nm = run.config};
}

cpp11::writable::list list_of(const lasso::FitCall& fit) {
  cpp11::writable::list out = outcome_of(fit);
  push_path(out, {fit.solution}, fit.model);
  return out;
}

cpp11::writable::list list_of(const lasso::PathCall& path) {
  cpp11::writable::list out = solved_path(path, path.others.size());
  if (path.split) push_split(out, *path.split);
  return out;
}

cpp11::writable::list list_of(const lasso::CvCall& cv) {
  cpp11::writable::list out = solved_path(cv, cv.others.size());
  out.push_back("measure"_nm = cv.measure);
  out.push_back("mean"_nm = cv.mean);
  out.push_back("standard_error"_nm = cv.standard_error);
  cpp11::writable::list errors;
  for (const std::vector<double>& fold : cv.fold_errors) errors.push_back(as_sexp(fold));
  out.push_back("fold_errors"_nm = errors);
  std::vector<int> folds;
  for (const std::uint32_t fold : cv.fold_of_row) folds.push_back(static_cast<int>(fold) + 1);
  out.push_back("fold_of_row"_nm = folds);
  out.push_back("least"_nm = static_cast<double>(cv.least) + 1);
  out.push_back("simplest"_nm = static_cast<double>(cv.simplest) + 1);
  return out;
}

void push_folds(cpp11::writable::list& out, const lasso::CvCall& cv) {
  cpp11::writable::list folds;
  for (const std::vector<lasso::Solution>& path : cv.folds) {
    std::vector<double> covariates;
    for (const lasso::Solution& one : path) {
      covariates.insert(covariates.end(), one.covariates.begin(), one.covariates.end());
    }
    const cpp11::writable::list fold{"beta"_nm = slots_of(path), "intercept"_nm = values_of(path, "intercept"),
                                     "covariates"_nm = covariates};
    folds.push_back(fold);
  }
  out.push_back("folds"_nm = folds);
}

SEXP variable_names(const lasso::Outcome& outcome, const cpp11::list& data) {
  if (SEXP names = data["names"]; names != R_NilValue) return names;
  const bool numbered = data["x"] != R_NilValue;
  const auto columns = static_cast<R_xlen_t>(outcome.columns);
  cpp11::writable::strings out(columns);
  cpp11::unwind_protect([&] {
    std::array<char, 24> number{'V'};
    for (R_xlen_t j = 0; j < columns; ++j) {
      std::string_view name;
      if (numbered) {
        name = {number.data(), std::to_chars(number.data() + 1, number.data() + number.size(), j + 1).ptr};
      } else {
        name = outcome.dataset->variable(static_cast<VarId>(j)).id;
      }
      SET_STRING_ELT(out.data(), j, Rf_mkCharLenCE(name.data(), static_cast<int>(name.size()), CE_UTF8));
    }
  });
  return out;
}

cpp11::writable::list list_of(const lasso::GenotypeTables& tables) {
  cpp11::writable::list samples{"FID"_nm = tables.family, "IID"_nm = tables.individual};
  cpp11::writable::list variants{"id"_nm = tables.id, "chromosome"_nm = tables.chromosome,
                                 "position"_nm = tables.position, "A1"_nm = tables.counted, "A2"_nm = tables.other};
  return {"samples"_nm = samples, "variants"_nm = variants};
}

cpp11::writable::list list_of(const std::vector<OptionFacts>& options) {
  std::vector<std::string> name, effect, unit, kind, fallback;
  for (const OptionFacts& option : options) {
    name.push_back(option.name);
    effect.push_back(option.effect);
    unit.push_back(option.unit);
    kind.push_back(option.kind);
    fallback.push_back(option.fallback);
  }
  return {"name"_nm = name, "kind"_nm = kind, "default"_nm = fallback, "unit"_nm = unit, "effect"_nm = effect};
}

}  // namespace strads::r
