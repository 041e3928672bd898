// How many problems a study is: what its plans of memory and time rest on.
#pragma once

#include <cstdint>

namespace strads::lasso {

/// How many problems a run has, and how many of them at a time.
struct ProblemCount {
  std::uint64_t problems = 1, at_once = 1;
  bool side_by_side = false;     ///< those that run go down the lambdas together
  std::uint64_t stop_after = 0;  ///< lambdas without gain for others, after which they end; 0: they go on
  std::uint64_t stop_from = 0;   ///< lambdas that are solved in any case
  std::uint64_t refits = 0;      ///< of them, fits of train and val at a lambda that another one chose
  /// Of a cross-validation: problems with an l1 ratio of 0, and those of them whose path is written. Else all are, or
  /// none.
  std::uint64_t ridge = 0, ridge_written = 0;
};

}  // namespace strads::lasso
