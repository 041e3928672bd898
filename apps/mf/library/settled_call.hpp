// What the calls of the library share. Private to apps/mf/library.
#pragma once

#include <string>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "mf/library/mf_library.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

/// Options of a call, settled, with its ratings and a host that keeps notes in `notes`, which outlives the run. Errors:
/// usage, as `mf fit`.
[[nodiscard]] Status settle_call(const FactorCall& call, FitOptions& options, OptionTable& table,
                                 std::vector<std::string>& notes);

/// Errors: input: the arrays of a side are not of one size, or its ids are not ids.
[[nodiscard]] Result<FactorModel> factor_model_of(const FactorResult& result);

}  // namespace strads::mf
