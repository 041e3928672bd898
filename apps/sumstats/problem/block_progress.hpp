// Where the solver stands in a block that a turn did not end. Private to apps/sumstats. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace strads::sumstats {

/// All that BlockSolver needs to go on with a block as if it had never stopped, to the last bit, besides problem, grid
/// and the solutions of the points before.
struct BlockProgress {
  /// What comes next.
  enum class Stage : std::uint8_t {
    point,   ///< a point of the grid begins
    join,    ///< variants that violate their optimality, or may soon, join
    sweep,   ///< coordinate descent
    newton,  ///< Newton steps
    done
  };
  Stage stage = Stage::point;
  std::uint64_t point = 0;             ///< of the grid: the one that is worked on, or begins
  std::uint64_t joins = 0;             ///< at this point
  std::uint64_t sweeps = 0;            ///< full ones since variants joined
  std::uint64_t fallbacks = 0;         ///< calls of solve_l1_quadratic() since then
  double gap_max = 0;                  ///< of the next one
  std::vector<std::uint32_t> joined;   ///< places in the block, in the order in which they came
  std::vector<std::uint32_t> waiting;  ///< those that join next
  std::vector<double> b, h;            ///< by place in `joined`

  friend bool operator==(const BlockProgress&, const BlockProgress&) = default;
};

/// Behind what `values` has.
void append_progress(const BlockProgress& progress, std::vector<double>& values);
/// The progress that all of `values` are, in a block of `size` variants on a grid of `points`. Nothing: they are none.
/// REQUIRES: the values are finite.
[[nodiscard]] std::optional<BlockProgress> find_progress(std::span<const double> values, std::size_t size,
                                                         std::size_t points);

}  // namespace strads::sumstats
