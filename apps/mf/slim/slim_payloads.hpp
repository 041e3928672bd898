// What SLIM puts into the engine's payloads: written here and nowhere else. Private to apps/mf.
//
// block    ids: the items to be solved
// deltas   no ids. values: a ColumnHead for each item of the block; bulk: one array, for item after item the numbers of
//          those that speak for it, ascending, each as the float of its bits, then their weights. Nodes of a process
//          share arrays, but copy values, which at 64 workers took as long as the solving.
// changes  the values of deltas, block after block; bulk: their arrays
// phase    values: PhaseTurn
// status   values: SliceReport; on a verified replica then columns as in changes, of the solved items of the slice
// State::content()   values: 1 if it was verified, the objective; then columns
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "mf/slim/slim.hpp"
#include "strads/base/payload.hpp"
#include "strads/base/payload_fields.hpp"

namespace strads {
enum class PayloadKind : std::uint8_t;  // strads/engine/model.hpp
}  // namespace strads

namespace strads::mf {

struct ColumnHead {
  std::uint64_t item = 0;
  std::uint64_t rows = 0;
  double objective = 0, gap = 0;
  std::uint64_t candidates = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& head, Visit&& visit) {
    visit(head.item);
    visit(head.rows);
    visit(head.objective);
    visit(head.gap);
    visit(head.candidates);
  }
};

struct PhaseTurn {
  std::uint64_t turn = 0;  ///< of all slices

  template <class Self, class Visit>
  static constexpr void fields(Self& phase, Visit&& visit) {
    visit(phase.turn);
  }
};

/// Of a slice. Items that are not solved have the objective of w = 0.
struct SliceReport {
  std::uint64_t turn = 0;  ///< the first one whose blocks are not solved; the number of turns where all are
  std::uint64_t solved = 0, certified = 0, nonzeros = 0;
  double objective = 0;
  double gap = 0;        ///< summed over the solved ones
  double worst_gap = 0;  ///< the largest gap / objective among them

  template <class Self, class Visit>
  static constexpr void fields(Self& report, Visit&& visit) {
    visit(report.turn);
    visit(report.solved);
    visit(report.certified);
    visit(report.nonzeros);
    visit(report.objective);
    visit(report.gap);
    visit(report.worst_gap);
  }
};

/// Columns one after the other; rows and weights become one array of the payload.
class ColumnWriter {
 public:
  void add(std::uint32_t item, const ItemWeights& column);
  /// Behind the values and the arrays that `payload` has.
  void append_to(Payload& payload) const;

 private:
  std::vector<double> values_;
  std::vector<float> floats_;
};

/// The columns behind the first `head` values. REQUIRES: well_formed.
void each_column(const Payload& payload, std::size_t head,
                 const std::function<void(std::uint32_t item, ItemWeights column)>& see);

/// Model::acceptable() of a model of so many items.
[[nodiscard]] bool well_formed_slim(PayloadKind kind, const Payload& payload, std::uint32_t items);
/// Whether `payload` is State::content() of such a model, as far as its shape goes.
[[nodiscard]] bool well_formed_slim_content(const Payload& payload, std::uint32_t items);
inline constexpr std::size_t kContentHead = 2;

}  // namespace strads::mf
