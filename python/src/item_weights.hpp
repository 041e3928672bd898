// `mf fit --solver slim`, `mf evaluate` and lists for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace strads::python {

/// Adds fit_weights(), save_weights(), evaluate_lists() and recommend_by_weights() to the module.
void add_item_weights(pybind11::module_& module);

}  // namespace strads::python
