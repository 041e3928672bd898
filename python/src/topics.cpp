#include "topics.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

#include "cluster.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "lda/library/lda_library.hpp"
#include "results.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

template <class T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

template <class T>
py::array_t<T> matrix_of(const std::vector<T>& values, std::uint64_t rows, std::uint64_t columns) {
  py::array_t<T> out({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

/// (starts, words, counts, number of words): a matrix in compressed rows.
std::shared_ptr<const Documents> documents_from(const py::tuple& rows) {
  const auto starts = rows[0].cast<Array<std::uint64_t>>();
  const auto words = rows[1].cast<Array<std::uint32_t>>();
  const auto counts = rows[2].cast<Array<double>>();
  const auto vocabulary = rows[3].cast<std::uint32_t>();
  auto read =
      without_lock([&] { return documents_in_memory(span_of(starts), span_of(words), span_of(counts), vocabulary); });
  if (!read.ok()) raise(read.status());
  return std::make_shared<const Documents>(std::move(read).value());
}

py::dict fit_topics(const Options& options, const py::object& rows, const py::object& callback) {
  Host host(callback, nullptr);
  lda::TopicsCall call;
  call.options = values_of(options);
  call.host = host.functions();
  if (!rows.is_none()) call.documents = documents_from(rows.cast<py::tuple>());
  const auto result = without_lock([&] { return lda::call_fit(call); });
  if (!result.ok()) raise(result.status(), host.error());
  const lda::TopicsResult& fit = result.value();
  py::dict facts = facts_of_run(fit);
  facts["converged"] = fit.finished;
  facts["sweeps"] = fit.sweeps;
  facts["components"] = matrix_of(fit.components, fit.topics, fit.words);
  facts["phi"] = matrix_of(fit.phi, fit.topics, fit.words);
  facts["theta"] = matrix_of(fit.theta, fit.documents, fit.topics);
  facts["alpha"] = py::array_t<double>(static_cast<py::ssize_t>(fit.alpha.size()), fit.alpha.data());
  facts["beta"] = fit.beta;
  py::list names;
  for (const std::string& name : fit.word_names) names.append(py::bytes(name));
  facts["words"] = names;
  facts["log_joint_per_token"] = fit.log_joint_per_token;
  facts["held_out_perplexity"] = fit.held_out_perplexity;
  facts["model_hash"] = fit.model_hash;
  facts["error"] = host.error();
  return facts;
}

lda::GivenTopics given_topics(const Array<float>& phi, const Array<double>& alpha, std::uint64_t seed,
                              std::uint32_t sweeps, std::uint32_t threads) {
  return {span_of(phi), span_of(alpha), seed, sweeps, threads};
}

py::array_t<float> infer_topics(const Array<float>& phi, const Array<double>& alpha, std::uint64_t seed,
                                std::uint32_t sweeps, std::uint32_t threads, const py::tuple& rows) {
  const auto documents = documents_from(rows);
  const auto topics = given_topics(phi, alpha, seed, sweeps, threads);
  const auto theta = without_lock([&] { return lda::call_infer(topics, *documents); });
  if (!theta.ok()) raise(theta.status());
  return matrix_of(theta.value(), documents->size(), static_cast<std::uint64_t>(alpha.size()));
}

/// (log likelihood, tokens).
py::tuple completion(const Array<float>& phi, const Array<double>& alpha, std::uint64_t seed, std::uint32_t sweeps,
                     std::uint32_t threads, const py::tuple& rows) {
  const auto documents = documents_from(rows);
  const auto topics = given_topics(phi, alpha, seed, sweeps, threads);
  const auto done = without_lock([&] { return lda::call_completion(topics, *documents); });
  if (!done.ok()) raise(done.status());
  return py::make_tuple(done.value().log_likelihood, done.value().tokens);
}

void save_topics(const std::string& directory, bool force, const py::dict& facts) {
  lda::SavedTopics saved;
  const auto components = facts["components"].cast<Array<double>>();
  saved.components.assign(components.data(), components.data() + components.size());
  const auto alpha = facts["alpha"].cast<Array<double>>();
  saved.alpha.assign(alpha.data(), alpha.data() + alpha.size());
  const auto theta = facts["theta"].cast<Array<float>>();
  saved.theta.assign(theta.data(), theta.data() + theta.size());
  saved.beta = facts["beta"].cast<double>();
  saved.words = facts["words"].cast<std::vector<std::string>>();
  saved.log_joint_per_token = facts["log_joint_per_token"].cast<double>();
  saved.held_out_perplexity = facts["held_out_perplexity"].cast<double>();
  saved.sweeps = facts["sweeps"].cast<std::uint64_t>();
  saved.stop_reason = facts["stop_reason"].cast<std::string>();
  saved.finished = facts["converged"].cast<bool>();
  saved.model_hash = facts["model_hash"].cast<std::string>();
  saved.config = facts["config"].cast<std::string>();
  const Status done = without_lock([&] { return lda::save_topics(saved, directory, force); });
  if (!done.ok()) raise(done);
}

py::dict load_topics(const std::string& directory) {
  const auto read = without_lock([&] { return lda::load_topics(directory); });
  if (!read.ok()) raise(read.status());
  const lda::SavedTopics& topics = read.value().topics;
  const std::uint64_t count = topics.alpha.size();
  py::dict facts;
  facts["components"] = matrix_of(topics.components, count, topics.components.size() / count);
  facts["phi"] = matrix_of(read.value().phi, count, read.value().phi.size() / count);
  facts["theta"] = matrix_of(topics.theta, topics.theta.size() / count, count);
  facts["alpha"] = py::array_t<double>(static_cast<py::ssize_t>(count), topics.alpha.data());
  facts["beta"] = topics.beta;
  py::list names;
  for (const std::string& name : topics.words) names.append(py::bytes(name));
  facts["words"] = names;
  facts["config"] = topics.config;
  facts["summary"] = read.value().summary;
  return facts;
}

}  // namespace

void add_topics(py::module_& module) {
  module.def("fit_topics", &fit_topics, py::arg("options"), py::arg("rows"), py::arg("callback"));
  module.def("infer_topics", &infer_topics, py::arg("phi"), py::arg("alpha"), py::arg("seed"), py::arg("sweeps"),
             py::arg("threads"), py::arg("rows"));
  module.def("completion", &completion, py::arg("phi"), py::arg("alpha"), py::arg("seed"), py::arg("sweeps"),
             py::arg("threads"), py::arg("rows"));
  module.def("save_topics", &save_topics, py::arg("directory"), py::arg("force"), py::arg("facts"));
  module.def("load_topics", &load_topics, py::arg("directory"));
  module.def("options_of_topics", [] { return list_of(lda::options_of_fit()); });
}

}  // namespace strads::python
