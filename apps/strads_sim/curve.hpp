// Objective against virtual time: the rows of curve.csv.
#pragma once

#include <string>
#include <utility>

#include "strads/program/trace.hpp"

namespace strads {
struct ProgressEvent;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::simulator {

/// Keeps the start, every barrier, the last commit, and of the others one whenever time has grown by half a percent:
/// some thousand rows for any length of run, dense where curves bend on a logarithmic axis.
class Curve {
 public:
  Curve() = default;
  /// A model's own table instead: a row for each event that has one.
  explicit Curve(Trace::Columns columns) : columns_(std::move(columns)) {}

  void record(const ProgressEvent& event, double seconds);
  /// Header and rows: seconds, updates, rounds, blocks, objective, relative_gap (empty before the first certificate).
  [[nodiscard]] std::string csv() const;

 private:
  std::string row(const ProgressEvent& event, double seconds) const;
  Trace::Columns columns_;
  std::string rows_;
  std::string last_;  ///< of the last commit, if it is not among the rows
  double kept_seconds_ = 0;
};

}  // namespace strads::simulator
