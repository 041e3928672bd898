// What a model says of its variables, so that every policy can schedule it (docs/MODELS.md, "A policy by its name").
// Layer: policies. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/types.hpp"
#include "strads/policies/slice_positions.hpp"

namespace strads {

/// What an update of one variable alone would do.
struct CoordinateStep {
  double delta = 0;     ///< new minus old value, within the variable's bounds
  double decrease = 0;  ///< of the objective, >= 0
};

/// What couplings() computed.
struct CouplingsTaken {
  Cost cost;
  bool kept = false;  ///< they are remembered: when the same variables come again they are not new
};

/// The variables of one slice: how far each would move alone and what that would bring, at the gradients of the last
/// refresh; how strongly two of them are coupled; what an update costs. Numbers i and k are positions in variables().
///
/// The slice owns it and keeps it up to date. What is `const` may be asked by several threads at once, and is a pure
/// function of what the slice was shown and of its own commits: of the data, never of what a node remembers.
///
/// Nothing here is asked in a loop over all pairs or all flops: a policy asks for a step once a variable of a working
/// set and phase, and for a coupling where a product with a column follows. What concerns many variables has a function
/// that sees all of them (working_set(), couplings()).
class CoordinateProblem {
 public:
  virtual ~CoordinateProblem() = default;

  [[nodiscard]] virtual const SlicePositions& positions() const = 0;
  /// Of the slice, ascending.
  [[nodiscard]] std::span<const VarId> variables() const { return positions().variables(); }
  /// False: it is never drawn (the Lasso: a constant column).
  [[nodiscard]] virtual bool takes_part(std::size_t i) const {
    static_cast<void>(i);
    return true;
  }

  // Gradients.
  /// The exact step along the coordinate, or one that a bound of the curvature allows. Bounds hold: of a variable that
  /// its gradient presses against a bound both numbers are 0. REQUIRES: takes_part(i).
  [[nodiscard]] virtual CoordinateStep step(std::size_t i) const = 0;
  /// What orders the variables of a working set, >= 0: they are drawn by it where not all of them fit a round, and it
  /// is what the judge is told of candidates. Another choice is the projected gradient. REQUIRES: takes_part(i).
  [[nodiscard]] virtual double importance(std::size_t i) const { return step(i).decrease; }
  /// Positions, ascending, of what the phase works on: what is never left out (the Lasso: nonzeros), and candidates of
  /// the last refresh whose importance is `threshold` or more. As it stands: every variable with such an importance
  /// above 0. A model that searches for its candidates, or shrinks, answers from what it has found.
  [[nodiscard]] virtual std::vector<std::uint32_t> working_set(double threshold) const;

  // Couplings: of updates of i and k by d and e, the part d e coupling(i, k) of the objective belongs to both.
  /// With its sign. Normalised, so that --rho has a meaning: a correlation, or what the model's scaling makes of it.
  [[nodiscard]] virtual double coupling(std::size_t i, std::size_t k) const = 0;
  /// coupling() will be asked about pairs of these, most of them perhaps never; of what was told before no more.
  virtual void prepare_couplings(std::span<const std::uint32_t> drawn, Chunks& chunks) {
    static_cast<void>(drawn), static_cast<void>(chunks);
  }
  /// out (n x n, row-major): coupling() of all pairs of n `members`, or what a sample of the data says of it; what lies
  /// above the diagonal is not read. `fresh`: how many of them were never in such a call that kept what it computed.
  /// Left empty: they would cost more than they save. Then all members go into blocks of like work, nobody looks which
  /// of them undo each other, and it is the guard that takes the rest. A model that does so always tells the judge
  /// (PairProducts::sampled = 0).
  [[nodiscard]] virtual CouplingsTaken couplings(std::span<const std::uint32_t> members, std::size_t fresh,
                                                 std::vector<double>& out, Chunks& chunks);

  /// Flops of one product with the variable's column: what an update costs, up to a factor, and what a coupling costs.
  [[nodiscard]] virtual std::uint64_t work(std::size_t i) const = 0;
};

}  // namespace strads
