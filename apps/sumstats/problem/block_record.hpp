// What this model puts into the engine's payloads: written here and nowhere else. Private to apps/sumstats.
//
// block    ids: the blocks to be solved
// deltas   no ids. values: a RecordHead for each block; bulk: an array for each of them, its record
// changes  those of deltas, block after block
// phase    values: PhaseTurn
// status   values: SliceReport; on a verified replica then records of the blocks of the slice, as in deltas
// State::content()   values: 1 if it was verified; then records, as in deltas
//
// A block that takes long is solved in several turns. Until it is done its record ends with where it stands
// (block_progress.hpp), and the points that were not reached are empty there.
//
// A record: the places that any point has, ascending; for each point of the grid PointHead, a bit for each of these
// places (kPlacesOfMask in a value, as an integer), and the coefficients of those that are set. Supports overlap from
// point to point, so that a coefficient takes hardly more than its own 8 bytes. These doubles lie packed() in an array
// of floats, which states, messages and reports of a process share. As values they were copied by the one thread of a
// process that handles messages: with 240 workers that took longer than solving.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/payload_fields.hpp"
#include "sumstats/problem/block_progress.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads {
enum class PayloadKind : std::uint8_t;  // strads/engine/model.hpp
}  // namespace strads

namespace strads::sumstats {

struct RecordHead {
  std::uint64_t block = 0;
  std::uint64_t length = 0;  ///< doubles of the record
  double objective = 0;      ///< summed over the points
  double gap = 0;
  double worst = 0;             ///< largest gap / |objective|
  std::uint64_t certified = 0;  ///< points
  std::uint64_t nonzeros = 0;
  std::uint64_t places = 0;  ///< that any point has
  std::uint64_t turns = 1;   ///< that it took so far
  std::uint64_t going = 0;   ///< doubles at the end of the record that say how to go on; 0: the block is solved

  template <class Self, class Visit>
  static constexpr void fields(Self& head, Visit&& visit) {
    visit(head.block);
    visit(head.length);
    visit(head.objective);
    visit(head.gap);
    visit(head.worst);
    visit(head.certified);
    visit(head.nonzeros);
    visit(head.places);
    visit(head.turns);
    visit(head.going);
  }
};

struct PointHead {
  double objective = 0, gap = 0;
  std::uint64_t nonzeros = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& head, Visit&& visit) {
    visit(head.objective);
    visit(head.gap);
    visit(head.nonzeros);
  }
};

/// Integers below 2^48 are exact in a double.
inline constexpr std::uint64_t kPlacesOfMask = 48;

struct PhaseTurn {
  std::uint64_t open = 0;  ///< blocks that are not solved when it begins

  template <class Self, class Visit>
  static constexpr void fields(Self& phase, Visit&& visit) {
    visit(phase.open);
  }
};

/// Of a slice. Blocks that were not begun have the objective of b = 0, which is 0.
struct SliceReport {
  std::uint64_t open = 0;
  std::uint64_t begun = 0;      ///< of these: a turn has ended inside of them
  std::uint64_t turns = 0;      ///< of all blocks
  std::uint64_t certified = 0;  ///< blocks, at every point
  std::uint64_t nonzeros = 0;   ///< summed over the points
  double objective = 0;         ///< summed over the points
  double gap = 0;               ///< the same; of points that are open that of b = 0
  double worst = 0;             ///< the largest gap / |objective| of a block at a point

  template <class Self, class Visit>
  static constexpr void fields(Self& report, Visit&& visit) {
    visit(report.open);
    visit(report.begun);
    visit(report.turns);
    visit(report.certified);
    visit(report.nonzeros);
    visit(report.objective);
    visit(report.gap);
    visit(report.worst);
  }
};

/// A block as it travels.
struct StoredRecord {
  RecordHead head;
  SharedFloats packed;
};

/// A block's solutions, one for each point.
[[nodiscard]] StoredRecord record_of(std::uint32_t block, std::span<const BlockSolution> solutions, const Grid& grid);
/// Those of a block that its turns did not end so far: from where it stands on they are empty, with the gap of b = 0.
[[nodiscard]] StoredRecord record_of(std::uint32_t block, std::span<const BlockSolution> solutions, const Grid& grid,
                                     const BlockProgress& progress);
/// Behind the records that `payload` has.
void append_record(const StoredRecord& record, Payload& payload);

/// The records of a payload behind its first `before` values. REQUIRES: well formed.
void each_record(const Payload& payload, std::size_t before, const std::function<void(const StoredRecord&)>& see);

/// The solutions of a record. REQUIRES: well formed.
[[nodiscard]] std::vector<BlockSolution> solutions_of(const StoredRecord& stored, std::size_t points);
/// Where its block stands. REQUIRES: well formed, head.going > 0.
[[nodiscard]] BlockProgress progress_of(const StoredRecord& stored, const SummaryProblem& problem, std::size_t points);

/// Model::acceptable() of such a problem.
[[nodiscard]] bool well_formed(PayloadKind kind, const Payload& payload, const SummaryProblem& problem,
                               const Grid& grid);
/// Whether `payload` is State::content() of such a model, as far as its shape goes.
[[nodiscard]] bool well_formed_content(const Payload& payload, const SummaryProblem& problem, const Grid& grid);
inline constexpr std::size_t kContentHead = 1;

}  // namespace strads::sumstats
