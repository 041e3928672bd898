#include "summary.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

#include "cluster.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "results.hpp"
#include "sumstats/library/sumstats_library.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

template <class T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;

template <class T>
py::array_t<T> copied(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Arrays by name; what is not there is unknown. `held` keeps them.
std::shared_ptr<const StudyInMemory> study_from(const py::dict& arrays, std::vector<py::object>& held) {
  auto study = std::make_shared<StudyInMemory>();
  const auto numbers = [&](const char* name) -> std::span<const double> {
    if (!arrays.contains(name)) return {};
    const auto array = arrays[name].cast<Array<double>>();
    held.push_back(array);
    return {array.data(), static_cast<std::size_t>(array.size())};
  };
  study->r = numbers("r");
  study->beta = numbers("beta");
  study->se = numbers("se");
  study->p = numbers("p");
  study->n = numbers("n");
  study->frequency = numbers("frequency");
  if (arrays.contains("blocks")) {
    const auto array = arrays["blocks"].cast<Array<std::uint32_t>>();
    held.push_back(array);
    study->blocks = {array.data(), static_cast<std::size_t>(array.size())};
  }
  return study;
}

py::array_t<double> of_points(const sumstats::SummaryPathCall& path, double (*figure)(const sumstats::GridSolution&)) {
  py::array_t<double> out(
      {static_cast<py::ssize_t>(path.shrinks.size()), static_cast<py::ssize_t>(path.lambdas.size())});
  std::transform(path.points.begin(), path.points.end(), out.mutable_data(), figure);
  return out;
}

py::object choice_of(const sumstats::SummaryPathCall& path) {
  if (!path.choice) return py::none();
  py::dict choice;
  choice["point"] = path.choice->point;
  choice["by"] = path.choice->by_people ? "validation" : "pseudo-validation";
  choice["measure"] = path.choice->measure;
  choice["people"] = path.choice->people;
  return choice;
}

py::dict facts_of_path(const sumstats::SummaryPathCall& path) {
  py::dict facts = facts_of_run(path), dropped;
  facts["converged"] = path.converged;
  facts["samples"] = path.samples;
  facts["columns"] = path.columns;
  facts["shrinks"] = array_of(path.shrinks);
  facts["lambdas"] = array_of(path.lambdas);
  facts["objectives"] = of_points(path, [](const sumstats::GridSolution& point) { return point.objective; });
  facts["gaps"] = of_points(path, [](const sumstats::GridSolution& point) { return point.gap; });
  facts["worst"] = of_points(path, [](const sumstats::GridSolution& point) { return point.worst; });
  facts["nonzeros"] =
      of_points(path, [](const sumstats::GridSolution& point) { return static_cast<double>(point.nonzeros); });
  facts["starts"] = copied(path.starts);
  facts["variables"] = copied(path.variables);
  facts["standardized"] = array_of(path.standardized);
  facts["coefficients"] = array_of(path.coefficients);
  facts["kept"] = copied(path.variants.columns);
  facts["begins"] = copied(path.variants.begins);
  facts["r"] = array_of(path.variants.r);
  facts["means"] = array_of(path.variants.means);
  facts["choice"] = choice_of(path);
  facts["measured"] = array_of(path.measured);
  for (const auto& [reason, count] : path.variants.dropped) dropped[py::str(reason)] = count;
  facts["dropped"] = dropped;
  facts["weights"] = path.weights;
  facts["lambda_max"] = path.lambda_max;
  facts["n_max"] = path.n_max;
  facts["frequency_correlation"] = path.frequency_correlation;
  facts["model_hash"] = path.model_hash;
  return facts;
}

/// `study`: None, or a dict of arrays; `panel`, `validation`: None, or what lies in memory.
py::dict fit_summary(const Options& options, const py::object& study, const Data* panel, const Data* validation,
                     const py::object& callback, const py::object& cluster) {
  const Nodes nodes = nodes_of(cluster);
  Host host(callback, nodes.local);
  std::vector<py::object> held;
  sumstats::SummaryCall call;
  call.options = values_of(options);
  call.cluster = values_of(nodes.options);
  call.host = host.functions();
  if (!study.is_none()) call.study = study_from(study.cast<py::dict>(), held);
  if (panel != nullptr) call.panel = panel->view();
  if (validation != nullptr) call.validation = validation->view();
  const auto result = without_lock([&] { return sumstats::call_path(call); });
  if (!result.ok()) raise(result.status(), host.error());
  py::dict facts = facts_of_path(result.value());
  facts["error"] = host.error();
  return facts;
}

}  // namespace

void add_summary(py::module_& module) {
  module.def("fit_summary", &fit_summary, py::arg("options"), py::arg("study"), py::arg("panel"), py::arg("validation"),
             py::arg("callback"), py::arg("cluster"));
  module.def("options_of_summary", [] { return list_of(sumstats::options_of_path()); });
}

}  // namespace strads::python
