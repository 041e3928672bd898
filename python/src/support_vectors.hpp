// Support vector machines for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace strads::python {

/// Adds the functions of svm to the module.
void add_support_vectors(pybind11::module_& module);

}  // namespace strads::python
