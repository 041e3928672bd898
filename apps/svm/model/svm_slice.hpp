// The scheduler's half of a support vector machine: a slice of the samples. Private to apps/svm.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "strads/policies/policy_slice.hpp"
#include "svm/model/svm_problems.hpp"
#include "svm/model/svm_state.hpp"

namespace strads::svm {

/// Samples as policies ask for them; numbers i and k are positions in the slice.
class SvmCoordinates final : public CoordinateProblem {
 public:
  /// `variables`: of the slice; they outlive the object, as do the problems.
  SvmCoordinates(const SvmProblems& problems, const std::vector<VarId>& variables);

  [[nodiscard]] const SlicePositions& positions() const override { return positions_; }
  [[nodiscard]] CoordinateStep step(std::size_t i) const override;
  /// The projected gradient.
  [[nodiscard]] double importance(std::size_t i) const override;
  /// y_i y_k x_i'x_k of two samples of one problem, by their lengths; 0 of samples of different problems.
  [[nodiscard]] double coupling(std::size_t i, std::size_t k) const override;
  /// None: the working set is most of the samples, whose pairs are too many.
  [[nodiscard]] CouplingsTaken couplings(std::span<const std::uint32_t> members, std::size_t fresh,
                                         std::vector<double>& out, Chunks& chunks) override;
  [[nodiscard]] std::uint64_t work(std::size_t i) const override;

  /// Takes a replica: values and gradients of all samples, from then on those of step(). Appends ProblemSums of each
  /// problem.
  void refresh(const SvmState& state, std::vector<double>& sums, Chunks& chunks, Cost& cost);

 private:
  const SvmProblems& problems_;
  SlicePositions positions_;
  std::vector<double> value_, gradient_;
};

class SvmSlice final : public PolicySlice {
 public:
  SvmSlice(const SvmProblems& problems, std::vector<VarId> variables);

  [[nodiscard]] Payload scan(Chunks&, Cost&) override { return {}; }
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override;
  [[nodiscard]] Block joint_block(const State& state, const PhasePlan& plan) const override;

 private:
  void take_commit(const RoundOutcome& outcome, SliceChanges& changes) override;

  const SvmProblems& problems_;
  std::vector<VarId> variables_;
  SvmCoordinates coordinates_;
};

}  // namespace strads::svm
