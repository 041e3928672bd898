// A loss of the predictor from a data set to the standardised problem, and its solution back to units of the data.
#pragma once

#include <vector>

#include "lasso/problem/lasso.hpp"
#include "strads/base/status.hpp"

namespace strads::lasso {

/// Fills data.predictor, data.response and data.null_loss. `unpenalised`: covariates, then variables without a penalty.
/// Errors: as prepare_predictor(). REQUIRES: data.columns, data.unpenalised.
[[nodiscard]] Status standardise_predictor(const Dataset& dataset, const LassoOptions& options,
                                           const std::vector<std::vector<double>>& unpenalised, LassoData& data);

/// original_scale() of these losses: coefficients of the predictor, what has no penalty fitted to the solution.
void predictor_scale(const LassoData& data, Solution& solution);

}  // namespace strads::lasso
