// Whether every variable gets its turn (SAP step 1): bounds that the variables drawn must keep. Layer: sim.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strads/base/types.hpp"
#include "strads/engine/model.hpp"

namespace strads::sim {

/// What is asked of the draws depends on p(j) as fresh slices of the auditor's own model say it after START:
///
///  - p(j) = kSampleFirst (Algorithm 1): while one of these variables has never been drawn, each round of its slice
///    draws at least one that never was. Exact: the first one drawn is kept whatever conflicts.
///  - The same p for all variables that may be drawn at all, without a schedule() of the model's own: it is taken to
///    stay so. A round that keeps b of n variables misses a given one with probability 1 - b/n; one that drops
///    conflicting ones keeps at least the first drawn: 1 - 1/n. Draws without replacement of different rounds miss k
///    given ones with at most the k-th power, so that P(at least k never drawn) <= C(n, k) m^k <= (n m)^k / k!, where m
///    is the product over the rounds. Below kUnlikely it is a violation.
///  - Anything else (working sets, p that differ, a schedule() of its own): nothing is asked. So it is once a joint
///    round was seen: its block is chosen at the barrier.
class AuditDraws {
 public:
  /// Of a slice that draws as it should: such a run is seen once in so many runs.
  static constexpr double kUnlikely = 1e-15;

  /// Scans slices of its own: one pass over the data. REQUIRES: Model::begin was not called yet; calls it.
  void begin(Model& model, const std::vector<std::vector<VarId>>& slices, const Payload& problem);
  /// An ordinary round was committed; `drawn`: all variables of its blocks. Returns what is wrong.
  [[nodiscard]] std::optional<std::string> on_round(std::uint32_t slice, std::span<const VarId> drawn);
  /// Nothing is asked from now on.
  void stop() { watched_.clear(); }
  /// Over the whole run. Returns what is wrong.
  [[nodiscard]] std::optional<std::string> at_end() const;

 private:
  enum class Kind : std::uint8_t { none, first_visits, uniform };

  struct Watched {
    Kind kind = Kind::none;
    bool drops = false;             ///< conflicting variables are dropped
    std::uint64_t variables = 0;    ///< that are watched
    std::uint64_t never_drawn = 0;  ///< of them
    std::uint64_t rounds = 0;
    double log_miss = 0;  ///< log of the probability that a given variable was missed so far, at most
  };

  [[nodiscard]] Watched watch(Slice& slice, std::span<const VarId> variables);
  [[nodiscard]] std::string one_missed(std::uint32_t slice) const;

  std::vector<Watched> watched_;     ///< by slice
  std::vector<std::uint8_t> waits_;  ///< by variable: watched and never drawn
  std::vector<std::vector<VarId>> slices_;
};

}  // namespace strads::sim
