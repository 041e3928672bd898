#include "arguments.hpp"

#include <cstring>
#include <string>

namespace strads::r {
namespace {

bool is_given(SEXP value) {
  return value != R_NilValue;
}

/// Of all words in one go: R is asked as a C function once, not once a word.
std::vector<std::string> texts(SEXP values) {
  const cpp11::strings words(values);
  std::vector<const char*> views(static_cast<std::size_t>(words.size()));
  cpp11::unwind_protect([&] {
    for (R_xlen_t k = 0; k < words.size(); ++k) {
      views[static_cast<std::size_t>(k)] = Rf_translateCharUTF8(STRING_ELT(words.data(), k));
    }
  });
  return {views.begin(), views.end()};
}

std::span<const double> view(const cpp11::doubles& values) {
  return {REAL(values.data()), static_cast<std::size_t>(values.size())};
}

DenseInMemory dense_from(SEXP x) {
  const cpp11::integers shape(Rf_getAttrib(x, R_DimSymbol));
  DenseInMemory dense;
  const bool bytes = TYPEOF(x) == RAWSXP;
  dense.values = bytes ? reinterpret_cast<const std::byte*>(RAW(x)) : reinterpret_cast<const std::byte*>(REAL(x));
  dense.kind = bytes ? 'u' : 'f';
  dense.item_size = bytes ? 1 : sizeof(double);
  dense.rows = static_cast<std::uint64_t>(shape[0]);
  dense.columns = static_cast<std::uint64_t>(shape[1]);
  return dense;
}

/// Row numbers stay where they are; where columns begin has to be wider.
SparseInMemory sparse_from(SEXP x, DataInMemory& owner) {
  const auto slot = [x](const char* name) { return cpp11::safe[R_do_slot](x, Rf_install(name)); };
  const cpp11::integers shape(slot("Dim")), starts(slot("p")), rows(slot("i"));
  SparseInMemory sparse;
  sparse.values = reinterpret_cast<const std::byte*>(REAL(slot("x")));
  sparse.rows = static_cast<std::uint64_t>(shape[0]);
  sparse.columns = static_cast<std::uint64_t>(shape[1]);
  const auto wide = std::make_shared<const std::vector<std::uint64_t>>(starts.begin(), starts.end());
  sparse.starts = *wide;
  owner.owners.push_back(wide);
  // Never negative: the class says so, and a row number beyond the last is refused.
  sparse.row_numbers = {reinterpret_cast<const std::uint32_t*>(INTEGER(rows.data())),
                        static_cast<std::size_t>(rows.size())};
  return sparse;
}

}  // namespace

std::vector<OptionValue> options_from(const cpp11::strings& names, const cpp11::strings& values) {
  std::vector<OptionValue> options;
  for (R_xlen_t k = 0; k < names.size(); ++k) options.push_back({std::string(names[k]), std::string(values[k])});
  return options;
}

std::shared_ptr<const DataInMemory> data_from(const cpp11::list& data) {
  auto out = std::make_shared<DataInMemory>();
  if (SEXP x = data["x"]; is_given(x)) {
    if (Rf_isMatrix(x)) {
      out->dense = dense_from(x);
    } else {
      out->sparse = sparse_from(x, *out);
    }
  }
  if (is_given(data["names"])) out->names = texts(data["names"]);
  if (is_given(data["y"])) {
    out->response = ColumnInMemory{cpp11::as_cpp<std::string>(data["name"]), view(data["y"])};
    if (is_given(data["words"])) out->words = texts(data["words"]);
  }
  if (is_given(data["weights"])) out->weights = view(data["weights"]);
  if (is_given(data["offset"])) out->offset = view(data["offset"]);
  if (is_given(data["covariates"])) {
    const cpp11::list columns(data["covariates"]);
    const auto names = texts(columns.names());
    for (R_xlen_t k = 0; k < columns.size(); ++k) {
      out->covariates.push_back({names[static_cast<std::size_t>(k)], view(columns[k])});
    }
  }
  if (is_given(data["factors"])) out->penalty_factors = view(data["factors"]);
  if (is_given(data["folds"])) {
    const cpp11::integers folds(data["folds"]);
    const auto own = std::make_shared<const std::vector<std::uint32_t>>(folds.begin(), folds.end());
    out->folds = *own;
    out->owners.push_back(own);
  }
  if (is_given(data["split"])) {
    const cpp11::integers parts(data["split"]);
    const auto own = std::make_shared<std::vector<std::uint8_t>>();
    for (const int part : parts) own->push_back(static_cast<std::uint8_t>(part));
    out->split = *own;
    out->owners.push_back(own);
  }
  return out;
}

std::shared_ptr<const lasso::FittedModel> start_from(const cpp11::list& data) {
  if (!is_given(data["start"])) return nullptr;
  const cpp11::list start(data["start"]);
  return std::make_shared<const lasso::FittedModel>(model_from(cpp11::list(start[0]), cpp11::as_cpp<double>(start[1]),
                                                               cpp11::doubles(start[2]), cpp11::doubles(start[3])));
}

lasso::FittedModel model_from(const cpp11::list& shape, double intercept, const cpp11::doubles& covariates,
                              const cpp11::doubles& coefficients) {
  lasso::FittedModel model;
  model.response = cpp11::as_cpp<std::string>(shape["response"]);
  model.columns = static_cast<VarId>(cpp11::as_cpp<double>(shape["columns"]));
  model.has_alleles = cpp11::as_cpp<bool>(shape["has_alleles"]);
  model.has_names = cpp11::as_cpp<bool>(shape["has_names"]);
  model.family = cpp11::as_cpp<std::string>(shape["family"]);
  const auto classes = texts(shape["classes"]);
  model.classes = {classes[0], classes[1]};
  model.has_offset = cpp11::as_cpp<bool>(shape["has_offset"]);
  model.intercept = intercept;
  model.covariate_names = texts(shape["covariate_names"]);
  model.covariates.assign(covariates.begin(), covariates.end());
  const cpp11::list table(shape["variables"]);
  const cpp11::doubles column(table["column"]), mean(table["mean"]);
  const auto id = texts(table["id"]), chromosome = texts(table["chromosome"]), position = texts(table["position"]);
  const auto counted = texts(table["A1"]), other = texts(table["A2"]);
  for (R_xlen_t k = 0; k < coefficients.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (coefficients[k] == 0) continue;
    model.variables.push_back({static_cast<VarId>(column[k]) - 1, id[at], chromosome[at], position[at], counted[at],
                               other[at], coefficients[k], mean[k]});
  }
  return model;
}

}  // namespace strads::r
