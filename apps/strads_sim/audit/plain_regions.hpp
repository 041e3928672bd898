// Summary statistics in plain numbers: columns of the panel as doubles, objective and gap of a block at a point, and
// which blocks a turn takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "strads/base/types.hpp"
#include "strads_sim/audit/audited_sumstats.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::simulator {

class PlainRegions {
 public:
  /// `problem`: of genotypes of two bits.
  PlainRegions(const sumstats::SummaryProblem& problem, const AuditedSumstats& asked);

  struct Figures {
    double objective = 0, gap = 0;
  };
  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
  [[nodiscard]] std::size_t size_of(std::uint32_t block) const { return begins_[block + 1] - begins_[block]; }
  [[nodiscard]] std::size_t points() const { return asked_.grid.shrinks.size() * asked_.grid.lambdas.size(); }
  /// `b`: by variant of the block. Cost: variants x people.
  [[nodiscard]] Figures figures(std::uint32_t block, std::size_t point, const std::vector<double>& b) const;
  /// Summed over the points, at b = 0. 0: the block is never visited.
  [[nodiscard]] double gap_at_zero(std::uint32_t block) const { return gaps_[block]; }
  /// Up to which a gap is 0 by rounding alone.
  [[nodiscard]] double rounding(std::size_t point) const;
  /// What a round of a scheduler takes from its open blocks, ascending: dealt to the workers, heaviest first, each to
  /// the one that has least.
  [[nodiscard]] std::vector<std::vector<VarId>> round_of(const std::vector<VarId>& open) const;

 private:
  [[nodiscard]] double shrink(std::size_t point) const { return asked_.grid.shrinks[point / lambdas()]; }
  [[nodiscard]] double lambda(std::size_t point) const { return asked_.grid.lambdas[point % lambdas()]; }
  [[nodiscard]] std::size_t lambdas() const { return asked_.grid.lambdas.size(); }
  void add_column(const sumstats::SummaryProblem& problem, VarId j);
  void weigh_blocks();
  [[nodiscard]] std::uint64_t work_of(std::size_t size, const std::vector<double>& beyond) const;
  void size_turns();

  AuditedSumstats asked_;
  std::vector<std::vector<double>> columns_;  ///< by variant: of the panel, centred, of unit norm
  std::vector<double> r_, weights_;
  std::vector<std::size_t> begins_;
  std::vector<double> gaps_;
  std::vector<std::uint64_t> work_;
  std::uint64_t work_of_round_ = 0;  ///< 0: a round takes all that is open
};

}  // namespace strads::simulator
