// The Lasso on summary statistics inside of another program: see lasso/library/lasso_library.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/data_in_memory.hpp"
#include "strads/data/study_in_memory.hpp"
#include "strads/program/embedding.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/run_host.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// `lasso path --sumstats`.
struct SummaryCall {
  std::vector<OptionValue> options;                          ///< {"sumstats", "study.tsv"}, {"shrink", "0.5,1"} ...
  std::shared_ptr<const DataInMemory> panel = nullptr;       ///< X; null: files that the options name
  std::shared_ptr<const StudyInMemory> study = nullptr;      ///< null: the option sumstats names files
  std::shared_ptr<const DataInMemory> validation = nullptr;  ///< X and response, or the response of validate-bfile
  RunHost host = {};
  std::vector<OptionValue> cluster = {};  ///< as lasso::Call's: then all data are files
};

/// Which solution was chosen.
struct ChosenPoint {
  std::size_t point = 0;
  bool by_people = false;  ///< else pseudo-validation
  std::string measure;     ///< "r2", "auc", "pseudo_correlation"
  std::uint64_t people = 0;
};

/// How a run went.
struct SummaryOutcome : HostedOutcome {
  bool converged = false;                  ///< every solution is certified
  std::uint64_t samples = 0, columns = 0;  ///< of the panel
  std::string model_hash;
};

/// The variants that take part, block after block.
struct SummaryVariants {
  std::vector<std::uint32_t> columns;                          ///< of the panel
  std::vector<std::uint64_t> begins;                           ///< the first of each block; then the number of all
  std::vector<double> r, means;                                ///< correlation; what a missing call counts as
  std::vector<std::pair<std::string, std::uint64_t>> dropped;  ///< of the others: reason, count
};

/// All lambdas of the first shrinkage, then of the next.
struct SummaryPathCall : SummaryOutcome {
  std::vector<double> shrinks, lambdas;
  std::vector<GridSolution> points;
  // The solutions by point, in compressed columns: entries starts[k] to starts[k + 1] are of point k.
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> variables;  ///< columns of the panel, ascending in a point
  std::vector<double> standardized;      ///< b, on columns of unit norm
  std::vector<double> coefficients;      ///< of a copy
  SummaryVariants variants;
  std::optional<ChosenPoint> choice;  ///< nothing: every solution is empty
  std::vector<double> measured;       ///< by point; NaN: of an empty solution
  std::string weights;                ///< how coefficients come from b
  double lambda_max = 0, n_max = 0, frequency_correlation = 0;
};

/// From options and arrays to the path. Errors: usage, input: as `lasso path --sumstats`, same text.
[[nodiscard]] Result<SummaryPathCall> call_path(const SummaryCall& call);

/// What call_path() takes.
[[nodiscard]] std::vector<OptionFacts> options_of_path();

}  // namespace strads::sumstats
