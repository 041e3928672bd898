// `mf fit` for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "mf/library/mf_library.hpp"

namespace strads::python {

/// Of a list of bytes or text.
[[nodiscard]] std::vector<std::string> ids_of(const pybind11::list& ids);
/// Sides, rank, mean, range and unit of a model as save_factors() takes it.
[[nodiscard]] mf::FactorResult factors_from(const pybind11::dict& facts);

/// Adds fit_factors() to the module.
void add_factorization(pybind11::module_& module);

}  // namespace strads::python
