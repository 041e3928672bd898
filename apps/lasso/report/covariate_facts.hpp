// Which columns of --covar are projected out, and which are not and why.
#pragma once

#include <string>
#include <vector>

#include "lasso/problem/lasso.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

struct CovariateFacts {
  std::vector<std::string> used;
  std::vector<std::size_t> places;        ///< of those in Dataset::covariates()
  std::vector<SkippedCovariate> skipped;  ///< text, ids; constant, or nearly; a combination of those before it

  [[nodiscard]] bool any() const { return !used.empty() || !skipped.empty(); }
};

/// Cost: as projecting every covariate once.
[[nodiscard]] CovariateFacts covariate_facts(const LassoData& data);

/// "covariates: age, sex; left out: site (text)".
[[nodiscard]] std::string covariate_line(const CovariateFacts& facts);

/// `covariates` (coefficients by name) and `covariates_left_out` (reasons by name), where there are any.
///   coefficients: of all covariates, in order; empty: only the names are said
void add_covariates(Summary& summary, const LassoData& data, const std::vector<double>& coefficients);

}  // namespace strads::lasso
