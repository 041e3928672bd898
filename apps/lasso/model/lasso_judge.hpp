// The coordinator's half of the Lasso: lambda, the certificate, and what the next phase looks like.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lasso/model/certificate.hpp"
#include "lasso/model/lasso.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

/// What products of pairs of columns cost; a property of the data.
struct PairProducts {
  double price = 0.2;          ///< a flop of them against one of a streamed column (bench/RESULTS.md, kernels)
  double sampled = 1;          ///< of the rows, those that couplings are computed from (sampled_products.hpp)
  double sweeps_instead = 60;  ///< a block is solved without them in about so many passes to and fro over its columns
  bool matter = true;          ///< false: most blocks are solved without them
};

/// Effective parallelism: how many blocks a round gets, from counted costs and from what earlier phases needed.
class Parallelism {
 public:
  struct Choice {
    std::uint32_t blocks = 1;
    double rounds = 1;  ///< that a phase is expected to need
  };

  Parallelism(const CostModel& cost, std::uint32_t workers, const PairProducts& products = {})
      : cost_(cost), workers_(workers), products_(products) {}

  /// What the phase that ended was and did: the rounds it needed, and realised / predicted decrease. Below 0.5 the next
  /// one gets at most half the blocks; above 0.9 twice as many are allowed.
  void feed(const Choice& expected, double rounds, double predicted, double realised);
  /// For a working set of `size` variables over `samples` rows, `work` flops a dot.
  [[nodiscard]] Choice choose(double size, double samples, double work) const;

 private:
  CostModel cost_;
  std::uint32_t workers_;
  PairProducts products_;
  double allowed_ = 1e9;     ///< blocks that the feedback allows
  double interference_ = 1;  ///< rounds needed / rounds of a random design, as seen so far
};

class LassoJudge final : public Judge {
 public:
  /// `variables`: J.
  LassoJudge(const LassoOptions& options, std::uint64_t samples, VarId variables = std::numeric_limits<VarId>::max(),
             const PairProducts& products = {})
      : options_(options),
        samples_(samples),
        variables_(variables),
        pairs_matter_(products.matter),
        parallelism_(options.cost, options.workers, products) {}

  /// Of a path: who is told of its solutions.
  void tell(PathRecorded recorded) { recorded_ = std::move(recorded); }

  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override;
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  [[nodiscard]] bool all_well_formed(PayloadKind kind, std::span<const Payload> payloads) const;
  [[nodiscard]] Certificate certify(std::span<const Payload> statuses);
  /// What a phase is for.
  enum class Aim : std::uint8_t {
    this_lambda,  ///< more of the same: its candidates
    next_lambda   ///< the first phase of another lambda: what may enter there
  };
  void fix_lambdas(std::span<const Payload> summaries, Payload& problem);
  [[nodiscard]] double deviance_ratio(std::span<const Payload> statuses) const;
  void record(std::span<const Payload> statuses, const Judgement& judgement);
  void end_path(Judgement& judgement) const;
  void next_lambda(std::span<const Payload> statuses, const Judgement& judgement);
  void plan_phase(const Barrier& barrier, std::span<const Payload> statuses, const Certificate& certificate, Aim aim,
                  PhasePlan& plan);
  void plan_published(PhasePlan& plan) const;
  void plan_automatic(const Barrier& barrier, std::span<const Payload> statuses, const Certificate& certificate,
                      Aim aim, PhasePlan& plan);
  void plan_joint(const Certificate& certificate, Aim aim, std::vector<VarId> chosen, PhasePlan& plan);
  void remember(std::vector<VarId>& chosen);
  [[nodiscard]] std::size_t new_variables_min() const;
  [[nodiscard]] std::vector<VarId> working_set(std::span<const Payload> statuses, std::size_t nonzeros, Aim aim,
                                               double& threshold) const;

  LassoOptions options_;
  std::uint64_t samples_;
  VarId variables_;
  bool pairs_matter_;
  Parallelism parallelism_;
  double lambda_ = 0;  ///< of the l1 norm
  double kept_ = 0;
  double start_objective_ = 0;  ///< F(0)
  Parallelism::Choice last_choice_;
  std::uint32_t stalled_ = 0;
  LassoPath path_;
  PathRecorded recorded_;
  std::optional<std::size_t> unmet_;  ///< first lambda of the path that ended without meeting the tolerance,
  std::string unmet_reason_;          ///< and why
  std::uint64_t lambda_phases_ = 0;   ///< since the lambda before
  GapParts parts_;                    ///< of the last barrier
  double parts_lambda_ = 0;           ///< lambda_ there
  double l1_ = 0;                     ///< sum f_j |b_j| there
  double raise_ = std::numeric_limits<double>::infinity();  ///< kPhaseRaise of the last joint phase
  std::vector<VarId> joint_before_;                         ///< working set of the joint round before, ascending
  std::map<VarId, int> idle_;  ///< its variables: joint phases since each was a nonzero or a candidate
};

}  // namespace strads::lasso
