// From R's values to what apps/lasso/library takes: views, nothing of x is copied.
#pragma once

#include <cpp11.hpp>
#include <memory>
#include <vector>

#include "lasso/library/lasso_library.hpp"

namespace strads::r {

/// One option for each name.
[[nodiscard]] std::vector<OptionValue> options_from(const cpp11::strings& names, const cpp11::strings& values);

/// `data`: a list with x (double or raw matrix, dgCMatrix, or NULL: files), names, y, name, words, weights, factors,
/// offset, covariates (a list of columns by name),
/// folds, split (0 no part, 1 train, 2 val, 3 test), each NULL where there is none. R's values have to outlive what is
/// returned: they do for the length of a call.
[[nodiscard]] std::shared_ptr<const DataInMemory> data_from(const cpp11::list& data);

/// `data$start`, the arguments of model_from() of an earlier fit; null where there is none.
[[nodiscard]] std::shared_ptr<const lasso::FittedModel> start_from(const cpp11::list& data);

/// A model for predictions: what list_of(FittedModel) made, with `intercept`, `covariates` and `coefficients` of one
/// lambda.
[[nodiscard]] lasso::FittedModel model_from(const cpp11::list& shape, double intercept,
                                            const cpp11::doubles& covariates, const cpp11::doubles& coefficients);

}  // namespace strads::r
