#include "factorization.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

#include "cluster.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "mf/library/mf_library.hpp"
#include "results.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

template <class T>
std::span<const T> view_of(const py::array_t<T, py::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Ids are bytes: what encoding they have is for Python to say.
py::list bytes_of(const std::vector<std::string>& ids) {
  py::list out;
  for (const std::string& id : ids) out.append(py::bytes(id));
  return out;
}

py::dict side_of(const mf::FactorSide& side, std::uint32_t rank) {
  const auto rows = static_cast<py::ssize_t>(side.ids.size());
  py::array_t<float> factors({rows, static_cast<py::ssize_t>(rank)}), biases(rows);
  py::array_t<std::uint32_t> counts(rows);
  std::copy(side.factors.begin(), side.factors.end(), factors.mutable_data());
  std::copy(side.biases.begin(), side.biases.end(), biases.mutable_data());
  std::copy(side.counts.begin(), side.counts.end(), counts.mutable_data());
  py::dict facts;
  facts["ids"] = bytes_of(side.ids);
  facts["factors"] = factors;
  facts["biases"] = biases;
  facts["counts"] = counts;
  return facts;
}

void add_model(py::dict& facts, const mf::FactorResult& fit) {
  facts["mean"] = fit.mean;
  facts["lowest"] = fit.lowest;
  facts["highest"] = fit.highest;
  facts["unit"] = fit.unit;
  facts["users"] = side_of(fit.users, fit.rank);
  facts["items"] = side_of(fit.items, fit.rank);
  facts["config"] = fit.config;
}

template <class T>
std::vector<T> copy_of(const py::handle& array) {
  const auto values = array.cast<py::array_t<T, py::array::c_style | py::array::forcecast>>();
  return {values.data(), values.data() + values.size()};
}

mf::FactorSide side_from(const py::dict& facts) {
  return {ids_of(facts["ids"].cast<py::list>()), copy_of<float>(facts["factors"]), copy_of<float>(facts["biases"]),
          copy_of<std::uint32_t>(facts["counts"])};
}

void save_factors(const std::string& directory, bool force, const py::dict& facts) {
  mf::FactorResult result = factors_from(facts);
  result.stop_reason = facts["stop_reason"].cast<std::string>();
  result.finished = facts["converged"].cast<bool>();
  result.sweeps = facts["sweeps"].cast<std::uint64_t>();
  result.objective = facts["objective"].cast<double>();
  result.rmse_train = facts["rmse_train"].cast<double>();
  result.rmse_validation = facts["rmse_validation"].cast<double>();
  result.rmse_test = facts["rmse_test"].cast<double>();
  result.model_hash = facts["model_hash"].cast<std::string>();
  result.config = facts["config"].cast<std::string>();
  const Status saved = without_lock([&] { return mf::save_model(result, directory, force); });
  if (!saved.ok()) raise(saved);
}

py::dict load_factors(const std::string& directory) {
  const auto loaded = without_lock([&] { return mf::load_model(directory); });
  if (!loaded.ok()) raise(loaded.status());
  py::dict facts;
  add_model(facts, loaded.value().result);
  facts["summary"] = loaded.value().summary;
  return facts;
}

py::dict fit_factors(const Options& options, const py::array_t<std::uint32_t, py::array::c_style>& users,
                     const py::array_t<std::uint32_t, py::array::c_style>& items,
                     const py::array_t<double, py::array::c_style>& values, const py::list& user_ids,
                     const py::list& item_ids, const py::object& callback, const py::object& cluster) {
  const Nodes nodes = nodes_of(cluster);
  Host host(callback, nodes.local);
  mf::FactorCall call;
  call.cluster = values_of(nodes.options);
  call.options = values_of(options);
  call.host = host.functions();
  const auto names_of_users = ids_of(user_ids), names_of_items = ids_of(item_ids);
  if (users.size() > 0) {
    auto ratings = std::make_shared<RatingsInMemory>();
    *ratings = {view_of(users), view_of(items), view_of(values), names_of_users, names_of_items, {}};
    call.ratings = std::move(ratings);
  }
  auto result = without_lock([&] { return mf::call_fit(call); });
  if (!result.ok()) raise(result.status(), host.error());
  const mf::FactorResult& fit = result.value();
  py::dict facts = facts_of_run(fit);
  facts["converged"] = fit.finished;
  facts["sweeps"] = fit.sweeps;
  add_model(facts, fit);
  facts["objective"] = fit.objective;
  facts["rmse_train"] = fit.rmse_train;
  facts["rmse_validation"] = fit.rmse_validation;
  facts["rmse_test"] = fit.rmse_test;
  facts["model_hash"] = fit.model_hash;
  facts["error"] = host.error();
  return facts;
}

}  // namespace

std::vector<std::string> ids_of(const py::list& ids) {
  std::vector<std::string> out;
  out.reserve(ids.size());
  for (const auto& id : ids) out.push_back(id.cast<std::string>());
  return out;
}

mf::FactorResult factors_from(const py::dict& facts) {
  mf::FactorResult result;
  result.rank = facts["rank"].cast<std::uint32_t>();
  result.mean = facts["mean"].cast<float>();
  result.lowest = facts["lowest"].cast<float>();
  result.highest = facts["highest"].cast<float>();
  result.unit = facts["unit"].cast<double>();
  result.users = side_from(facts["users"].cast<py::dict>());
  result.items = side_from(facts["items"].cast<py::dict>());
  return result;
}

void add_factorization(py::module_& module) {
  module.def("fit_factors", &fit_factors, py::arg("options"), py::arg("users"), py::arg("items"), py::arg("values"),
             py::arg("user_ids"), py::arg("item_ids"), py::arg("callback"), py::arg("cluster"));
  module.def("save_factors", &save_factors, py::arg("directory"), py::arg("force"), py::arg("facts"));
  module.def("load_factors", &load_factors, py::arg("directory"));
  module.def("role_of_column", [](const std::string& name) { return std::string(role_of_column(name)); });
  module.def("options_of_factorization", [] { return list_of(mf::options_of_fit()); });
}

}  // namespace strads::python
