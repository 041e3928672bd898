// Whether every process of a run reaches every other one. Layer: engine. Pure. Times are seconds since any fixed
// moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/session/members.hpp"

namespace strads::engine {

/// Gathers who has not reached whom. A rank is a place among the members; the driver has one of its own.
class Reachability {
 public:
  struct Pair {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  /// Replaces what `from` reported before. broken() ignores ranks that do not exist.
  void says(std::uint32_t from, std::vector<std::uint32_t> unreached, double now);

  /// Set: `from` had not reached `to` when it spoke last, nor for longer than `patience` before, and both were heard
  /// all the time. A member that is silent may be dead: what it said last is no news, and that it cannot be reached is
  /// its own fault and not that of the way there. Whether it is lost is Liveness's question, which has the right cause.
  [[nodiscard]] std::optional<Pair> broken(const std::vector<Member>& members, double patience);

 private:
  /// When it was said for the first time, and for the last.
  struct Said {
    double first = 0;
    double last = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Said> said_;  ///< by (from, to)
};

}  // namespace strads::engine
