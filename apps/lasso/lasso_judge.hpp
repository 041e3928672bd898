// The coordinator's half of the Lasso: lambda, the certificate, and what the next phase looks like.
#pragma once

#include <span>
#include <vector>

#include "lasso/lasso.hpp"
#include "strads/model.hpp"

namespace strads::lasso {

/// Effective parallelism: how many blocks a round gets, from counted costs and from what earlier rounds achieved.
class Parallelism {
 public:
  Parallelism(const CostModel& cost, std::uint32_t workers) : cost_(cost), workers_(workers) {}

  /// realised / predicted of the phase that ended: below 0.5 halves, above 0.9 doubles what is allowed.
  void feed(double predicted, double realised);
  /// Blocks a round for a working set of `size` variables over `samples` rows, `work` flops a dot.
  [[nodiscard]] std::uint32_t choose(double size, double samples, double work) const;

 private:
  CostModel cost_;
  std::uint32_t workers_;
  double allowed_ = 1e9;  ///< blocks that the feedback allows
};

class LassoJudge final : public Judge {
 public:
  LassoJudge(const LassoOptions& options, std::uint64_t samples) : options_(options), samples_(samples), parallelism_(options.cost, options.workers) {}

  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override;
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  [[nodiscard]] Certificate certify(std::span<const Payload> statuses) const;
  void plan_published(PhasePlan& plan) const;
  void plan_automatic(const Barrier& barrier, std::span<const Payload> statuses, const Certificate& certificate, PhasePlan& plan);
  [[nodiscard]] std::vector<VarId> working_set(std::span<const Payload> statuses, std::size_t nonzeros, double& threshold) const;

  LassoOptions options_;
  std::uint64_t samples_;
  Parallelism parallelism_;
  double lambda_ = 0;
  double kept_ = 0;
  double start_objective_ = 0;  ///< F(0)
  double last_gap_ = 0;
  bool last_parallel_ = false;
  std::uint32_t stalled_ = 0;
};

}  // namespace strads::lasso
