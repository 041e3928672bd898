// Which phase comes next, what a sweep was worth, alpha and beta.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lda/problem/lda.hpp"
#include "lda/solvers/lda_solver.hpp"

namespace strads::lda {

class LdaJudge final : public Judge {
 public:
  LdaJudge(std::uint64_t tokens, std::uint32_t vocabulary, const LdaOptions& options, const EngineOptions& engine);

  [[nodiscard]] Result<Payload> start(std::span<const Payload>) override { return Payload{}; }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  /// True: a sweep has ended.
  bool note_phase(const Barrier& barrier, const StatusView& status);
  void begin_sweep();
  [[nodiscard]] bool optimises(std::uint32_t sweep) const;
  void note_measure(const StatusView& status, std::uint32_t sweep);
  /// One step of Minka's fixed point.
  void optimise(const StatusView& status);
  [[nodiscard]] PhasePlan plan(Version version) const;
  [[nodiscard]] Certificate certificate(const StatusView& status, bool ends_sweep) const;

  LdaOptions options_;
  EngineOptions engine_;
  double tokens_, vocabulary_;
  std::vector<double> alpha_;
  double beta_;
  std::uint32_t sweeps_ = 0;  ///< finished
  std::vector<Step> steps_;   ///< of this sweep
  std::size_t next_ = 0;
  double log_joint_;
  std::uint32_t measured_ = 0;
  std::string stop_;
};

}  // namespace strads::lda
