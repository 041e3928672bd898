// Topic models for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace strads::python {

void add_topics(pybind11::module_& module);

}  // namespace strads::python
