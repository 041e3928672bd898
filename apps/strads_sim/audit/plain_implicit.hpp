// Implicit feedback in plain numbers: which pairs were chosen, and what given factors make of all pairs.
#pragma once

#include <memory>
#include <vector>

#include "strads/data/ratings.hpp"
#include "strads_sim/audit/audited_mf.hpp"
#include "strads_sim/audit/plain_factors.hpp"

namespace strads::simulator {

/// The pairs that were chosen, their values the confidences: a copy, worked out a second time.
[[nodiscard]] std::shared_ptr<const Ratings> chosen_pairs(const Ratings& ratings, const AuditedMf& asked);

/// F and what floats may make of it.
struct PlainObjective {
  double value = 0, rounding = 0;
};

/// The factors as commits leave them, and F of them by a loop over all pairs. Rows that no commit has set are those of
/// the start: of users 0; of items nobody knows but that they are short.
class PlainImplicit {
 public:
  /// `chosen`: chosen_pairs().
  PlainImplicit(std::shared_ptr<const Ratings> chosen, const AuditedMf& asked);

  void set(VarId row, std::vector<double> factors) { rows_[row] = std::move(factors); }
  [[nodiscard]] const std::vector<double>& row(VarId row) const { return rows_[row]; }
  /// Every item has been set.
  [[nodiscard]] bool is_known() const;
  /// Cost: users x items x rank.
  [[nodiscard]] PlainObjective objective() const;

 private:
  [[nodiscard]] std::uint32_t users() const { return chosen_->users->size(); }

  std::shared_ptr<const Ratings> chosen_;
  AuditedMf asked_;
  std::vector<std::vector<double>> rows_;  ///< of users, then of items; empty: as at the start
  std::vector<double> confidences_;        ///< users x items; 0: not chosen
};

}  // namespace strads::simulator
