// Structs of the libraries as dicts and NumPy arrays.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <vector>

#include "lasso/library/lasso_library.hpp"
#include "strads/program/hosted_run.hpp"

namespace strads::python {

/// A copy.
[[nodiscard]] pybind11::array_t<double> array_of(std::span<const double> values);
/// What every run has.
[[nodiscard]] pybind11::dict facts_of_run(const HostedOutcome& outcome);
[[nodiscard]] pybind11::dict facts_of(const lasso::Outcome& outcome);
[[nodiscard]] pybind11::dict facts_of(const lasso::Solution& solution);
[[nodiscard]] pybind11::dict facts_of(const lasso::FitCall& fit);
[[nodiscard]] pybind11::dict facts_of(const lasso::SolvedPathCall& path);
[[nodiscard]] pybind11::dict facts_of(const lasso::SplitChoice& split);
[[nodiscard]] pybind11::dict facts_of(const lasso::PathCall& path);
[[nodiscard]] pybind11::dict facts_of(const lasso::CvCall& cv);

/// A fitted model as plain tuples, for pickle; and back.
[[nodiscard]] pybind11::tuple state_of(const lasso::FittedModel& model);
[[nodiscard]] lasso::FittedModel model_of(const pybind11::tuple& state);

}  // namespace strads::python
