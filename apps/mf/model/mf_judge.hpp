// The coordinator's half of a factorization: which phase comes next, and when it is enough. Private to apps/mf.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/problem/payloads.hpp"
#include "mf/solvers/mf_solver.hpp"
#include "strads/engine/model.hpp"

namespace strads::mf {

class MfJudge final : public Judge {
 public:
  MfJudge(const MfData& data, const MfOptions& options, std::uint32_t schedulers, std::uint32_t workers);

  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override;
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  [[nodiscard]] PhasePlan plan(const Step& step, Version version, std::span<const double> status) const;
  [[nodiscard]] double relaxation() const;
  /// A phase of a sweep has ended, or was cut off. True: the sweep has ended with it.
  bool note_phase(const Barrier& barrier, std::span<const double> status);
  void end_sweep(std::span<const double> status);
  /// After a sweep.
  [[nodiscard]] std::string reason_to_stop() const;
  void rescale(std::span<const double> status);
  [[nodiscard]] double objective(std::span<const double> status) const;
  /// What is said of it: in the user's unit, as all figures are.
  [[nodiscard]] double user_objective(std::span<const double> status) const;
  /// What is true of the factors that `status` is about. REQUIRES: a sweep has just ended, or none has begun, or the
  /// replica is verified.
  void note_figures(std::span<const double> status, bool verified);
  [[nodiscard]] Certificate certificate(std::span<const double> status, bool ends_sweep) const;

  MfOptions options_;
  SolverFacts solver_;
  std::uint32_t schedulers_, workers_;
  std::uint64_t ratings_, validation_, test_;
  std::vector<Step> steps_;       ///< of a sweep
  std::size_t next_ = 0;          ///< step of the sweep that comes next
  std::uint32_t sweeps_ = 0;      ///< finished
  std::uint32_t best_sweep_ = 0;  ///< with the least validation error
  double best_validation_ = -1;
  double objective_before_ = -1, objective_after_ = -1;  ///< of the last two sweeps
  double squares_;                                       ///< squares_of()
  double unit_;                                          ///< MfData::unit
  std::uint64_t rounds_ = 0;                             ///< of the phase that runs
  bool in_sweep_ = false;                                ///< the factors are those of the middle of a sweep
  std::vector<double> figures_;                          ///< of the last finished sweep, at the end of what is kept
  std::vector<double> weights_;
  std::uint64_t sweep_first_ = 0;  ///< number of the first round of the sweep
  std::string stop_;
};

}  // namespace strads::mf
