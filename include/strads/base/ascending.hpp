// Lists of variables as payloads have them. Layer: base. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include "strads/base/types.hpp"

namespace strads {

[[nodiscard]] inline bool strictly_ascending(std::span<const VarId> ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

/// Strictly ascending, and all of them below `limit`.
[[nodiscard]] inline bool ascending_below(std::span<const VarId> ids, std::size_t limit) {
  return strictly_ascending(ids) && (ids.empty() || ids.back() < limit);
}

}  // namespace strads
