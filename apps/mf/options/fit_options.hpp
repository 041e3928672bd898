// The options of `mf fit`, `mf predict`, `mf recommend`, `mf evaluate` and `mf fold-in`, each written once.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/slim/slim.hpp"
#include "strads/data/ratings.hpp"
#include "strads/program/option_facts.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"

namespace strads::mf {

/// `mf fit` as the user gave it. `input` and `mf` are complete after settle_fit_options().
struct FitOptions : RunOptions {
  FitOptions();

  RatingsInput input;
  MfOptions mf;
  SlimOptions slim;
  std::string duplicates = "average";
  std::string solver = "sgd";
  std::string regularization = "weighted";
  std::string balance = "nonzeros";
  std::string feedback = "explicit";
  std::string objective = "ials";  ///< implicit
  std::string confidence = "ones";
  std::optional<double> positive_from;
  std::string stop_metric = "none";
  std::uint32_t stop_at = 20;
  bool early_stopping = true;
  double validation = 0.05;        ///< of the training ratings, with early stopping
  std::optional<double> relevant;  ///< of ratings: those that lists of items should have; absent: all

  [[nodiscard]] bool is_slim() const { return solver == "slim"; }
  [[nodiscard]] double lowest_positive() const {
    return positive_from.value_or(-std::numeric_limits<double>::infinity());
  }
};

/// `options` outlives the table.
[[nodiscard]] OptionTable fit_option_table(FitOptions& options);
/// The same options for another command (`strads_sim run`).
[[nodiscard]] OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage);

/// Records of more floats would not fit a worker's caches; nobody has asked for so many.
inline constexpr double kRankMax = 1024;

// The parts of that table that `mf cv` has as well.
void add_ratings_option(OptionTable& table, FitOptions& options);
/// --validation, --duplicates.
void add_training_options(OptionTable& table, FitOptions& options);
/// All of the section but --rank and --lambda.
void add_problem_options(OptionTable& table, FitOptions& options);
void add_solver_options(OptionTable& table, FitOptions& options);

/// The options that name files: a node looks for them where its own rule says.
[[nodiscard]] std::vector<std::string*> paths_of(FitOptions& options);

/// Fills what options.input needs of other options: what is held out, by which draw. A part of settle_fit_options(),
/// and all that later commands need of a fit that has run, wherever and how it ran.
void settle_input(FitOptions& options);

/// Checks what concerns several options at once and fills options.input and options.mf. Errors: usage.
[[nodiscard]] Status settle_fit_options(FitOptions& options, const OptionTable& table);
/// The same but for --rank and --lambda, which `mf cv` has not.
[[nodiscard]] Status settle_shared_options(FitOptions& options, const OptionTable& table);

struct PredictOptions {
  CommonOptions common;
  std::string model;  ///< run directory of a fit or of a fold-in
  std::string pairs;
  std::string columns;  ///< of the pairs
};
[[nodiscard]] OptionTable predict_option_table(PredictOptions& options);
[[nodiscard]] Status check_predict_options(const PredictOptions& options);

/// What every command that writes lists of items has.
struct ListOptions {
  CommonOptions common;
  std::string model;
  std::string allow;  ///< "": all items
  std::string deny;   ///< "": none
  std::uint32_t min_count = 0;
  std::uint32_t top = 10;
  std::string format = "tsv";
  std::uint32_t threads = 0;
};

struct RecommendOptions : ListOptions {
  std::string ratings;  ///< "": the file that the model's config.ini names
  std::string columns;  ///< of `ratings`
  std::string users;    ///< "": all
};
[[nodiscard]] OptionTable recommend_option_table(RecommendOptions& options);
[[nodiscard]] Status check_recommend_options(const RecommendOptions& options);

struct EvaluateOptions {
  CommonOptions common;
  std::string model;
  std::string test;     ///< "": what the fit held out
  std::string ratings;  ///< as RecommendOptions::ratings
  std::string columns;  ///< of `test` and `ratings`
  std::vector<std::string> at = {"5", "10", "20"};
  std::vector<std::uint32_t> ks;   ///< `at`, ascending: filled by check_evaluate_options()
  std::optional<double> relevant;  ///< absent: every pair
  std::uint32_t threads = 0;
};
[[nodiscard]] OptionTable evaluate_option_table(EvaluateOptions& options);
[[nodiscard]] Status check_evaluate_options(EvaluateOptions& options);

struct FoldInOptions {
  CommonOptions common;
  std::string model;
  std::string ratings;
  std::string columns;  ///< of `ratings`
  std::string side = "users";
  std::string duplicates = "average";
  bool duplicates_given = false;
  std::uint32_t threads = 0;
};
[[nodiscard]] OptionTable fold_in_option_table(FoldInOptions& options);
[[nodiscard]] Status check_fold_in_options(const FoldInOptions& options);

/// What --duplicates says.
[[nodiscard]] Duplicates duplicates_of(const std::string& name);

/// Shows the table of every command of `mf`, with the defaults.
void visit_option_tables(const TableVisit& visit);
/// The part of docs/OPTIONS.md that is about `mf`.
[[nodiscard]] std::string options_document();

}  // namespace strads::mf
