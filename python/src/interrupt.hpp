// What Python hears of a run while it computes, and how it ends one.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "strads/program/run_host.hpp"
#include "strads/program/standing_processes.hpp"

namespace strads::python {

/// The host of one call. Its functions are called without the interpreter's lock and take it when they need it.
class Host {
 public:
  /// `callback`: None, or called with a dict at each certificate, and otherwise ten times a second; true ends the run.
  /// `nodes`: those that a run on a cluster goes to, where they are processes of this one; else null.
  explicit Host(pybind11::object callback, StandingProcesses* nodes = nullptr)
      : callback_(std::move(callback)), nodes_(nodes) {}

  [[nodiscard]] RunHost functions();
  /// The exception that ended the run, or None: KeyboardInterrupt, or what the callback raised. Needs the lock.
  [[nodiscard]] pybind11::object error() const { return error_; }

 private:
  bool hear(const ProgressEvent& event, double seconds);
  bool is_interrupted();
  void keep_error();

  pybind11::object callback_;
  StandingProcesses* nodes_;
  pybind11::object error_ = pybind11::none();
  bool ends_ = false;
  double told_ = -1;         ///< seconds of solving when the callback was last called
  std::int64_t looked_ = 0;  ///< steady clock, when signals were last looked for
};

}  // namespace strads::python
