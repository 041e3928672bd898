// What calls of the libraries have in common: options in, errors out, without the interpreter's lock between.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/embedding.hpp"

namespace strads::python {

using Options = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::vector<OptionValue> values_of(const Options& options);
[[nodiscard]] pybind11::list list_of(const std::vector<OptionFacts>& options);

/// The classes of exceptions that the package has.
void use_errors(pybind11::object usage, pybind11::object input, pybind11::object other);
/// Throws what Python knows the status as; `instead`: an exception that ended the call, or None.
[[noreturn]] void raise(const Status& status, const pybind11::object& instead = pybind11::none());

template <class Run>
auto without_lock(const Run& run) {
  const pybind11::gil_scoped_release release;
  return run();
}

}  // namespace strads::python
