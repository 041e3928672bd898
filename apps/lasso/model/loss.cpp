#include "lasso/model/loss.hpp"

#include "lasso/model/predictor_loss.hpp"
#include "lasso/model/squared_loss.hpp"

namespace strads::lasso {

std::unique_ptr<const Loss> make_loss(const LassoData& data, const LassoOptions& options) {
  if (!options.family->is_squares()) return std::make_unique<PredictorLoss>(data);
  return std::make_unique<SquaredLoss>(data);
}

}  // namespace strads::lasso
