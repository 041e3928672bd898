// The module _strads: what python/strads calls. Thin: names of options and arrays go in, dicts and arrays come out.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "cluster.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "factorization.hpp"
#include "interrupt.hpp"
#include "item_weights.hpp"
#include "lasso/library/lasso_library.hpp"
#include "results.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "strads/transport/threads.hpp"
#include "summary.hpp"
#include "support_vectors.hpp"
#include "topics.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

/// None: zeros.
std::shared_ptr<const lasso::FittedModel> start_of(const py::object& model) {
  return model.is_none() ? nullptr : std::make_shared<const lasso::FittedModel>(model_of(model.cast<py::tuple>()));
}

template <class Run>
py::dict call(const Run& run, const Options& options, const Data* data, const std::vector<double>& lambdas,
              const py::object& callback, const py::object& cluster, const py::object& start) {
  const Nodes nodes = nodes_of(cluster);
  Host host(callback, nodes.local);
  const lasso::Call what{
      values_of(options), data == nullptr ? nullptr : data->view(), lambdas, host.functions(), values_of(nodes.options),
      start_of(start)};
  auto result = without_lock([&] { return run(what); });
  if (!result.ok()) raise(result.status(), host.error());
  py::dict facts = facts_of(result.value());
  facts["error"] = host.error();
  return facts;
}

/// (predictions, notes).
py::tuple predict(const py::tuple& state, const Options& options, const Data* data) {
  const lasso::FittedModel model = model_of(state);
  const lasso::Call what{values_of(options), data == nullptr ? nullptr : data->view()};
  const auto result = without_lock([&] { return lasso::call_predict(model, what); });
  if (!result.ok()) raise(result.status());
  return py::make_tuple(array_of(result.value().predictions), result.value().notes);
}

std::vector<std::uint32_t> rows_left_out(const Options& options) {
  auto result = without_lock([&] { return lasso::rows_left_out(values_of(options)); });
  if (!result.ok()) raise(result.status());
  return std::move(result).value();
}

py::dict genotype_tables(const Options& options) {
  const auto result = without_lock([&] { return lasso::genotype_tables(values_of(options)); });
  if (!result.ok()) raise(result.status());
  const lasso::GenotypeTables& tables = result.value();
  py::dict samples, variants, both;
  samples["FID"] = tables.family;
  samples["IID"] = tables.individual;
  variants["id"] = tables.id;
  variants["chromosome"] = tables.chromosome;
  variants["position"] = tables.position;
  variants["A1"] = tables.counted;
  variants["A2"] = tables.other;
  both["samples"] = samples;
  both["variants"] = variants;
  return both;
}

}  // namespace

void fill_module(py::module_& module) {
  module.doc() = "The compiled half of the package strads; use that.";
  module.def("use_errors", &use_errors);
  py::class_<Data>(module, "Data")
      .def(py::init<>())
      .def("set_dense", &Data::set_dense)
      .def("set_sparse", &Data::set_sparse)
      .def("set_response", &Data::set_response)
      .def("add_response", &Data::add_response)
      .def("set_split", &Data::set_split)
      .def("set_weights", &Data::set_weights)
      .def("set_offset", &Data::set_offset)
      .def("add_covariate", &Data::add_covariate)
      .def("set_penalty_factors", &Data::set_penalty_factors)
      .def("set_folds", &Data::set_folds);
  const auto options = py::arg("options"), data = py::arg("data");
  const auto add_command = [&](const char* name, const auto run) {
    module.def(
        name,
        [run](const Options& o, const Data* d, const std::vector<double>& l, const py::object& c,
              const py::object& nodes, const py::object& start) { return call(run, o, d, l, c, nodes, start); },
        options, data, py::arg("lambdas"), py::arg("callback"), py::arg("cluster"), py::arg("start"));
  };
  add_command("fit", lasso::call_fit);
  add_command("path", lasso::call_path);
  add_command("cv", lasso::call_cv);
  module.def("predict", &predict, py::arg("model"), options, data);
  module.def("genotype_tables", &genotype_tables, options);
  module.def("rows_left_out", &rows_left_out, options);
  module.def(
      "options_of", [](const std::string& command) { return list_of(lasso::options_of(command)); }, py::arg("command"));
  add_factorization(module);
  add_item_weights(module);
  add_topics(module);
  add_support_vectors(module);
  add_summary(module);
  add_cluster(module);
  module.def("available_threads", [] { return available_threads(); });
  module.def("version", [] { return std::string(version()); });
  module.def("build_id", &build_id);
  module.def("simd_name", [] { return std::string(simd_name()); });
}

}  // namespace strads::python

PYBIND11_MODULE(_strads, module) {
  strads::python::fill_module(module);
}
