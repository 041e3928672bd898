// The coordinator's half of the Lasso: lambda, the certificate, and whether a run goes on.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lasso/policies/phase_planner.hpp"
#include "lasso/problem/certificate.hpp"
#include "lasso/problem/lasso.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

class LassoJudge final : public Judge {
 public:
  /// `variables`: J.
  LassoJudge(const LassoOptions& options, std::uint64_t samples, VarId variables = std::numeric_limits<VarId>::max(),
             const PairProducts& products = {});

  /// Of a path: who is told of its solutions.
  void tell(PathRecorded recorded) { recorded_ = std::move(recorded); }
  /// Variables without a penalty, which slices count as excluded.
  void note_unpenalised(std::uint64_t count) { unpenalised_ = count; }

  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override;
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  [[nodiscard]] bool all_well_formed(PayloadKind kind, std::span<const Payload> payloads) const;
  [[nodiscard]] Certificate certify(std::span<const Payload> statuses);
  /// No variable pulls, and none is there.
  [[nodiscard]] bool all_zero(std::span<const Payload> statuses) const;
  [[nodiscard]] Judgement judge_zeros(const Barrier& barrier, std::span<const Payload> statuses, Judgement judgement);
  /// The first lambda on the solver's scale; returns all of a path, else none. `per_y`: Ready::lambda_per_y.
  [[nodiscard]] std::vector<double> fix_lambdas(double per_y, Start& start);
  /// Whether rounds go on without coming closer.
  [[nodiscard]] bool creeps(const Barrier& barrier, const Certificate& certificate);
  [[nodiscard]] double deviance_ratio(std::span<const Payload> statuses) const;
  /// What is told of the solution at this barrier.
  [[nodiscard]] Solution solution_at(std::span<const Payload> statuses, const Certificate& certificate) const;
  /// Whether somebody who looks at the solutions wants no more of them.
  [[nodiscard]] bool is_enough(std::span<const Payload> statuses, const Certificate& certificate) const;
  void record(std::span<const Payload> statuses, const Judgement& judgement);
  void end_path(Judgement& judgement) const;
  void next_lambda(std::span<const Payload> statuses, const Judgement& judgement);
  void plan_phase(const Barrier& barrier, std::span<const Payload> statuses, const Certificate& certificate, Aim aim,
                  PhasePlan& plan);

  LassoOptions options_;
  std::uint64_t samples_;
  VarId variables_;
  std::unique_ptr<PhasePlanner> planner_;  ///< of the policy
  double lambda_ = 0;                      ///< of the l1 norm
  double kept_ = 0;
  double start_objective_ = 0;  ///< F(0)
  bool zeros_ = false;          ///< zeros are the solution at every lambda
  /// lambda_max; where that is 0, what no lambda_max of such columns and responses exceeds: the one lambda of a grid,
  /// and what ratios are of, so that the folds of a cross-validation have a lambda that means something there.
  double lambda_top_ = 0;
  std::uint32_t stalled_ = 0;
  std::uint32_t creeping_ = 0;  ///< rounds at this lambda since the least gap was last halved,
  double gap_to_halve_ = std::numeric_limits<double>::infinity();  ///< which was this then
  LassoPath path_;
  PathRecorded recorded_;
  std::uint64_t unpenalised_ = 0;
  std::optional<std::size_t> unmet_;  ///< first lambda of the path that ended without meeting the tolerance,
  std::string unmet_reason_;          ///< and why
  std::uint64_t lambda_phases_ = 0;   ///< since the lambda before
  GapParts parts_;                    ///< of the last barrier
  double parts_lambda_ = 0;           ///< lambda_ there
  double l1_ = 0;                     ///< sum f_j |b_j| there
};

}  // namespace strads::lasso
