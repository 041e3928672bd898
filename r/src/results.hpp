// From results to R's lists. Variables, rows and folds count from 1, as R does.
#pragma once

#include <cpp11.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "lasso/library/lasso_library.hpp"
#include "strads/program/hosted_run.hpp"

namespace strads::r {

/// What went wrong, for R to raise: its kind ("usage", "input" or "other"), text, and the notes before it.
[[nodiscard]] cpp11::writable::list list_of(const Status& status, const std::vector<std::string>& notes);

/// What every run has: how it ended, its work and times, samples and columns, notes and config.
[[nodiscard]] cpp11::writable::list list_of_run(const HostedOutcome& run, bool converged, std::uint64_t samples,
                                                std::uint64_t columns);

[[nodiscard]] cpp11::writable::list list_of(const lasso::FitCall& fit);
[[nodiscard]] cpp11::writable::list list_of(const lasso::PathCall& path);
[[nodiscard]] cpp11::writable::list list_of(const lasso::CvCall& cv);

/// The paths without each fold, as "folds": beta, intercept, covariates.
void push_folds(cpp11::writable::list& out, const lasso::CvCall& cv);

/// Names of all columns of X: those in `data` (as data_from() takes it), of genotypes their ids, else V1, V2, ...
[[nodiscard]] SEXP variable_names(const lasso::Outcome& outcome, const cpp11::list& data);

[[nodiscard]] cpp11::writable::list list_of(const lasso::GenotypeTables& tables);
[[nodiscard]] cpp11::writable::list list_of(const std::vector<OptionFacts>& options);

}  // namespace strads::r
