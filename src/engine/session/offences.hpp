// Processes of this run that send what no process of it sends. Layer: engine. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "strads/base/refusals.hpp"

namespace strads::engine {

/// Counts, for one process, what others of the run sent it and cannot have meant: one such message may be a fault of
/// memory, the third is a broken or hostile process, which the run goes on without.
class Offences {
 public:
  static constexpr std::uint32_t kAtMost = 3;

  /// A process that has sent kAtMost of them.
  struct Accused {
    std::uint32_t rank = 0;
    Refusal last = Refusal::damaged;  ///< what was wrong with the third
  };

  /// True: this was the third of this rank. More are not counted.
  bool count_offence(std::uint32_t rank, Refusal kind) {
    std::uint32_t& count = counts_[rank];
    if (count >= kAtMost || ++count < kAtMost) return false;
    accused_.push_back({rank, kind});
    return true;
  }

  [[nodiscard]] const std::vector<Accused>& accused() const noexcept { return accused_; }

 private:
  std::map<std::uint32_t, std::uint32_t> counts_;  ///< by rank
  std::vector<Accused> accused_;
};

/// For people: what was wrong with the messages of somebody who is expelled. `by`: who found it.
[[nodiscard]] inline std::string expulsion_text(const std::string& by, Refusal last) {
  const auto what = [last] {
    switch (last) {
      case Refusal::damaged:
        return "is none";
      case Refusal::misplaced:
        return "speaks for a role that it has not";
      case Refusal::unacceptable:
        return "has a content that the model cannot take";
      default:
        return "names a version or a block that cannot be";
    }
  };
  return "it sent " + by + " " + std::to_string(Offences::kAtMost) +
         " messages that no process of this run sends; the last one " + what();
}

}  // namespace strads::engine
