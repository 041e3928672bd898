// The coordinator's half of SLIM: turn after turn until every item is solved. Private to apps/mf.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "strads/base/types.hpp"
#include "strads/engine/model.hpp"

namespace strads::mf {

/// Certificate::figures of a barrier.
enum SlimFigure : std::size_t {
  kSlimItems,      ///< all of them
  kSlimSolved,     ///< solved
  kSlimCertified,  ///< of these with gap <= tolerance x objective
  kSlimWorstGap,   ///< largest gap / objective of those that are solved
  kSlimFigures
};

class SlimJudge final : public Judge {
 public:
  SlimJudge(std::uint32_t items, std::uint64_t turns, std::uint32_t schedulers, std::uint32_t workers)
      : items_(items), turns_(turns), schedulers_(schedulers), workers_(workers) {}

  [[nodiscard]] Result<Payload> start(std::span<const Payload>) override { return Payload{}; }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  std::uint32_t items_;
  std::uint64_t turns_;
  std::uint32_t schedulers_, workers_;
  std::optional<std::uint64_t> planned_;  ///< turn of the phase that runs
  Version planned_at_ = -1;               ///< of the barrier that began it
};

}  // namespace strads::mf
