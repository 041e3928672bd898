// The options of `mf fit --feedback implicit`, and what does not go with it.
#pragma once

#include <string>
#include <vector>

#include "mf/options/fit_options.hpp"

namespace strads::mf {

/// Of implicit feedback, where nothing is given: what is good on the sets of bench/RESULTS.md.
inline constexpr double kImplicitLambda = 0.01;

/// --feedback and what goes with it, but for what `mf cv` tries several of.
void add_feedback_options(OptionTable& table, FitOptions& options);
/// --alpha0, --nu and --alpha.
void add_implicit_weights(OptionTable& table, FitOptions& options);
/// Whether they go with --objective. REQUIRES: the table has them. Errors: usage.
[[nodiscard]] Status check_implicit_weights(const FitOptions& options, const OptionTable& table);
/// As --metric and --stop-metric have them.
[[nodiscard]] std::vector<std::string> ranking_metric_names();

/// Before other options are settled: sets what follows from --feedback. Errors: usage: an option that does not go with
/// the feedback has another value than its default.
[[nodiscard]] Status settle_feedback(FitOptions& options, const OptionTable& table);

/// What load_ratings() and to_positives() are told.
[[nodiscard]] Positives positives_of(const FitOptions& options);

}  // namespace strads::mf
