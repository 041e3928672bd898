// From files to a problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "strads/data/summary_statistics.hpp"
#include "strads/program/memory_plan.hpp"
#include "sumstats/options/path_options.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// By what b is turned into effects of a copy.
enum class WeightScale : std::uint8_t {
  study,    ///< all by the study's own beta and se: its units
  mixed,    ///< those of which beta and se are unknown by the trait's sd that the others imply
  standard  ///< no beta is known: b / sd in the panel, in standard deviations of the trait
};

/// A number of each variant. Where it is the same of all it takes the memory of one: n, or frequencies that nobody
/// says.
class VariantNumbers {
 public:
  VariantNumbers() = default;
  explicit VariantNumbers(std::vector<double> numbers);
  [[nodiscard]] double operator[](std::size_t variant) const {
    return numbers_.size() == 1 ? numbers_.front() : numbers_[variant];
  }

 private:
  std::vector<double> numbers_;
};

/// What the driver and each node know of the data.
struct LoadedSummary {
  std::shared_ptr<const SummaryData> study;  ///< without its variants: they are in `problem` and in the lists below
  std::shared_ptr<const SummaryProblem> problem;
  // Of each variant of the problem.
  VariantNumbers n;          ///< people; effective ones of cases and controls
  VariantNumbers frequency;  ///< of the counted allele in the study; NaN: unknown
  /// Effect of a copy of the allele that the panel counts, for b = 1: sqrt(n se^2 + beta^2), which is sd of the trait
  /// by sd of the variant in the study, or trait sd / panel sd.
  VariantNumbers effect;
  WeightScale scale = WeightScale::standard;
  double lambda_max = 0;
};

/// The copies of the allele that a missing call counts as: twice its frequency in the study, where that is known, else
/// in the panel.
[[nodiscard]] double mean_of(const LoadedSummary& loaded, std::size_t variant);

/// Reads panel and statistics. Errors: as load_dataset() and read_summary(); input: nothing is left.
[[nodiscard]] Result<std::shared_ptr<const LoadedSummary>> load_summary(const PathOptions& options, Chunks& threads);

/// A problem of statistics that are read already, beside a panel. `weigh_n`: see PathOptions.
[[nodiscard]] std::shared_ptr<const SummaryProblem> problem_of(std::shared_ptr<const Dataset> panel,
                                                               std::shared_ptr<const StandardizedColumns> columns,
                                                               const SummaryData& study, bool weigh_n);

/// Lambdas of the options, or a grid from lambda_max down.
[[nodiscard]] Grid grid_of(const PathOptions& options, double lambda_max);

/// What the processes of a run take.
[[nodiscard]] Result<MemoryPlan> plan_summary(const PathOptions& options, Look look);
/// Errors: input: this node's memory cannot hold its part.
[[nodiscard]] Status check_node_memory(const PathOptions& options);

}  // namespace strads::sumstats
