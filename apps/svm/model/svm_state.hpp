// replica(v) of a support vector machine. Private to apps/svm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "strads/engine/model.hpp"
#include "svm/problem/payloads.hpp"

namespace strads::svm {

class SvmState final : public State {
 public:
  explicit SvmState(const PayloadShape& shape);

  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<SvmState>(*this); }
  [[nodiscard]] Payload content() const override;
  /// Whose content() this was; no value: it is that of no state of this shape.
  [[nodiscard]] static std::optional<SvmState> of(const Payload& content, const PayloadShape& shape);

  std::vector<double> alpha;  ///< by variable
  std::vector<double> w;      ///< problems x width: sum of a_i y_i x_i
  std::vector<double> kept;   ///< problems x width: the w of an earlier barrier, where that is better
  double objective = 0;       ///< f, summed over the problems
  std::uint64_t first = 0;    ///< PhaseWords::first of the phase that changed this last
  bool verified = false;      ///< w was made anew from alpha: how it was made, not what it holds, so no content
};

}  // namespace strads::svm
