#include "errors.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

struct Errors {
  py::object usage, input, other;
};
Errors& errors() {
  static auto* const errors = new Errors;  // the interpreter may be gone when statics go
  return *errors;
}

}  // namespace

std::vector<OptionValue> values_of(const Options& options) {
  std::vector<OptionValue> values;
  for (const auto& [name, value] : options) values.push_back({name, value});
  return values;
}

py::list list_of(const std::vector<OptionFacts>& options) {
  py::list list;
  for (const OptionFacts& option : options) {
    py::dict facts;
    facts["name"] = option.name;
    facts["effect"] = option.effect;
    facts["unit"] = option.unit;
    facts["kind"] = option.kind;
    facts["default"] = option.fallback;
    facts["choices"] = option.choices;
    list.append(facts);
  }
  return list;
}

void use_errors(py::object usage, py::object input, py::object other) {
  errors() = {std::move(usage), std::move(input), std::move(other)};
}

void raise(const Status& status, const py::object& instead) {
  if (!instead.is_none()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(instead.ptr())), instead.ptr());
    throw py::error_already_set();
  }
  const py::object& type = status.code() == StatusCode::usage   ? errors().usage
                           : status.code() == StatusCode::input ? errors().input
                                                                : errors().other;
  PyErr_SetString(type.ptr(), status.message().c_str());
  throw py::error_already_set();
}

}  // namespace strads::python
