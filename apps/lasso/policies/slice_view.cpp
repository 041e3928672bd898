#include "lasso/policies/slice_view.hpp"

#include <algorithm>

#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {

SliceView::SliceView(const LassoData& data, const LassoOptions& options, std::span<const VarId> slice)
    : columns(*data.columns),
      variables(slice),
      positions(slice, data.columns->size()),
      penalty(0, options.l1_ratio, data.units.squares, data.factors, options.nonnegative),
      beta(slice.size(), 0.0),
      curvature(options.family->curvature_bound.value_or(1)),
      gradient(*data.columns, slice, curvature) {}

Step SliceView::step(std::size_t i) const {
  return penalty_of(i).step(beta[i], gradient[i], curvature * columns.squared_norm(variables[i]));
}

double SliceView::decrease(std::size_t i) const {
  return columns.squared_norm(variables[i]) == 0.0 ? 0.0 : step(i).decrease;
}

bool SliceView::enters(std::size_t i) const {
  return penalty_of(i).lets_in(gradient[i]);
}

}  // namespace strads::lasso
