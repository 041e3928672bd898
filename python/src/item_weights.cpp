#include "item_weights.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

#include "cluster.hpp"
#include "errors.hpp"
#include "factorization.hpp"
#include "interrupt.hpp"
#include "mf/library/ranking_library.hpp"
#include "results.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

template <class T>
using Numbers = py::array_t<T, py::array::c_style>;

template <class T>
std::span<const T> span_of(const Numbers<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

template <class T>
std::vector<T> vector_of(const py::handle& array) {
  const auto values = array.cast<py::array_t<T, py::array::c_style | py::array::forcecast>>();
  return {values.data(), values.data() + values.size()};
}

template <class T>
py::array_t<T> array_from(const std::vector<T>& values) {
  py::array_t<T> out(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

/// Pairs as Python has them: what is looked at lives as long as this.
struct HeldPairs {
  Numbers<std::uint64_t> begins;
  Numbers<std::uint32_t> users, items;
  py::object values;
  std::vector<std::string> user_ids, item_ids;
  RatingsInMemory view;
};

/// {"items", "values", and "begins" of rows or "users"; maybe "user_ids", "item_ids"}. Nothing is copied.
std::shared_ptr<HeldPairs> pairs_from(const py::dict& facts) {
  auto held = std::make_shared<HeldPairs>();
  held->items = facts["items"].cast<Numbers<std::uint32_t>>();
  held->view.items = span_of(held->items);
  held->values = facts["values"];
  if (py::isinstance<Numbers<float>>(held->values)) {
    held->view.single_values = span_of(held->values.cast<Numbers<float>>());
  } else if (py::isinstance<Numbers<double>>(held->values)) {
    held->view.values = span_of(held->values.cast<Numbers<double>>());
  } else {
    throw py::value_error("expected values of float32 or float64");
  }
  if (facts.contains("begins")) {
    held->begins = facts["begins"].cast<Numbers<std::uint64_t>>();
    held->view.row_begins = span_of(held->begins);
  } else {
    held->users = facts["users"].cast<Numbers<std::uint32_t>>();
    held->view.users = span_of(held->users);
  }
  if (facts.contains("user_ids")) held->user_ids = ids_of(facts["user_ids"].cast<py::list>());
  if (facts.contains("item_ids")) held->item_ids = ids_of(facts["item_ids"].cast<py::list>());
  held->view.user_ids = held->user_ids;
  held->view.item_ids = held->item_ids;
  return held;
}

py::list ids_as_bytes(const std::vector<std::string>& ids) {
  py::list out;
  for (const std::string& id : ids) out.append(py::bytes(id));
  return out;
}

void add_weights(py::dict& facts, const mf::WeightsResult& fit) {
  facts["users"] = ids_as_bytes(fit.users);
  facts["items"] = ids_as_bytes(fit.items);
  facts["user_counts"] = array_from(fit.user_counts);
  facts["item_counts"] = array_from(fit.item_counts);
  facts["begins"] = array_from(fit.weights.begins);
  facts["columns"] = array_from(fit.weights.columns);
  facts["values"] = array_from(fit.weights.values);
  facts["config"] = fit.config;
}

py::dict load_weights(const std::string& directory) {
  const auto loaded = without_lock([&] { return mf::load_weights(directory); });
  if (!loaded.ok()) raise(loaded.status());
  py::dict facts;
  add_weights(facts, loaded.value().result);
  facts["summary"] = loaded.value().summary;
  return facts;
}

py::dict fit_weights(const Options& options, const py::object& pairs, const py::object& callback,
                     const py::object& cluster) {
  const Nodes nodes = nodes_of(cluster);
  Host host(callback, nodes.local);
  mf::FactorCall call;
  call.options = values_of(options);
  call.cluster = values_of(nodes.options);
  call.host = host.functions();
  std::shared_ptr<HeldPairs> held;
  if (!pairs.is_none()) {
    held = pairs_from(pairs.cast<py::dict>());
    call.ratings = {held, &held->view};
  }
  auto result = without_lock([&] { return mf::call_weights(call); });
  if (!result.ok()) raise(result.status(), host.error());
  const mf::WeightsResult& fit = result.value();
  py::dict facts = facts_of_run(fit);
  facts["converged"] = fit.finished;
  add_weights(facts, fit);
  facts["objectives"] = array_from(fit.objectives);
  facts["gaps"] = array_from(fit.gaps);
  facts["objective"] = fit.objective;
  facts["worst_gap"] = fit.worst_gap;
  facts["model_hash"] = fit.model_hash;
  facts["error"] = host.error();
  return facts;
}

SparseRows matrix_from(const py::dict& facts) {
  SparseRows matrix;
  matrix.begins = vector_of<std::uint64_t>(facts["begins"]);
  matrix.columns = vector_of<std::uint32_t>(facts["columns"]);
  matrix.values = vector_of<float>(facts["values"]);
  matrix.width = matrix.begins.size() - 1;
  return matrix;
}

mf::WeightsResult weights_from(const py::dict& facts) {
  mf::WeightsResult out;
  out.users = ids_of(facts["users"].cast<py::list>());
  out.items = ids_of(facts["items"].cast<py::list>());
  out.user_counts = vector_of<std::uint32_t>(facts["user_counts"]);
  out.item_counts = vector_of<std::uint32_t>(facts["item_counts"]);
  out.weights = matrix_from(facts);
  return out;
}

void save_weights(const std::string& directory, bool force, const py::dict& facts) {
  mf::WeightsResult result = weights_from(facts);
  result.stop_reason = facts["stop_reason"].cast<std::string>();
  result.finished = facts["converged"].cast<bool>();
  result.objective = facts["objective"].cast<double>();
  result.worst_gap = facts["worst_gap"].cast<double>();
  result.model_hash = facts["model_hash"].cast<std::string>();
  result.config = facts["config"].cast<std::string>();
  result.features = facts["features"].cast<std::uint64_t>();
  const Status saved = without_lock([&] { return mf::save_weights(result, directory, force); });
  if (!saved.ok()) raise(saved);
}

/// `model`: as save_factors() or, with "columns", save_weights() takes it. Returns rows (k, ranked by, metric, mean,
/// standard error).
py::dict evaluate_lists(const py::dict& model, const py::dict& train, const py::dict& test, const py::object& relevant,
                        const std::vector<std::uint32_t>& ks, unsigned threads) {
  mf::EvaluateCall call;
  mf::WeightsResult weights;
  mf::FactorResult factors;
  if (model.contains("columns")) {
    weights = weights_from(model);
    call.model.weights = &weights;
    call.model.lowest_positive = model["lowest_positive"].cast<double>();
  } else {
    factors = factors_from(model);
    call.model.factors = &factors;
  }
  const auto train_pairs = pairs_from(train), test_pairs = pairs_from(test);
  call.train = train_pairs->view;
  call.test = test_pairs->view;
  if (!relevant.is_none()) call.relevant = relevant.cast<double>();
  call.ks = ks;
  call.threads = threads;
  const auto result = without_lock([&] { return mf::call_evaluate(call); });
  if (!result.ok()) raise(result.status());
  py::list rows;
  for (const mf::EvaluatedFigure& one : result.value().figures) {
    rows.append(py::make_tuple(one.k, one.ranked_by, one.metric, one.mean, one.standard_error));
  }
  py::dict facts;
  facts["rows"] = rows;
  facts["users"] = result.value().users;
  facts["pairs"] = result.value().pairs;
  return facts;
}

/// (items, scores), each users x top; behind the end of a list -1 and 0.
py::tuple recommend_by_weights(const py::dict& model, const py::tuple& given, const py::tuple& left_out,
                               const py::object& allowed, std::uint32_t top, unsigned threads) {
  const SparseRows matrix = matrix_from(model);
  mf::WeightsLists call;
  call.weights = &matrix;
  call.begins = vector_of<std::uint64_t>(given[0]);
  call.items = vector_of<std::uint32_t>(given[1]);
  call.out_begins = vector_of<std::uint64_t>(left_out[0]);
  call.out_items = vector_of<std::uint32_t>(left_out[1]);
  if (!allowed.is_none()) call.allowed = vector_of<std::uint8_t>(allowed);
  call.top = top;
  call.threads = threads;
  const auto result = without_lock([&] { return mf::call_recommend(call); });
  if (!result.ok()) raise(result.status());
  const auto users = static_cast<py::ssize_t>(result.value().size()), width = static_cast<py::ssize_t>(top);
  py::array_t<std::int32_t> items({users, width});
  py::array_t<float> scores({users, width});
  std::fill_n(items.mutable_data(), items.size(), -1);
  std::fill_n(scores.mutable_data(), scores.size(), 0.0F);
  for (py::ssize_t user = 0; user < users; ++user) {
    const auto& list = result.value()[static_cast<std::size_t>(user)];
    for (std::size_t place = 0; place < list.size(); ++place) {
      items.mutable_at(user, static_cast<py::ssize_t>(place)) = static_cast<std::int32_t>(list[place].item);
      scores.mutable_at(user, static_cast<py::ssize_t>(place)) = list[place].score;
    }
  }
  return py::make_tuple(items, scores);
}

}  // namespace

void add_item_weights(py::module_& module) {
  module.def("fit_weights", &fit_weights, py::arg("options"), py::arg("pairs"), py::arg("callback"),
             py::arg("cluster"));
  module.def("load_weights", &load_weights, py::arg("directory"));
  module.def("save_weights", &save_weights, py::arg("directory"), py::arg("force"), py::arg("facts"));
  module.def("evaluate_lists", &evaluate_lists, py::arg("model"), py::arg("train"), py::arg("test"),
             py::arg("relevant"), py::arg("ks"), py::arg("threads"));
  module.def("recommend_by_weights", &recommend_by_weights, py::arg("model"), py::arg("given"), py::arg("left_out"),
             py::arg("allowed"), py::arg("top"), py::arg("threads"));
}

}  // namespace strads::python
