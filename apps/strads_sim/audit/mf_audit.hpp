// The rules of a factorization, checked in plain numbers: who updates what, what is said of the factors at the end, and
// when it stops.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strads/data/ratings.hpp"
#include "strads/sim/model_audit.hpp"
#include "strads_sim/audit/audited_mf.hpp"
#include "strads_sim/audit/plain_factors.hpp"
#include "strads_sim/audit/plain_implicit.hpp"
#include "strads_sim/audit/plain_pages.hpp"

namespace strads::simulator {

/// Counts the sweeps, goes by what their ends were said to have come to, and computes what is said of the factors that
/// are kept from the factors. Of implicit feedback also F after each commit, by a loop over all pairs: it never rises,
/// and is what the commit says.
class MfAudit final : public sim::ModelAudit {
 public:
  /// `asked`: its unit is that of the ratings.
  MfAudit(const std::shared_ptr<const Ratings>& ratings, const AuditedMf& asked);

  // Floats round, so that F may rise a little; the recomputation takes the best factors, which are others; a block that
  // was replaced is not kept for who computes it once more.
  [[nodiscard]] bool strict() const override { return false; }
  void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) override;
  void judged(const PhasePlan& plan, Version version) override;
  void certified(const Certificate& certificate) override;
  void committed(const sim::AuditedCommit& commit) override;
  void ended(const RunEnd& end) override;

 private:
  [[nodiscard]] std::size_t phases_of_a_sweep() const;
  [[nodiscard]] bool learns_by_rating() const { return asked_.solver == "sgd"; }
  void expect(bool right, const std::string& found, const std::string& expected);
  void expect_squares(const char* what, double rmse, std::size_t count, const PlainSquares& expected);
  void end_sweep(const Certificate& certificate);
  [[nodiscard]] PlainFactors reported(const RunEnd& end);
  void check_blocks(const RunEnd& end);
  void check_best(std::span<const double> figures);
  void check_met(const Certificate& certificate, double penalty);
  void check_held_out(const char* what, const Triplets& part, double rmse, const PlainFactors& factors);
  void check_factors(const RunEnd& end);
  struct Choices {
    PlainImplicit factors;                         ///< as commits leave them
    std::map<VarId, std::vector<VarId>> blocks{};  ///< the rows of each block, by its first one
    std::optional<PlainObjective> last{};          ///< F of the last commit, once all factors are known
    double rounded = 0;  ///< what roundings of all commits so far come to: each adds to the F of the one before
  };
  void take_rows(const sim::AuditedCommit& commit);
  void check_objective(const sim::AuditedCommit& commit);
  void check_choices(const RunEnd& end, const PlainFactors& factors);

  AuditedMf asked_;
  PlainRatings plain_;
  std::vector<std::vector<VarId>> slices_;
  std::optional<Choices> choices_;  ///< of implicit feedback
  std::uint64_t phases_ = 0;        ///< that have begun
  bool ends_sweep_ = false;         ///< the barrier that was judged last does
  bool verified_ = false;           ///< it follows a verdict to verify
  bool verify_ = false;             ///< its verdict was to verify
  std::uint32_t sweeps_ = 0, best_sweep_ = 0;
  double best_validation_ = -1;
  double before_ = -1, after_ = -1;  ///< F at the ends of the last two sweeps
  struct Met {
    double squares = 0;     ///< of the errors met on the way
    std::size_t cells = 0;  ///< whose ratings were met
  };
  std::vector<Met> met_;                    ///< sgd, by sweep, the one that runs included
  std::optional<std::uint64_t> met_first_;  ///< the first round of the last of them
  bool limit_ = false;
  bool failed_ = false;  ///< the run ends although nothing says that it is enough: an update was refused
  bool rose_ = false;    ///< F did, in the last sweep: nothing is said of what follows
  std::string due_;      ///< why the run should stop; empty: it should go on
};

}  // namespace strads::simulator
