// What a path that was stopped by its errors on others did not look at.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "lasso/study/stop_rule.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// The lambdas of a grid that a path has not come to.
struct Unseen {
  std::size_t planned = 0;  ///< lambdas of the grid
  std::size_t lambdas = 0;  ///< of these, not looked at; more than 0
  double last = 0;          ///< the smallest of them, of the standardised problem
  double last_ratio = 0;    ///< the same / lambda_max
};
/// `end`: how a path ended that was stopped; `seen`: lambdas that count. None where these are all.
[[nodiscard]] std::optional<Unseen> unseen_of(const RunEnd& end, std::size_t seen);
/// "not_looked_at"; nothing without one.
void add_unseen(Summary& summary, const std::optional<Unseen>& unseen);
/// A closing line: "unseen   45 of 100 lambdas, ..."; "" without one. `where`: "on val".
[[nodiscard]] std::string unseen_line(const std::optional<Unseen>& unseen, Measure measure, Family family,
                                      const StopRule& rule, const char* where);
/// The same of several grids: `unseen` of those that were stopped.
[[nodiscard]] std::string unseen_line(std::span<const Unseen> unseen, std::size_t grids);

}  // namespace strads::lasso
