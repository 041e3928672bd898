#include "cluster.hpp"

#include <pybind11/stl.h>

#include <memory>

namespace strads::python {
namespace {

namespace py = pybind11;

std::unique_ptr<StandingProcesses> start(std::uint32_t processes, const std::string& stradsd, unsigned threads) {
  auto started = without_lock([&] { return StandingProcesses::start(processes, stradsd, threads); });
  if (!started.ok()) raise(started.status());
  return std::move(started).value();
}

Options options_of(const StandingProcesses& processes) {
  Options options;
  for (const OptionValue& one : processes.options()) options.emplace_back(one.name, one.value);
  return options;
}

void replace_lost(StandingProcesses& processes) {
  if (const Status replaced = processes.replace_lost(); !replaced.ok()) raise(replaced);
}

}  // namespace

Nodes nodes_of(const py::object& cluster) {
  if (cluster.is_none()) return {};
  const auto both = cluster.cast<py::tuple>();
  Nodes nodes{both[0].cast<Options>()};
  if (!both[1].is_none()) nodes.local = both[1].cast<StandingProcesses*>();
  return nodes;
}

void add_cluster(py::module_& module) {
  py::class_<StandingProcesses>(module, "Processes")
      .def(py::init(&start), py::arg("processes"), py::arg("stradsd"), py::arg("threads"))
      .def("options", &options_of)
      .def("folder", &StandingProcesses::folder)
      .def("replace_lost", &replace_lost)
      .def("output", &StandingProcesses::output)
      .def("running", &StandingProcesses::running)
      .def("end", &StandingProcesses::end, py::call_guard<py::gil_scoped_release>());
}

}  // namespace strads::python
