#include "factorization.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

#include "cluster.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "mf/library/mf_library.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

template <class T>
std::span<const T> view_of(const py::array_t<T, py::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

py::dict side_of(const mf::FactorSide& side, std::uint32_t rank) {
  const auto rows = static_cast<py::ssize_t>(side.ids.size());
  py::array_t<float> factors({rows, static_cast<py::ssize_t>(rank)}), biases(rows);
  py::array_t<std::uint32_t> counts(rows);
  std::copy(side.factors.begin(), side.factors.end(), factors.mutable_data());
  std::copy(side.biases.begin(), side.biases.end(), biases.mutable_data());
  std::copy(side.counts.begin(), side.counts.end(), counts.mutable_data());
  py::dict facts;
  facts["ids"] = side.ids;
  facts["factors"] = factors;
  facts["biases"] = biases;
  facts["counts"] = counts;
  return facts;
}

py::dict fit_factors(const Options& options, const py::array_t<std::uint32_t, py::array::c_style>& users,
                     const py::array_t<std::uint32_t, py::array::c_style>& items,
                     const py::array_t<double, py::array::c_style>& values, const py::object& callback,
                     const py::object& cluster) {
  const Nodes nodes = nodes_of(cluster);
  Host host(callback, nodes.local);
  mf::FactorCall call;
  call.cluster = values_of(nodes.options);
  call.options = values_of(options);
  call.host = host.functions();
  if (users.size() > 0) {
    auto ratings = std::make_shared<RatingsInMemory>();
    *ratings = {view_of(users), view_of(items), view_of(values), {}};
    call.ratings = std::move(ratings);
  }
  auto result = without_lock([&] { return mf::call_fit(call); });
  if (!result.ok()) raise(result.status(), host.error());
  const mf::FactorResult& fit = result.value();
  py::dict facts;
  facts["stop_reason"] = fit.stop_reason;
  facts["converged"] = fit.finished;
  facts["sweeps"] = fit.sweeps;
  facts["rounds"] = fit.rounds;
  facts["seconds_load"] = fit.seconds_load;
  facts["seconds_solve"] = fit.seconds_solve;
  facts["seconds_check"] = fit.seconds_check;
  facts["mean"] = fit.mean;
  facts["lowest"] = fit.lowest;
  facts["highest"] = fit.highest;
  facts["users"] = side_of(fit.users, fit.rank);
  facts["items"] = side_of(fit.items, fit.rank);
  facts["objective"] = fit.objective;
  facts["rmse_train"] = fit.rmse_train;
  facts["rmse_validation"] = fit.rmse_validation;
  facts["rmse_test"] = fit.rmse_test;
  facts["model_hash"] = fit.model_hash;
  facts["notes"] = fit.notes;
  facts["config"] = fit.config;
  facts["error"] = host.error();
  return facts;
}

}  // namespace

void add_factorization(py::module_& module) {
  module.def("fit_factors", &fit_factors, py::arg("options"), py::arg("users"), py::arg("items"), py::arg("values"),
             py::arg("callback"), py::arg("cluster"));
  module.def("options_of_factorization", [] { return list_of(mf::options_of_fit()); });
}

}  // namespace strads::python
