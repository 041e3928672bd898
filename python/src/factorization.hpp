// `mf fit` for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace strads::python {

/// Adds fit_factors() to the module.
void add_factorization(pybind11::module_& module);

}  // namespace strads::python
