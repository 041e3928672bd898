// Which nodes are late with the blocks of a scheduler's turns: others compute these as well. Layer: engine. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "strads/base/types.hpp"

namespace strads::engine {

/// A node is late when its blocks have been out for much longer than those of other nodes, load for load: those of the
/// same turn, or, while none of these has answered everything, those of the turns before. What it took beyond that adds
/// up from turn to turn until it is in time again: many short delays count like a long one. Times are seconds since any
/// fixed moment. Nothing here changes a result: it decides who else is asked.
class Lateness {
 public:
  static constexpr double kAllowed = 4;     ///< so many times what others take for such a load is in time
  static constexpr double kWay = 0.01;      ///< seconds on top, for messages there and back: others may be nearer
  static constexpr double kPatience = 0.2;  ///< seconds beyond that, in all: more than a healthy cluster shows
  static constexpr double kNextCopy = 8;    ///< each further worker is asked after so many times as long
  static constexpr std::size_t kTurns = 8;  ///< that are remembered

  /// A run that is never told the time finds nobody late.
  void note_time(double now) { now_ = now; }
  [[nodiscard]] bool knows_time() const noexcept { return now_ >= 0; }

  /// A turn begins, that of this round; nothing is out.
  void begin_turn(Round round);
  /// A block of about so many flops goes to this node first.
  void ask(std::uint32_t node, double flops);
  /// A block that went to this node first was answered; `itself`: by the node, else another one was faster.
  void answered(std::uint32_t node, bool itself);
  /// A node answered what another one had answered before; the turn may be over. So it is seen that a node is back
  /// whose blocks another one always has first, which is nearer.
  void answered_after_another(Round round, std::uint32_t node);

  /// Before it is asked anything in this turn: it was late in those before.
  [[nodiscard]] bool known_late(std::uint32_t node) const { return debt(node) >= kPatience; }
  /// A block that went to this node first and is not answered should go to one more, when `copies` others have it.
  [[nodiscard]] bool overdue(std::uint32_t node, std::size_t copies) const;

 private:
  struct OfTurn {
    double flops = 0;
    std::uint32_t blocks = 0, open = 0, own = 0;  ///< asked; not answered; answered by the node itself
    std::uint32_t in_time = 0;                    ///< answered by the node itself, by whichever other before, in time
    bool known_late = false;                      ///< when it was asked: others have its blocks from the beginning
    double pace = 0;                              ///< seconds a flop, once it has answered all; 0: it has not
  };

  /// What a turn that is over asked nodes that were late.
  struct Past {
    Round round = 0;
    double began = 0;
    std::map<std::uint32_t, OfTurn> late;        ///< by node
    std::map<std::uint32_t, double> allowances;  ///< by node
  };

  void remember_turn();
  void note_own_answer(std::uint32_t node, OfTurn& seen, double seconds, double allowed);
  [[nodiscard]] double seconds_out() const { return now_ - began_; }
  /// Of the nodes besides this one that have answered everything; 0: none has.
  [[nodiscard]] double pace_of_others(std::uint32_t node) const;
  /// Seconds that this node may take for what it has; infinite: nothing to compare it with.
  [[nodiscard]] double allowance(std::uint32_t node) const;
  [[nodiscard]] double debt(std::uint32_t node) const;
  void judge(std::uint32_t node, const OfTurn& seen);

  double now_ = -1;
  Round round_ = -1;
  double began_ = 0;
  std::map<std::uint32_t, OfTurn> turn_;   ///< by node
  std::vector<Past> past_;                 ///< the newest last
  std::vector<double> paces_;              ///< typical ones of the turns before, the newest last
  std::map<std::uint32_t, double> debts_;  ///< by node: seconds beyond its allowance, over the turns before
};

}  // namespace strads::engine
