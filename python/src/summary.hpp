// `lasso path --sumstats` for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace strads::python {

/// Adds fit_summary() and options_of_summary() to the module.
void add_summary(pybind11::module_& module);

}  // namespace strads::python
