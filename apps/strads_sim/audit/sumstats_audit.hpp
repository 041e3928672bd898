// The rules of paths on summary statistics, checked in plain numbers: which blocks are solved when, what is said of
// each solution, and when it stops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strads/sim/model_audit.hpp"
#include "strads_sim/audit/audited_sumstats.hpp"
#include "strads_sim/audit/plain_regions.hpp"

namespace strads::simulator {

/// Computes objective and gap of every solution that a commit brings from plain columns, and deals the blocks itself.
class SumstatsAudit final : public sim::ModelAudit {
 public:
  SumstatsAudit(const std::shared_ptr<const sumstats::SummaryProblem>& problem, const AuditedSumstats& asked);

  // A replica that is verified notes that it was, so that it is not what it was before.
  [[nodiscard]] bool strict() const override { return false; }
  void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) override;
  void judged(const PhasePlan& plan, Version version) override;
  void certified(const Certificate& certificate) override;
  void committed(const sim::AuditedCommit& commit) override;
  void ended(const RunEnd& end) override;

 private:
  /// A block's record as it was brought, and what plain numbers say of it, summed over the points.
  struct Solved {
    std::vector<double> head, doubles;  ///< as they travel
    double objective = 0, gap = 0, worst = 0;
    std::uint64_t nonzeros = 0;
    std::uint64_t surely = 0, perhaps = 0;  ///< points that are certified, if rounding is against it or for it
  };
  /// One of a payload.
  struct Brought {
    std::uint32_t block = 0;
    std::vector<double> head, doubles;
  };
  [[nodiscard]] static std::vector<Brought> records_of(const Payload& payload, std::size_t before);
  [[nodiscard]] std::optional<Solved> looked_at(Brought brought);
  void check_point(const std::string& name, std::size_t point, double said_objective, double said_gap,
                   const PlainRegions::Figures& is, Solved& solved);
  void check_head(const std::string& name, const Solved& solved);
  [[nodiscard]] bool is_open(std::uint32_t block) const;
  [[nodiscard]] std::uint64_t open_count() const;
  [[nodiscard]] double objective() const;

  AuditedSumstats asked_;
  PlainRegions plain_;
  std::vector<std::vector<VarId>> slices_;
  std::vector<std::optional<Solved>> solved_;  ///< by block
  bool limit_ = false;
};

}  // namespace strads::simulator
