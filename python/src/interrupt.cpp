#include "interrupt.hpp"

#include <chrono>

namespace strads::python {
namespace {

namespace py = pybind11;

py::dict facts_of_progress(const ProgressEvent& event, double seconds) {
  py::dict facts;
  facts["event"] = event_name(event.kind);
  facts["seconds"] = seconds;
  facts["rounds"] = event.totals.rounds;
  facts["phase"] = event.phase;
  facts["updates"] = event.totals.updates;
  facts["objective"] = objective_of(event);
  facts["gap"] = event.certificate.gap;
  facts["relative_gap"] = event.certificate.relative_gap;
  facts["nonzeros"] = event.certificate.nonzeros;
  return facts;
}

}  // namespace

RunHost Host::functions() {
  RunHost host;
  host.progress = [this](const ProgressEvent& event, double seconds) { return hear(event, seconds); };
  host.finish_requested = [this] { return is_interrupted(); };
  if (nodes_ != nullptr) host.ended_processes = [this] { return nodes_->ended(); };
  return host;
}

void Host::keep_error() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  error_ = py::reinterpret_steal<py::object>(value);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  ends_ = true;
}

bool Host::hear(const ProgressEvent& event, double seconds) {
  if (ends_ || callback_.is_none()) return ends_;
  if (event.kind == ProgressEvent::Kind::commit && seconds - told_ < kHostToldSeconds) return false;
  told_ = seconds;
  const py::gil_scoped_acquire lock;
  try {
    const py::object answer = callback_(facts_of_progress(event, seconds));
    ends_ = PyObject_IsTrue(answer.ptr()) == 1;
  } catch (py::error_already_set& error) {
    error.restore();
    keep_error();
  }
  return ends_;
}

/// Signals reach Python when it looks for them, on its main thread; on others the look finds none.
bool Host::is_interrupted() {
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (ends_ || now - looked_ < kHostLookNanoseconds) return ends_;
  looked_ = now;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) keep_error();
  return ends_;
}

}  // namespace strads::python
