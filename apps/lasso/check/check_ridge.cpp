// SolutionCheck: ridge, whose gap is F(b) - D(r) at the residual itself. Its dual has the conjugate of the squares, to
// which every column brings a part.
#include <cmath>

#include "lasso/check/check_batch.hpp"

namespace strads::lasso {

/// Of ridge: g_j^2 / f_j of every column, which the conjugate of its penalty is made of.
void SolutionCheck::add_products(const Batch& batch, VarId begin, VarId end, std::span<const double> products,
                                 ByPlace& sums) {
  for (VarId j = begin; j < end; ++j) {
    if (!takes_part(j)) continue;
    const auto g = products.subspan(std::size_t{j - begin} * batch.width, batch.width);
    if (may_be_collinear(batch, g) && is_known_collinear(j)) continue;
    for (std::size_t k = 0; k < batch.width; ++k) sums[k] += g[k] * g[k] / factor(j);
  }
}

/// What covariates leave nothing of has next to no product with a residual: only such a column is asked about.
bool SolutionCheck::may_be_collinear(const Batch& batch, std::span<const double> products) const {
  if (binomial_ || basis_.empty()) return false;  // nothing is projected out
  for (std::size_t k = 0; unit_ && k < products.size(); ++k) {
    if (products[k] * products[k] > 4 * kCollinear * batch.squared[k]) return false;
  }
  return true;
}

/// sum g_j^2 / (2 E_j).
double SolutionCheck::conjugate(const Batch& batch, std::size_t place) {
  return batch.products[place] / (2 * batch.l2[place]);
}

}  // namespace strads::lasso
