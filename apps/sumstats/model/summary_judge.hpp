// The coordinator's half: turn after turn until every block is solved. Private to apps/sumstats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "strads/base/types.hpp"
#include "strads/engine/model.hpp"

namespace strads::sumstats {

/// Certificate::figures of a barrier.
enum SummaryFigure : std::size_t {
  kFigureBlocks,     ///< all of them
  kFigureSolved,     ///< of these, solved
  kFigureCertified,  ///< of these, certified at every point of the grid
  kFigureWorst,      ///< the largest gap / |objective| of a solved block at a point
  kFigures
};

class SummaryJudge final : public Judge {
 public:
  SummaryJudge(std::uint32_t blocks, std::uint32_t workers) : blocks_(blocks), workers_(workers) {}

  [[nodiscard]] Result<Payload> start(std::span<const Payload>) override { return Payload{}; }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  std::uint32_t blocks_, workers_;
  /// Open blocks, and turns that all of them took, when the phase that runs began.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> planned_;
  Version planned_at_ = -1;  ///< of the barrier that began it
};

}  // namespace strads::sumstats
