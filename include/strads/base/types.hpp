// The words of the round protocol as types. Layer: base. Pure.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace strads {

/// Number of a model variable (a column of the input file), counted from 0. At most 2^32 - 2 variables.
using VarId = std::uint32_t;

/// Number of a round: one turn of one scheduler. Round t belongs to scheduler t mod S.
using Round = std::int64_t;

/// Number of the last commit applied to a replica; -1 before any. Commit v is the outcome of round v.
using Version = std::int64_t;

/// Name of a block: it stays the same when the block is handed to another worker.
struct BlockId {
  Round round = 0;          ///< the round whose scheduler built it
  std::uint32_t index = 0;  ///< position in the round, 0 <= index < blocks of the round

  friend auto operator<=>(const BlockId&, const BlockId&) = default;
};

/// Work counted by the tasks themselves (never timed), so that decisions that depend on cost stay deterministic.
struct Cost {
  std::uint64_t flops = 0;    ///< floating-point additions and multiplications
  std::uint64_t bytes = 0;    ///< bytes of columns and vectors read or written
  std::uint64_t updates = 0;  ///< coordinate updates
  /// Flops that were really computed here, by kind: the simulator turns them into time. They may depend on what a node
  /// remembers, so that they reach no message and no decision: `flops` counts as if nothing were remembered, and is not
  /// their sum.
  std::uint64_t streamed = 0;   ///< of passes over columns of the data
  std::uint64_t swept = 0;      ///< those of `streamed` that one thread did, column after column
  std::uint64_t tiled = 0;      ///< of products of pairs of columns, many at a time
  std::uint64_t local = 0;      ///< of arithmetic in the caches: inner solves, vectors as long as a column
  std::uint64_t scattered = 0;  ///< those of `streamed` over columns here and there, which no cache has ready
  std::uint64_t fresh = 0;      ///< no flops: bytes of memory that is new and filled for the first time
  std::uint64_t quantised = 0;  ///< those of passes in whole numbers: what a pass in double precision would have had
  std::uint64_t gathered = 0;   ///< no flops: bytes of short records that lie here and there, each read where it is

  Cost& operator+=(const Cost& other) noexcept {
    flops += other.flops;
    bytes += other.bytes;
    updates += other.updates;
    streamed += other.streamed;
    swept += other.swept;
    tiled += other.tiled;
    local += other.local;
    scattered += other.scattered;
    fresh += other.fresh;
    quantised += other.quantised;
    gathered += other.gathered;
    return *this;
  }
  friend bool operator==(const Cost&, const Cost&) = default;
};

}  // namespace strads
