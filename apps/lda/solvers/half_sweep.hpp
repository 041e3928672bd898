// One half-sweep over the rows of a page: the Metropolis-Hastings pair of WarpLDA (Chen, Li, Zhu and Chen 2016). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/problem/lda.hpp"
#include "lda/solvers/prior_draw.hpp"
#include "strads/base/payload.hpp"

namespace strads::lda {

/// What a token keeps: its topic and M proposals, 16 bits each, in whole floats.
[[nodiscard]] constexpr std::size_t floats_of_token(std::uint32_t proposals) {
  return (std::size_t{proposals} + 2) / 2;
}

/// Where each token of a page lies in the other order: (page << bits) | place. 32 bits where that is enough.
struct OtherPlaces {
  std::uint32_t bits = 0;
  std::vector<std::uint32_t> narrow;
  std::vector<std::uint64_t> wide;

  [[nodiscard]] bool is_narrow() const { return wide.empty(); }
};

/// One page of rows.
struct HalfPage {
  std::span<const std::uint32_t> rows;
  std::span<const std::uint64_t> lengths;  ///< of all rows of the side, by row
  const OtherPlaces* places = nullptr;     ///< of its tokens
};

/// What all rows of the half-sweep have alike. c_k of the totals includes V beta.
struct HalfSweep {
  std::uint64_t key = 0;  ///< sweep_key()
  std::uint32_t proposals = 1;
  std::span<const float> prior;   ///< of the row's topics: alpha of documents, beta of words; K
  std::span<const float> totals;  ///< c_k + V beta at the start of the half-sweep; K
  const PriorDraw* draw = nullptr;
};

/// Reads the page's tokens from the pages of the other order, accepts proposals and makes new ones.
///   from: the other order's pages
///   to: floats_of_token() for each token of the page
///   changes: new minus old counts of each topic are added; K
void sweep_page(const HalfSweep& half, const HalfPage& page, std::span<const float* const> from, float* to,
                std::span<double> changes);

/// Start of a run: proposals of rows whose topics are there.
///   tokens: topic of each token of the page
void propose_page(const HalfSweep& half, const HalfPage& page, std::span<const std::uint16_t> tokens, float* to);

/// Topics of a page that lies in its own order.
[[nodiscard]] std::vector<std::uint16_t> topics_of_own(const float* page, std::uint64_t tokens,
                                                       std::uint32_t proposals);
/// Topics of a page's tokens, which lie in the other order.
[[nodiscard]] std::vector<std::uint16_t> topics_of_other(const OtherPlaces& places, std::span<const float* const> from,
                                                         std::uint32_t proposals);

}  // namespace strads::lda
