// What R hears of a run while it computes, and how it ends one.
#pragma once

#include <cpp11.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "strads/program/run_host.hpp"

namespace strads::r {

/// The host of one call, on R's thread. R leaves functions by jumps where it is interrupted or something fails; none
/// may go through the frames of a run, so all that can jump is called by way of R_ToplevelExec().
class Host {
 public:
  /// `callback`: NULL, or a function of R that is called with a list at each certificate, and otherwise ten times a
  /// second. It returns TRUE to end the run, FALSE to go on, and anything else (a condition) to end it and be kept.
  explicit Host(SEXP callback) : callback_(callback) {}

  [[nodiscard]] RunHost functions();

  std::vector<std::string> notes;
  bool interrupted = false;
  /// What the callback returned in place of TRUE or FALSE, or NULL.
  [[nodiscard]] SEXP condition() const { return condition_; }

 private:
  bool hear(const ProgressEvent& event, double seconds);
  bool is_interrupted();

  SEXP callback_;  ///< R's, for the length of the call
  cpp11::sexp condition_ = R_NilValue;
  bool ends_ = false;
  double told_ = -1;         ///< seconds of solving when the callback was last called
  std::int64_t looked_ = 0;  ///< steady clock, when an interrupt was last looked for
};

}  // namespace strads::r
