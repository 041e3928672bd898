#include "lasso/policies/slice_view.hpp"

#include <algorithm>

#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {

namespace {
/// From so many slices on positions are searched: tables of them would take J times the number of slices.
constexpr std::size_t kSearchedFrom = 64;
}  // namespace

SlicePositions::SlicePositions(std::span<const VarId> variables, std::size_t all) : variables_(variables), all_(all) {
  if (variables.size() == all || variables.size() < all / kSearchedFrom) return;
  table_.assign(all, kNone);
  for (std::size_t i = 0; i < variables.size(); ++i) table_[variables[i]] = static_cast<VarId>(i);
}

std::size_t SlicePositions::search(VarId j) const {
  const auto found = std::lower_bound(variables_.begin(), variables_.end(), j);
  return found != variables_.end() && *found == j ? static_cast<std::size_t>(found - variables_.begin()) : kNone;
}

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
