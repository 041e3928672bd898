// The models whose fits `strads_sim run` simulates, and what each of them tells in its own words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/program/daemon_model.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"

namespace strads {
struct Certificate;    // strads/engine/phase.hpp
class Model;           // strads/engine/model.hpp
struct ProgressEvent;  // strads/engine/progress.hpp
struct RunEnd;         // strads/engine/progress.hpp
}  // namespace strads

namespace strads::simulator {

struct SimulatedModel {
  std::string name;                     ///< the first word after `run`
  DaemonModel node;                     ///< its options and what makes it
  std::vector<std::string_view> shown;  ///< options of its program that the short help shows here too
  Trace::Columns curve;                 ///< its own columns of curve.csv; without: those of Curve
  std::string hash;                     ///< how its solution's hash is called: "beta_hash"
  /// What follows the objective on the line about quality; begins with ", ".
  std::function<std::string(const Certificate&)> quality_text;
  /// What its summary says about quality beside the objective.
  std::function<void(Summary&, const Certificate&)> add_quality;
  /// Counts what is known only once the run has ended. May be empty.
  std::function<void(const Model&, RunEnd&)> recount = {};
  bool certifies = true;  ///< its certificates have a gap: --target-gap means something
  /// What --target-objective is compared with: the objective of an event, or nothing. Empty: that of every commit.
  std::function<std::optional<double>(const ProgressEvent&)> objective = {};
  /// Its summary's "block_solves", from what RunTotals::tally counts. Empty: there is none.
  std::function<Summary(std::span<const std::uint64_t>)> block_solves = {};
};

/// The first one is meant where none is named.
[[nodiscard]] std::span<const SimulatedModel> simulated_models();

}  // namespace strads::simulator
