// Variables in a box, as those of a dual problem are: min over 0 <= a_i <= c of 1/2 a'Qa - sum a_i, by its gradients.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "strads/policies/coordinate_problem.hpp"

namespace strads::test {

[[nodiscard]] inline std::vector<VarId> first_variables(std::size_t count) {
  std::vector<VarId> all(count);
  std::iota(all.begin(), all.end(), VarId{0});
  return all;
}

class BoxProblem : public CoordinateProblem {
 public:
  BoxProblem(std::vector<std::vector<double>> q, double c, std::vector<double> a)
      : q_(std::move(q)), c_(c), a_(std::move(a)), all_(first_variables(a_.size())), positions_(all_, all_.size()) {}
  BoxProblem(const BoxProblem&) = delete;
  BoxProblem& operator=(const BoxProblem&) = delete;

  [[nodiscard]] const SlicePositions& positions() const override { return positions_; }
  [[nodiscard]] CoordinateStep step(std::size_t i) const override {
    const double slope = gradient(i);
    const double delta = std::clamp(a_[i] + slope / q_[i][i], 0.0, c_) - a_[i];
    return {delta, slope * delta - 0.5 * q_[i][i] * delta * delta};
  }
  [[nodiscard]] double coupling(std::size_t i, std::size_t k) const override { return q_[i][k]; }
  [[nodiscard]] std::uint64_t work(std::size_t) const override { return 10; }
  [[nodiscard]] CouplingsTaken couplings(std::span<const std::uint32_t> members, std::size_t fresh,
                                         std::vector<double>& out, Chunks& chunks) override {
    fresh_.push_back(fresh);
    out.clear();
    if (!tells_) return {};
    CouplingsTaken taken = CoordinateProblem::couplings(members, fresh, out, chunks);
    taken.kept = keeps_;
    return taken;
  }

  std::vector<std::size_t> fresh_;  ///< what couplings() was told
  bool keeps_ = true;
  bool tells_ = true;  ///< what couplings there are

 private:
  [[nodiscard]] double gradient(std::size_t i) const {
    double sum = 1;
    for (std::size_t k = 0; k < a_.size(); ++k) sum -= q_[i][k] * a_[k];
    return sum;
  }

  std::vector<std::vector<double>> q_;
  double c_;
  std::vector<double> a_;
  std::vector<VarId> all_;
  SlicePositions positions_;
};

}  // namespace strads::test
