// `lasso path --sumstats` for R.
#pragma once

#include <cpp11.hpp>

namespace strads::r {

/// One call from options and R's memory to a list.
///   panel: as data_from() takes it; its x is NULL where options name files
///   study: NULL: options name the statistics; else a list of numeric vectors by name (r, beta, se, p, n, frequency),
///          and `blocks`, numbers from 0; each NULL where it is unknown
///   validation: as `panel`, with the trait y; NULL: pseudo-validation, or files alone
[[nodiscard]] SEXP call_sumstats(const cpp11::strings& options, const cpp11::strings& values, const cpp11::list& panel,
                                 SEXP study, SEXP validation, SEXP callback);

/// The options that it takes, as list_of() has those of other commands.
[[nodiscard]] cpp11::writable::list options_of_sumstats();

}  // namespace strads::r
