// What depends on the loss: one class for squares, where what has no penalty was projected out, and one for losses of
// the predictor (family.hpp), beside which it is fitted. All else of the model, the schedules and the engine is the
// same for both. Layer: apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lasso/problem/lasso.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "lasso/solver/loss_line.hpp"
#include "strads/engine/model.hpp"
#include "strads/numerics/line_search.hpp"

namespace strads::lasso {

/// v = X delta of one round (times sqrt(w), as the columns have it), and v'v.
class LassoDirection final : public Direction {
 public:
  std::vector<double> v;
  double squared = 0;
};

/// Variables that change, and how far the whole step would take them.
struct Moves {
  std::vector<LineTerm> terms;
  std::vector<double> factors;  ///< f_j of each
};

class Loss {
 public:
  virtual ~Loss() = default;

  /// The model without variables: beta = 0, what has no penalty is fitted.
  [[nodiscard]] virtual std::unique_ptr<LassoState> null_state() const = 0;
  /// The replica whose content these values are, behind those of its coefficients; null: of none.
  [[nodiscard]] virtual std::unique_ptr<LassoState> restored(std::span<const double> values) const = 0;
  /// Makes what depends on X beta anew. `fitted`: X beta, times sqrt(w).
  virtual void recompute(LassoState& state, std::span<const double> fitted, Chunks& chunks) const = 0;
  /// How far a round goes: the guard's step, or the whole one.
  [[nodiscard]] virtual LossStep search(const LassoState& now, const LassoDirection& direction, const Moves& moves,
                                        const Penalty& penalty, bool guard) const = 0;
  /// Goes: all but the coefficients. Returns the flops.
  virtual std::uint64_t move(LassoState& state, const LassoDirection& direction, double step, Chunks& chunks) const = 0;

  /// The certificate's part: with the dual point s times the residual, what the loss alone adds to the gap.
  [[nodiscard]] virtual double divergence(const LassoState& state, double s, Chunks& chunks) const = 0;
  /// One block (Model::push).
  [[nodiscard]] virtual Push push(const Penalty& penalty, const LassoState& base, const Block& block,
                                  BlockCaches& caches, Chunks& chunks) const = 0;
};

/// The loss of options.family. `data` outlives it.
[[nodiscard]] std::unique_ptr<const Loss> make_loss(const LassoData& data, const LassoOptions& options);

}  // namespace strads::lasso
