// The rules of item weights (SLIM), checked in plain numbers: which items are solved when, what is said of each column,
// and when it stops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strads/data/ratings.hpp"
#include "strads/sim/model_audit.hpp"
#include "strads_sim/audit/audited_slim.hpp"
#include "strads_sim/audit/plain_weights.hpp"

namespace strads::simulator {

/// Computes objective and gap of every column that a commit brings from the pairs, and deals the items itself.
class SlimAudit final : public sim::ModelAudit {
 public:
  SlimAudit(const std::shared_ptr<const Ratings>& ratings, const AuditedSlim& asked);

  // A replica that is verified notes that it was, so that it is not what it was before.
  [[nodiscard]] bool strict() const override { return false; }
  void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) override;
  void judged(const PhasePlan& plan, Version version) override;
  void certified(const Certificate& certificate) override;
  void committed(const sim::AuditedCommit& commit) override;
  void ended(const RunEnd& end) override;

 private:
  /// As a commit or a report has it.
  struct Column {
    std::uint32_t item = 0;
    double objective = 0, gap = 0;
    std::vector<double> weights;  ///< by item
    std::uint64_t nonzeros = 0;

    friend bool operator==(const Column&, const Column&) = default;
  };
  void check_column(const Column& column);
  [[nodiscard]] std::vector<Column> columns_of(const Payload& payload, std::size_t head);
  [[nodiscard]] double objective() const;
  [[nodiscard]] std::uint64_t open_turn() const;

  AuditedSlim asked_;
  PlainWeights plain_;
  std::vector<std::vector<std::vector<VarId>>> blocks_;  ///< by slice
  std::vector<Column> columns_;                          ///< by item; without weights: not solved
  std::uint64_t turn_ = 0;
  bool limit_ = false;
};

}  // namespace strads::simulator
