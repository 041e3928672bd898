#include "lasso/loss/loss.hpp"

#include "lasso/loss/logistic_loss.hpp"
#include "lasso/loss/squared_loss.hpp"

namespace strads::lasso {

std::unique_ptr<const Loss> make_loss(const LassoData& data, const LassoOptions& options) {
  if (options.family == Family::binomial) return std::make_unique<LogisticLoss>(data);
  return std::make_unique<SquaredLoss>(data);
}

}  // namespace strads::lasso
