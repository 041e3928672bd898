// Tiny runs of every kind that the programs offer: what a rogue process may be a member of.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"

namespace strads::fuzz {

struct Problem {
  EngineOptions engine;
  /// Of one process. The data are shared.
  std::function<std::shared_ptr<Model>()> make;
  /// What the driver's program does with the end of a run. REQUIRES: end.status.ok().
  std::function<void(const RunEnd& end)> read;
};

/// Made once.
[[nodiscard]] const std::vector<Problem>& problems();

}  // namespace strads::fuzz
