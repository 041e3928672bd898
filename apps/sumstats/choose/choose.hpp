// Which s and lambda: by people whose trait is known, or by the statistics alone.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strads/base/chunks.hpp"
#include "sumstats/load/path_result.hpp"
#include "sumstats/options/path_options.hpp"

namespace strads::sumstats {

/// Probability that a statistic is noise, by its p: eta f0 / f, with f the least concave majorant's slope of the p's
/// distribution (Grenander) and eta the share of noise that p above 1/2 shows [Strimmer08].
[[nodiscard]] std::vector<double> local_false_discovery_rates(std::span<const double> p);

/// Pseudo-validation [Mak17]: the largest r~'b / sqrt(sum_B |X_B b_B|^2), with r~ = r (1 - local false discovery rate),
/// which is the correlation that a score would have with the trait if r~ were the truth. Nothing where every solution
/// is empty. REQUIRES: check_blocks() has filled in the points.
[[nodiscard]] std::optional<Choice> pseudo_validation(const LoadedSummary& loaded, const Grid& grid,
                                                      const SummarySolution& solution);

/// By people: the score with the largest R2 (of scores that rise with the trait), of two classes the largest AUC.
/// Errors: of the files; input: too few people, a trait that does not vary, hardly any variants match.
[[nodiscard]] Result<std::optional<Choice>> validation(const PathOptions& options, const LoadedSummary& loaded,
                                                       const Grid& grid, const SummarySolution& solution,
                                                       Chunks& threads,
                                                       const std::function<void(const std::string&)>& note);

}  // namespace strads::sumstats
