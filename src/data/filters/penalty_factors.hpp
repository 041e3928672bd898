// --penalty-factors: how much of the penalty each column gets. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/filters/variable_names.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// Penalty factors of the columns from `file` (--penalty-factors) or, where they are there, from memory (or null);
/// columns with an infinite one are flagged in `excluded` and have 1. Without either: empty.
/// Errors: input: the file's place, when a factor is no number >= 0, an id is unknown or stands for two columns, or the
/// number of factors is not J.
Result<std::vector<double>> penalty_factors(const std::string& file, const DataInMemory* memory,
                                            const VariableNames& names, std::vector<std::uint8_t>& excluded);

}  // namespace strads::data
