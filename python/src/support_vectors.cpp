#include "support_vectors.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "cluster.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "results.hpp"
#include "svm/library/svm_library.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

/// A row for each plane.
py::array_t<double> weights_of(const svm::SvmFitCall& fit) {
  py::array_t<double> out({static_cast<py::ssize_t>(fit.offsets.size()), static_cast<py::ssize_t>(fit.columns)});
  std::copy(fit.weights.begin(), fit.weights.end(), out.mutable_data());
  return out;
}

/// `with_names`: also what names the variables, which a model of data on disk needs.
py::dict fit_support_vectors(const Options& options, const Data* data, const py::object& callback,
                             const py::object& cluster, bool with_names) {
  const Nodes nodes = nodes_of(cluster);
  Host host(callback, nodes.local);
  svm::SvmCall call;
  call.options = values_of(options);
  call.cluster = values_of(nodes.options);
  call.host = host.functions();
  if (data != nullptr) call.data = data->view();
  const auto result = without_lock([&] { return svm::call_fit(call); });
  if (!result.ok()) raise(result.status(), host.error());
  const svm::SvmFitCall& fit = result.value();
  py::dict facts = facts_of_run(fit);
  facts["converged"] = fit.converged;
  facts["samples"] = fit.samples;
  facts["columns"] = fit.columns;
  facts["classes"] = fit.model.classes;
  facts["weights"] = weights_of(fit);
  facts["offsets"] = array_of(fit.offsets);
  facts["primal"] = array_of(fit.primal);
  facts["dual"] = array_of(fit.dual);
  facts["gap"] = array_of(fit.gap);
  facts["relative_gap"] = fit.relative_gap;
  facts["support_vectors"] = fit.support_vectors;
  facts["means"] = array_of(fit.means);
  facts["model_hash"] = fit.model_hash;
  facts["shape"] = with_names ? py::object(state_of(fit.model.shape)) : py::none();
  facts["error"] = host.error();
  return facts;
}

}  // namespace

void add_support_vectors(py::module_& module) {
  module.def("fit_support_vectors", &fit_support_vectors, py::arg("options"), py::arg("data"), py::arg("callback"),
             py::arg("cluster"), py::arg("with_names"));
  module.def("options_of_support_vectors", [] { return list_of(svm::options_of_fit()); });
}

}  // namespace strads::python
