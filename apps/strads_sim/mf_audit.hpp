// The rules of a factorization, checked in plain numbers: what is said of its factors at the end, and when it stops.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "strads/model_audit.hpp"
#include "strads/ratings.hpp"
#include "strads_sim/audited_mf.hpp"

namespace strads::simulator {

/// Counts the sweeps, goes by what their ends were said to have come to, and computes the last one from the factors.
class MfAudit final : public sim::ModelAudit {
 public:
  MfAudit(std::shared_ptr<const Ratings> ratings, const AuditedMf& asked)
      : ratings_(std::move(ratings)), asked_(asked) {}

  // Floats round, so that F may rise a little; the recomputation takes the best factors, which are others; a block that
  // was replaced is not kept for who computes it once more.
  [[nodiscard]] bool strict() const override { return false; }
  void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) override;
  void judged(const PhasePlan& plan, Version version) override;
  void certified(const Certificate& certificate) override;
  void committed(const sim::AuditedCommit& commit) override;
  void ended(const RunEnd& end) override;

 private:
  /// Factors and biases of all users, then of all items, in doubles.
  struct Factors {
    std::vector<std::vector<double>> rows;  ///< rank + 1 each, the bias last; empty: nobody has reported it
    std::vector<double> weights;            ///< of the users' penalties; those of the items are their inverses
  };

  [[nodiscard]] std::size_t phases_of_a_sweep() const;
  void expect(bool right, const std::string& found, const std::string& expected);
  void expect_close(const char* what, double found, double expected);
  void end_sweep(const Certificate& certificate);
  [[nodiscard]] Factors reported(const RunEnd& end);
  [[nodiscard]] double value(const Triplets& ratings, std::size_t t) const;
  [[nodiscard]] double squared_error(const Triplets& ratings, const Factors& factors) const;
  [[nodiscard]] double penalty(const Factors& factors) const;
  [[nodiscard]] double mean() const;
  void check_factors(const RunEnd& end);

  std::shared_ptr<const Ratings> ratings_;
  AuditedMf asked_;
  std::uint64_t phases_ = 0;  ///< that have begun
  bool ends_sweep_ = false;   ///< the barrier that was judged last does
  bool verified_ = false;     ///< it follows a verdict to verify
  bool verify_ = false;       ///< its verdict was to verify
  Version phase_begun_ = -1;
  std::uint32_t sweeps_ = 0, best_sweep_ = 0;
  double best_validation_ = -1;
  double before_ = -1, after_ = -1;  ///< F at the ends of the last two sweeps
  bool limit_ = false;
  bool failed_ = false;  ///< the run ends although nothing says that it is enough: an update was refused
  bool rose_ = false;    ///< F did, in the last sweep: nothing is said of what follows
  std::string due_;      ///< why the run should stop; empty: it should go on
  std::string where_ = "START";
};

}  // namespace strads::simulator
