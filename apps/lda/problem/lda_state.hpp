// replica(v) of a topic model: pages of topics that versions share, and what the phase under way has brought. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lda/problem/payloads.hpp"
#include "strads/engine/model.hpp"

namespace strads::lda {

/// In which order topics of tokens lie in pages.
enum class Order : std::uint8_t { documents, words, cells };
inline constexpr std::uint64_t kOrders = 3;

/// A block of the phase under way.
struct FreshPage {
  std::uint64_t page = 0;
  std::vector<double> sums;
  SharedFloats topics;  ///< empty of a measure
};

class LdaState final : public State {
 public:
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<LdaState>(*this); }
  /// Its form: lda_content.cpp, which restores it as well.
  [[nodiscard]] Payload content() const override;

  Order order = Order::documents;
  std::vector<SharedFloats> pages;  ///< in that order; nobody writes to one that is here
  std::vector<double> totals;       ///< c_k at the start of the phase
  std::vector<double> alpha;        ///< K
  double beta = 0;
  std::uint64_t sweep = 0;                 ///< of the last finished phase
  double drift = 0;                        ///< Figure::kFigureDrift
  std::vector<double> documents_measured;  ///< sums of the last finished measure; zeros before
  std::vector<double> words_measured;
  std::vector<double> held_out_measured;
  std::uint64_t phase = 0;  ///< Plan::phase of `fresh`; 0: none
  /// What the phase has brought so far: it counts when all of it is there, so that a phase that was cut off has changed
  /// nothing.
  std::vector<FreshPage> fresh;
  bool verified = false;
};

}  // namespace strads::lda
