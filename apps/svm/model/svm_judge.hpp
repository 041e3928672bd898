// The coordinator's half of a support vector machine. Private to apps/svm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/engine/model.hpp"
#include "svm/problem/payloads.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

class SvmJudge final : public Judge {
 public:
  SvmJudge(const PayloadShape& shape, const SvmOptions& options);

  [[nodiscard]] Result<Payload> start(std::span<const Payload>) override {
    return options_.cost_is_told ? Payload{{}, {options_.cost}} : Payload{};
  }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  /// Of the replica at a barrier, by problem.
  struct Objectives {
    std::vector<double> primal, dual;
  };

  [[nodiscard]] Objectives objectives_of(std::span<const Payload> statuses, Certificate& certificate) const;
  void note_floor(const Certificate& certificate);
  void plan_phase(const Barrier& barrier, const Objectives& now, std::span<const VarId> unsolved, PhasePlan& plan);

  PayloadShape shape_;
  SvmOptions options_;
  /// By problem, the primal objective of the w that replicas have kept; infinite: none.
  std::vector<double> kept_;
  std::vector<double> promised_;  ///< what they will have kept after the first commit of phase promised_first_
  std::uint64_t promised_first_ = 0;
  double least_gap_, best_dual_;
  std::uint32_t idle_phases_ = 0;  ///< phases in a row that changed neither
};

}  // namespace strads::svm
