// --warm-start: the coefficients of an earlier run as those to begin with.
#pragma once

#include <string>

#include "lasso/model/lasso.hpp"
#include "regression/model_file.hpp"
#include "strads/data/dataset.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// The earlier run's coefficients on the scale of this problem: b_j = beta_j s_j / sy with the s_j of `columns` and
/// sy = `response_norm`. Variables are matched as for predictions (match_variables.hpp), alleles that are swapped
/// change the sign. What takes no part here (constant, excluded, collinear) is left out.
/// Errors: input: a variable of the earlier run is not in the data. Cost: one pass over its columns.
[[nodiscard]] Result<WarmStart> warm_start(const FittedModel& earlier, const Dataset& dataset,
                                           const StandardizedColumns& columns, double response_norm);

/// Without its negative coefficients.
[[nodiscard]] WarmStart positive_part(const WarmStart& start);

}  // namespace strads::lasso
