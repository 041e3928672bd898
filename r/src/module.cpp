// strads.so: what r/strads calls. Thin: options by name and R's own memory go in, lists come out. R's interface is used
// on R's thread alone; a call that fails returns what went wrong, and the R code raises it.
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include <array>
#include <cpp11/declarations.hpp>
#include <type_traits>

#include "arguments.hpp"
#include "host.hpp"
#include "results.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "summary.hpp"

namespace strads::r {
namespace {

template <class Run>
SEXP list_of_call(const Run& run, SEXP options, SEXP values, SEXP data, SEXP lambdas, SEXP callback) {
  using cpp11::literals::operator""_nm;
  Host host(callback);
  const cpp11::doubles given(lambdas);
  const lasso::Call what{options_from(options, values),
                         data_from(data),
                         {given.begin(), given.end()},
                         host.functions(),
                         {},
                         start_from(data)};
  const auto result = run(what);
  cpp11::writable::list out = result.ok() ? list_of(result.value()) : list_of(result.status(), host.notes);
  if (result.ok()) out.push_back("variable_names"_nm = variable_names(result.value(), data));
  if constexpr (std::is_same_v<std::decay_t<decltype(result.value())>, lasso::CvCall>) {
    if (result.ok() && SEXP(cpp11::list(data)["keep"]) != R_NilValue) push_folds(out, result.value());
  }
  out.push_back("interrupted"_nm = host.interrupted);
  out.push_back("condition"_nm = host.condition());
  return out;
}

}  // namespace
}  // namespace strads::r

extern "C" {

/// command: "fit", "path" or "cv".
static SEXP strads_r_call(SEXP command, SEXP options, SEXP values, SEXP data, SEXP lambdas, SEXP callback) {
  BEGIN_CPP11
  const auto name = cpp11::as_cpp<std::string>(command);
  if (name == "fit") {
    return strads::r::list_of_call(strads::lasso::call_fit, options, values, data, lambdas, callback);
  }
  if (name == "path") {
    return strads::r::list_of_call(strads::lasso::call_path, options, values, data, lambdas, callback);
  }
  return strads::r::list_of_call(strads::lasso::call_cv, options, values, data, lambdas, callback);
  END_CPP11
}

static SEXP strads_r_sumstats(SEXP options, SEXP values, SEXP panel, SEXP study, SEXP validation, SEXP callback) {
  BEGIN_CPP11
  return strads::r::call_sumstats(options, values, panel, study, validation, callback);
  END_CPP11
}

static SEXP strads_r_predict(SEXP shape, SEXP intercept, SEXP covariates, SEXP coefficients, SEXP options, SEXP values,
                             SEXP data) {
  BEGIN_CPP11
  const strads::lasso::FittedModel model =
      strads::r::model_from(shape, cpp11::as_cpp<double>(intercept), covariates, coefficients);
  const auto result = strads::lasso::call_predict(
      model, {strads::r::options_from(options, values), strads::r::data_from(data), {}, {}});
  if (!result.ok()) return strads::r::list_of(result.status(), {});
  using namespace cpp11::literals;
  return cpp11::writable::list{"predictions"_nm = result.value().predictions, "notes"_nm = result.value().notes};
  END_CPP11
}

static SEXP strads_r_export(SEXP shape, SEXP intercept, SEXP covariates, SEXP coefficients, SEXP options, SEXP values) {
  BEGIN_CPP11
  const strads::lasso::FittedModel model =
      strads::r::model_from(shape, cpp11::as_cpp<double>(intercept), covariates, coefficients);
  const auto result = strads::lasso::call_export(model, strads::r::options_from(options, values));
  if (!result.ok()) return strads::r::list_of(result.status(), {});
  return cpp11::as_sexp(result.value());
  END_CPP11
}

static SEXP strads_r_tables(SEXP options, SEXP values) {
  BEGIN_CPP11
  const auto result = strads::lasso::genotype_tables(strads::r::options_from(options, values));
  return result.ok() ? strads::r::list_of(result.value()) : strads::r::list_of(result.status(), {});
  END_CPP11
}

static SEXP strads_r_options(SEXP command) {
  BEGIN_CPP11
  const auto name = cpp11::as_cpp<std::string>(command);
  if (name == "sumstats") return strads::r::options_of_sumstats();
  return strads::r::list_of(strads::lasso::options_of(name));
  END_CPP11
}

static SEXP strads_r_version() {
  BEGIN_CPP11
  return cpp11::as_sexp(
      std::vector<std::string>{std::string(strads::version()), strads::build_id(), std::string(strads::simd_name())});
  END_CPP11
}

/// Whether a dgCMatrix stores zeros.
static SEXP strads_r_has_zeros(SEXP values) {
  bool found = false;
  for (R_xlen_t k = 0; !found && k < Rf_xlength(values); ++k) found = REAL(values)[k] == 0;
  return Rf_ScalarLogical(found ? TRUE : FALSE);
}

attribute_visible void R_init_strads(DllInfo* module) {
  const auto entry = [](const char* name, auto* function, int arguments) {
    return R_CallMethodDef{name, reinterpret_cast<DL_FUNC>(reinterpret_cast<void*>(function)), arguments};
  };
  static const std::array<R_CallMethodDef, 9> kEntries{entry("strads_r_call", &strads_r_call, 6),
                                                       entry("strads_r_predict", &strads_r_predict, 7),
                                                       entry("strads_r_export", &strads_r_export, 6),
                                                       entry("strads_r_tables", &strads_r_tables, 2),
                                                       entry("strads_r_options", &strads_r_options, 1),
                                                       entry("strads_r_version", &strads_r_version, 0),
                                                       entry("strads_r_has_zeros", &strads_r_has_zeros, 1),
                                                       entry("strads_r_sumstats", &strads_r_sumstats, 6),
                                                       R_CallMethodDef{nullptr, nullptr, 0}};
  R_registerRoutines(module, nullptr, kEntries.data(), nullptr, nullptr);
  R_useDynamicSymbols(module, FALSE);
  R_forceSymbols(module, TRUE);
}

}  // extern "C"
