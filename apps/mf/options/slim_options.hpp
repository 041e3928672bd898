// The options of `mf fit --solver slim`, each written once.
#pragma once

#include "mf/options/fit_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

/// The section `slim`.
void add_slim_options(OptionTable& table, FitOptions& options);
/// Of it what is not --l1 and --l2, which `mf cv` tries several of.
void add_slim_powers(OptionTable& table, FitOptions& options);

/// Refuses what does not go together with the solver; of `slim` sets the tolerance where none is given. A part of
/// settle_fit_options(). Errors: usage.
[[nodiscard]] Status settle_slim_options(FitOptions& options, const OptionTable& table);

/// Where factors are needed. `what`: "mf cv". Errors: usage.
[[nodiscard]] Status expect_factors(const FitOptions& options, const std::string& what);

}  // namespace strads::mf
