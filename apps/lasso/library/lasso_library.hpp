// The Lasso inside of another program: what the packages for Python and R are made of. Options are those of the
// commands, by name; data lie in memory or are files; results are structs. Nothing is printed, no file is written,
// signals, umask and the allocator's settings stay as they are, and calls from several threads do not know of each
// other. Coefficients have the bits of the commands (same data, options and build).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lasso/problem/solution.hpp"
#include "lasso/study/held_out.hpp"
#include "regression/model_file.hpp"
#include "strads/base/status.hpp"
#include "strads/data/data_in_memory.hpp"
#include "strads/data/dataset.hpp"
#include "strads/program/embedding.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/run_host.hpp"

namespace strads::lasso {

/// What is to be done: `lasso fit`, `lasso path` or `lasso cv`.
struct Call {
  std::vector<OptionValue> options;                    ///< {"lambda", "0.1"}, {"scale", "off"} ...
  std::shared_ptr<const DataInMemory> data = nullptr;  ///< null: all data are files that the options name
  std::vector<double> lambdas = {};  ///< of a path: in place of --lambda-file, in any order, all > 0; empty: a grid
  RunHost host = {};
  /// Sends the run to nodes that stay: --listen, --nodes, --expect, --key and others of that section. All data are then
  /// files that the nodes can read (`data` is null, `lambdas` empty). Same bits.
  std::vector<OptionValue> cluster = {};
  /// Begins with the coefficients of this model instead of zeros, every path of a run does, as --warm-start does with
  /// one on disk.
  std::shared_ptr<const FittedModel> start = nullptr;
};

/// How a run went.
struct Outcome : HostedOutcome {
  bool converged = false;                       ///< all solutions that were asked for are there and meet the tolerance
  std::uint64_t samples = 0;                    ///< that took part
  std::uint64_t columns = 0;                    ///< of X
  std::shared_ptr<const Dataset> dataset;       ///< names of samples and variables
  double lambda_max = 0;                        ///< of the standardised problem
  double response_mean = 0, response_norm = 1;  ///< what was subtracted from y, and what it was divided by
  double null_deviance = 0;  ///< what `explained` is a share of: of what has no penalty; weights have the mean 1
  std::array<std::string, 2> classes;  ///< binomial: what 0 and 1 were called
};

struct FitCall : Outcome {
  Solution solution;
  FittedModel model;  ///< for predict()
};

/// Of one response at one l1 ratio.
struct SolvedPathCall : Outcome {
  std::string response;  ///< its name
  double l1_ratio = 1;
  std::vector<Solution> path;  ///< lambda descending
  FittedPath model;            ///< for predict(): model.at(k)
  std::string path_hash;
};

/// What people who validate have chosen.
struct SplitChoice {
  std::string measure;                              ///< "mse", "deviance" ...
  std::vector<double> validation;                   ///< of them, by lambda
  std::size_t chosen = 0;                           ///< in the path
  std::uint64_t train = 0, validate = 0, test = 0;  ///< samples
  HeldOutScore on_validation, on_test;              ///< of the chosen solution
  std::optional<Solution> refit;   ///< of train and val, at the chosen lambda per sample; none: --refit off
  FittedModel refit_model;         ///< of that
  double refit_null_deviance = 0;  ///< as Outcome's, of train and val
  HeldOutScore refit_on_test;
};

struct PathCall : SolvedPathCall {
  std::optional<SplitChoice> split;  ///< where there is a split, unless it was stopped before anything was solved
  std::vector<PathCall>
      others;  ///< of several responses and l1 ratios, those of the first response first: all but the first
};

struct CvCall : SolvedPathCall {
  std::string measure;                           ///< "mse", "deviance" ...
  std::vector<double> mean, standard_error;      ///< of the error, by lambda; empty: no lambda has all folds
  std::vector<std::vector<double>> fold_errors;  ///< by fold and lambda: mean error of the samples held out
  std::vector<std::vector<Solution>> folds;      ///< by fold: the path without it
  std::vector<std::uint32_t> fold_of_row;        ///< from 0; number of folds: takes no part
  std::size_t least = 0, simplest = 0;           ///< in `path`: lambda.min, lambda.1se
  std::vector<CvCall> others;                    ///< as PathCall::others
};

/// Each is its command, from options to results. Several responses, of files or of memory, and several l1 ratios go
/// with call_path and call_cv: each has the results that it has alone, with folds and split alike for all. A run that a
/// limit or the host ended is ok and has what was found (converged false). Errors: usage, input: as the command, same
/// text.
[[nodiscard]] Result<FitCall> call_fit(const Call& call);
[[nodiscard]] Result<PathCall> call_path(const Call& call);
[[nodiscard]] Result<CvCall> call_cv(const Call& call);

struct PredictCall {
  std::vector<double> predictions;  ///< one a row
  std::vector<std::string> notes;   ///< matching_notes()
};

/// intercept + X beta of every row, offsets added: as `lasso predict`, missing values at their training means, unless
/// --missing error makes an error of those that are not genotypes. With
/// covariates or offsets NaN where a sample takes no part, for example since one of them is missing. Of the
/// binomial family log-odds of the second class. `options`: --bfile, --x and others of `lasso fit` that say which data;
/// none with X in memory. Filters of variables are left aside. Errors: as `lasso predict`. Cost: one pass over the
/// model's columns.
[[nodiscard]] Result<PredictCall> call_predict(const FittedModel& model, const Call& call);

/// The model as `lasso export` hands it over. `options`: its --export, --genome-build, --pgs-name and --trait.
/// Errors: usage: as `lasso export`; another option.
[[nodiscard]] Result<std::string> call_export(const FittedModel& model, std::span<const OptionValue> options);

/// What call_fit, call_path, call_cv and call_predict take: "fit", "path", "cv", "predict".
[[nodiscard]] std::vector<OptionFacts> options_of(std::string_view command);

/// Rows of the data that the options name which take no part by them, ascending: --keep, --remove, a covariate that is
/// missing. Cost: reads the data.
[[nodiscard]] Result<std::vector<std::uint32_t>> rows_left_out(std::span<const OptionValue> options);

/// Names of samples and variables of --bfile or --pfile: the tables of a binding.
struct GenotypeTables {
  std::vector<std::string> family, individual;                        ///< by sample
  std::vector<std::string> id, chromosome, position, counted, other;  ///< by variant
};
[[nodiscard]] Result<GenotypeTables> genotype_tables(std::span<const OptionValue> options);

}  // namespace strads::lasso
