// The options of `mf fit --feedback implicit`, and what does not go with it.
#pragma once

#include "mf/options/fit_options.hpp"

namespace strads::mf {

/// --feedback and what goes with it.
void add_feedback_options(OptionTable& table, FitOptions& options);

/// Before other options are settled: sets what follows from --feedback. Errors: usage: an option that does not go with
/// the feedback has another value than its default.
[[nodiscard]] Status settle_feedback(FitOptions& options, const OptionTable& table);

/// What load_ratings() and to_positives() are told.
[[nodiscard]] Positives positives_of(const FitOptions& options);

}  // namespace strads::mf
