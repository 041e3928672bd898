// Nodes for Python that stay between fits.
#pragma once

#include <pybind11/pybind11.h>

#include "errors.hpp"
#include "strads/program/standing_processes.hpp"

namespace strads::python {

/// Where a call goes: options of the section [cluster], and the processes, or null where they are not of this machine.
struct Nodes {
  Options options;
  StandingProcesses* local = nullptr;
};
/// From what Python gives: None, or a tuple of options and of a Processes or None.
[[nodiscard]] Nodes nodes_of(const pybind11::object& cluster);

/// Adds the class Processes to the module.
void add_cluster(pybind11::module_& module);

}  // namespace strads::python
