// --warm-start: the coefficients of an earlier run as those to begin with.
#pragma once

#include <string>

#include "lasso/problem/lasso.hpp"
#include "regression/model_file.hpp"
#include "strads/data/dataset.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// The earlier run's coefficients on the scale of this problem: b_j = beta_j s_j / sy with the s_j of `columns` and
/// sy = `response_norm`. Variables are matched as for predictions (match_variables.hpp), alleles that are swapped
/// change the sign. What is not in the data, or takes no part here (constant, excluded, collinear), begins at 0.
/// Errors: input: no variable of the earlier run is in the data. Cost: one pass over its columns.
[[nodiscard]] Result<WarmStart> warm_start(const FittedModel& earlier, const Dataset& dataset,
                                           const StandardizedColumns& columns, double response_norm);

/// "warm start: in the data are 18 of the earlier run's 20 variables ...": what a user should know of it.
[[nodiscard]] std::string warm_start_text(const WarmStart& start, std::uint64_t samples);

/// Without its negative coefficients.
[[nodiscard]] WarmStart positive_part(const WarmStart& start);

}  // namespace strads::lasso
