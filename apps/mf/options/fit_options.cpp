#include "mf/options/fit_options.hpp"

#include <algorithm>
#include <utility>

#include "mf/options/cv_options.hpp"
#include "mf/options/implicit_options.hpp"
#include "mf/options/serving_options.hpp"
#include "mf/options/slim_options.hpp"
#include "strads/program/number_list.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {

namespace {

/// Every --solver of mf fit.
std::vector<std::string> solver_names() {
  return {"sgd", "cd", "ccd", "als", "cg", "slim"};
}

}  // namespace

void add_columns_option(OptionTable& table, std::string effect, std::string* target) {
  table.section("input").text("columns", "C,C,C", std::move(effect), target);
}

void add_ratings_option(OptionTable& table, FitOptions& options) {
  table.section("input").common().text("ratings", "FILE",
                                       "triplets user item value, split by blanks, tab, comma, semicolon or ::; also "
                                       "Matrix Market and scipy's .npz; gzip by content",
                                       &options.input.path);
  add_columns_option(table,
                     "which columns of text are user, item and rating, names or numbers from 1; without it those that "
                     "the first line names, or the first three",
                     &options.input.columns);
}

void add_training_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("input");
  rows.number("validation", "SHARE",
              "share of the training ratings that decides about early stopping; they are not learned from",
              &options.validation, {.min = 0, .max = 1, .max_open = true});
  rows.choice("duplicates", "several ratings of one pair: an error, their average, the last one, or their sum",
              &options.duplicates, {"refuse", "average", "last", "sum"});
}

namespace {

void add_test_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("input");
  rows.common().number("holdout", "SHARE",
                       "share of the pairs that is kept for testing; drawn by a hash of (seed, user, item)",
                       &options.input.holdout, {.min = 0, .max = 1, .max_open = true});
  rows.common().text(
      "test", "FILE",
      "instead of --holdout: ratings for testing; an unseen user or item gets the mean and the bias that is known",
      &options.input.test_path);
  table.exclusive("holdout", "test");
}

void add_size_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().count("rank", "K", "factors of a user and of an item; time and memory grow with it", &options.mf.rank,
                      {.min = 1, .max = kRankMax});
  rows.common().number(
      "lambda", "L",
      "weight of the penalties; larger is smoother. Not given: 0.05 of sgd, 0.1 of cd, ccd and als, 0.01 "
      "of implicit feedback. It means the same in any unit of the ratings",
      &options.mf.lambda, {.min = 0, .min_open = true});
}

}  // namespace

void add_problem_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().choice(
      "regularization",
      "penalties times the ratings of their row or column, as in LIBMF; plain: once, the paper's eq. (3)",
      &options.regularization, {"weighted", "plain"});
  rows.on_off("bias", "a bias for each user and item", &options.mf.bias);
  rows.on_off("mean", "subtract the mean of the training ratings first", &options.mf.mean);
  rows.on_off("clip", "predictions stay in the range of the ratings", &options.mf.clip);
}

void add_solver_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("solver");
  rows.common().choice("solver",
                       "sgd: a rotated grid, adaptive rate; cd: blocks of coordinates of a row at once; ccd: feature "
                       "by feature, the paper's eqs. (4), (5); als: whole rows; cg: implicit, conjugate gradients; "
                       "slim: no factors, sparse weights between items",
                       &options.solver, solver_names());
  rows.count("block-width", "D", "coordinates that cd solves at once; more cost more a sweep and may need fewer sweeps",
             &options.mf.width, {.min = 1, .max = kRankMax + 1});
  rows.number("relaxation", "W",
              "cd, als: after the first sweeps each block moves so many times as far as its minimum, which saves "
              "sweeps; 1 = to the minimum",
              &options.mf.relaxation, {.min = 0, .max = 2, .min_open = true, .max_open = true});
  rows.number("rate", "R",
              "learning rate of sgd; divided by the root of the squared gradients so far. It means the same in any "
              "unit of the ratings",
              &options.mf.rate, {.min = 0, .max = 10, .min_open = true});
  rows.choice("balance",
              "how rows and columns are shared out: equal numbers of ratings; rows = equal numbers of rows, the "
              "paper's baseline",
              &options.balance, {"nonzeros", "rows"});
  rows.common().count("sweeps", "N", "at most so many passes over the ratings", &options.mf.sweeps_max, {.min = 1});
  rows.common().number(
      "tolerance", "T",
      "stop when a sweep lowers the objective by less than this share; 0 = when it rises by rounding; slim: "
      "an item is done when its gap is at most this share of its objective, 1e-6 unless it is given",
      &options.mf.tolerance, {.min = 0, .max = 1, .max_open = true});
  rows.common().on_off("early-stopping", "stop when the validation error rises; the factors of the best sweep are kept",
                       &options.early_stopping);
  rows.count("patience", "N", "sweeps without a better validation error until early stopping", &options.mf.patience,
             {.min = 1});
}

void add_model_option(OptionTable& table, std::string* target) {
  table.section("input").common().text("model", "DIR", "run directory of mf fit or mf fold-in", target);
}

void add_threads_option(OptionTable& table, std::uint32_t* target) {
  table.section("machine").common().count(
      "threads", "N", "threads that compute, 0 = all cores that it may use; never changes the result", target,
      {.min = 0, .max = 4096});
}

Status check_model(const std::string& model) {
  if (!model.empty()) return {};
  return Status::usage("no model: give --model DIR, the run directory of mf fit or mf fold-in");
}

namespace {

Solver solver_of(const std::string& name) {
  return name == "ccd"   ? Solver::ccd
         : name == "als" ? Solver::als
         : name == "sgd" ? Solver::sgd
         : name == "cg"  ? Solver::cg
                         : Solver::cd;
}

/// What predicts best on the sets of bench/RESULTS.md: the steps of sgd smooth by themselves.
constexpr double kLambdaOfSgd = 0.05;
constexpr std::uint32_t kGridSide = 8;  ///< sgd: schedulers x workers, unless the user says otherwise

}  // namespace

FitOptions::FitOptions() {
  mf.lambda = kLambdaOfSgd;
  engine.schedulers = 4;
  engine.depth = 4;
}

OptionTable fit_option_table(FitOptions& options) {
  return fit_option_table(options, "mf fit",
                          "mf fit: ratings of users and items as mean + biases + products of a few factors\n"
                          "usage: mf fit --ratings FILE [--holdout SHARE | --test FILE] [options]\n");
}

OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_ratings_option(table, options);
  add_test_options(table, options);
  add_training_options(table, options);
  add_size_options(table, options);
  add_feedback_options(table, options);
  add_implicit_weights(table, options);
  add_problem_options(table, options);
  add_solver_options(table, options);
  add_slim_options(table, options);
  add_run_options(table, options);
  add_checkpoint_options(table, options);
  return table;
}

std::vector<std::string*> paths_of(FitOptions& options) {
  return {&options.input.path, &options.input.test_path};
}

void settle_input(FitOptions& options) {
  // A config file's or the default hold-out is set aside by --test.
  if (!options.input.test_path.empty()) options.input.holdout = 0;
  options.input.validation = options.early_stopping && !options.is_slim() ? options.validation : 0;
  options.input.duplicates = duplicates_of(options.duplicates);
  options.input.seed = options.engine.seed;
  options.input.positives = positives_of(options);
}

Status settle_fit_options(FitOptions& options, const OptionTable& table) {
  if (Status weights = check_implicit_weights(options, table); !weights.ok()) return weights;
  if (options.solver != "sgd" && !table.given("lambda")) options.mf.lambda = MfOptions{}.lambda;
  if (options.feedback == "implicit" && !options.is_slim() && !table.given("lambda")) {
    options.mf.lambda = kImplicitLambda;
  }
  if (Status shared = settle_shared_options(options, table); !shared.ok()) return shared;
  if (options.relevant.has_value() && !options.mf.stop.wanted()) {
    return Status::usage(
        "--relevant says which ratings lists of items should have, and nothing here looks at lists: give "
        "--stop-metric ndcg, or leave it out; mf evaluate and mf cv have it, too");
  }
  return {};
}

Status settle_shared_options(FitOptions& options, const OptionTable& table) {
  const bool in_memory = options.input.in_memory != nullptr;
  if (options.input.path.empty() && !in_memory) {
    return Status::usage("no input: give --ratings FILE (--help shows the options)");
  }
  if (!options.input.path.empty() && in_memory) {
    return Status::usage("ratings are given twice, in memory and as a file; give one of them");
  }
  // First: it chooses the solver where none is given, and workers follow from that.
  if (Status feedback = settle_feedback(options, table); !feedback.ok()) return feedback;
  // Blocks of a phase do not read each other: all schedulers may have a round under way.
  if (!table.given("depth")) options.engine.depth = options.engine.schedulers;
  // Every stratum copies the pages that it changes: a grid of 8 x 8 learns as well as a finer one, and copies less.
  if (options.solver == "sgd" && !table.given("workers")) {
    options.engine.workers = std::max(1U, kGridSide / options.engine.schedulers);
  }
  if (Status run = check_run_options(table, options); !run.ok()) return run;
  if (options.early_stopping && options.validation == 0) {
    return Status::usage(
        "--validation 0 leaves early stopping nothing to look at; give --early-stopping off, or a "
        "share above 0");
  }
  if (Status slim = settle_slim_options(options, table); !slim.ok()) return slim;
  settle_input(options);
  options.mf.solver = solver_of(options.solver);
  options.mf.balance = options.balance == "rows" ? Balance::rows : Balance::nonzeros;
  options.mf.weighted = options.regularization == "weighted";
  return {};
}

OptionTable predict_option_table(PredictOptions& options) {
  OptionTable table("mf predict",
                    "mf predict: what users would say about items; an unseen one gets the mean and the known bias\n"
                    "usage: mf predict --model DIR --pairs FILE [--out FILE]\n");
  add_model_option(table, &options.model);
  table.section("input").common().text(
      "pairs", "FILE", "lines of user and item, split as in mf fit --ratings; what follows is ignored", &options.pairs);
  add_columns_option(table,
                     "which columns of the pairs are user and item, names or numbers from 1; without it those that the "
                     "first line names, those of the fit's --columns, or the first two",
                     &options.columns);
  add_common_options(table, options.common, "FILE", "where the predictions go; without it: stdout", false);
  return table;
}

Status check_predict_options(const PredictOptions& options) {
  if (Status model = check_model(options.model); !model.ok()) return model;
  if (options.pairs.empty()) return Status::usage("nothing to predict: give --pairs FILE with lines of user and item");
  return {};
}

OptionTable recommend_option_table(RecommendOptions& options) {
  OptionTable table("mf recommend",
                    "mf recommend: the items with the highest predictions that a user has not rated\n"
                    "usage: mf recommend --model DIR [--top N] [--users FILE] [--out FILE]\n");
  add_model_option(table, &options.model);
  const OptionSection rows = table.section("input");
  rows.common().text("ratings", "FILE",
                     "rated pairs, which are left out; without it the file that the model was fitted to",
                     &options.ratings);
  add_columns_option(table, "which columns of --ratings are user, item and rating, as in mf fit", &options.columns);
  rows.common().count("top", "N", "items for each user", &options.top, {.min = 1, .max = 1e6});
  rows.common().text(
      "users", "FILE",
      "only these users, one id a line, or a table with a column of them, as users.tsv; without it all of the model",
      &options.users);
  add_item_options(table, options, "only these items, in a list or table as --users has them");
  rows.common().count("min-count", "N", "only items that at least N users of --ratings have", &options.min_count,
                      {.min = 0});
  add_list_options(table, options, "where the recommendations go; without it: stdout");
  return table;
}

Status check_recommend_options(const RecommendOptions& options) {
  if (!options.columns.empty() && options.ratings.empty()) {
    return Status::usage("--columns says what the columns of --ratings are: give --ratings FILE");
  }
  return check_model(options.model);
}

OptionTable evaluate_option_table(EvaluateOptions& options) {
  OptionTable table("mf evaluate",
                    "mf evaluate: how good the best items of each user are, beside the most popular ones\n"
                    "usage: mf evaluate --model DIR [--test FILE] [--at K,K] [--out FILE]\n");
  add_model_option(table, &options.model);
  const OptionSection rows = table.section("input");
  rows.common().text(
      "test", "FILE",
      "pairs of user and item that the lists should have; without it what the fit held out by --holdout or "
      "--test",
      &options.test);
  rows.common().text("ratings", "FILE",
                     "rated pairs, which are left out of the lists; without it those that the model was fitted to",
                     &options.ratings);
  add_columns_option(table, "which columns of --ratings and --test are user, item and rating, as in mf fit",
                     &options.columns);
  rows.common().number("relevant", "R",
                       "only pairs with a rating of at least R should be in a list; without it all of them",
                       &options.relevant, {.min = -1e300, .max = 1e300});
  rows.common().list("at", "K,K", "how many places of a list count; each is a row of the table", &options.at);
  add_threads_option(table, &options.threads);
  add_common_options(table, options.common, "FILE",
                     "also writes the figures with their standard errors as a table; without it: none", false);
  return table;
}

Status check_evaluate_options(EvaluateOptions& options) {
  constexpr double kPlacesMax = 1e5;
  const bool needs_file = !options.ratings.empty() && options.test.empty();
  if (needs_file) {
    return Status::usage(
        "--ratings without --test: what a fit held out is known with the ratings that it read; give --test "
        "FILE with the pairs to be found");
  }
  if (!options.columns.empty() && options.test.empty()) {
    return Status::usage("--columns says what the columns of --test and --ratings are: give --test FILE");
  }
  STRADS_ASSIGN_OR_RETURN(
      options.ks, read_list<std::uint32_t>("--at", options.at, "whole numbers from 1 to " + short_text(kPlacesMax),
                                           [](std::uint32_t k) { return k >= 1 && k <= kPlacesMax; }));
  std::sort(options.ks.begin(), options.ks.end());
  return check_model(options.model);
}

OptionTable fold_in_option_table(FoldInOptions& options) {
  OptionTable table("mf fold-in",
                    "mf fold-in: factors of new users or items from their ratings, with the other side's as they are\n"
                    "usage: mf fold-in --model DIR --ratings FILE [--side items] --out DIR\n");
  add_model_option(table, &options.model);
  const OptionSection rows = table.section("input");
  rows.common().text(
      "ratings", "FILE",
      "ratings of the new users (items), as in mf fit; those that the model knows are computed anew from these alone",
      &options.ratings);
  rows.common().choice("side",
                       "users: a model of the users of --ratings alone; items: the model with these items besides",
                       &options.side, {"users", "items"});
  add_columns_option(table, "which columns of the ratings are user, item and rating, as in mf fit", &options.columns);
  rows.choice("duplicates",
              "several ratings of one pair: an error, their average, the last one, or their sum; without it of "
              "--feedback implicit what the fit did",
              &options.duplicates, {"refuse", "average", "last", "sum"});
  add_threads_option(table, &options.threads);
  add_common_options(table, options.common, "DIR", "directory for the new factors; mf predict and the others read it",
                     true);
  return table;
}

Status check_fold_in_options(const FoldInOptions& options) {
  if (Status model = check_model(options.model); !model.ok()) return model;
  if (options.ratings.empty()) return Status::usage("no ratings: give --ratings FILE of the new users or items");
  if (options.common.out.empty()) return Status::usage("no place for the factors: give --out DIR");
  return check_apart(options.model, options.common.out, "give the new users' factors a folder of their own");
}

Duplicates duplicates_of(const std::string& name) {
  return name == "refuse" ? Duplicates::refuse
         : name == "last" ? Duplicates::last
         : name == "sum"  ? Duplicates::sum
                          : Duplicates::average;
}

void visit_option_tables(const TableVisit& visit) {
  FitOptions fit;
  PredictOptions predict;
  RecommendOptions recommend;
  EvaluateOptions evaluate;
  FoldInOptions fold_in;
  CvOptions cv;
  SimilarOptions similar;
  ExportOptions exported;
  RefitOptions refit;
  SplitOptions split;
  visit(fit_option_table(fit));
  visit(cv_option_table(cv));
  visit(predict_option_table(predict));
  visit(recommend_option_table(recommend));
  visit(similar_option_table(similar));
  visit(evaluate_option_table(evaluate));
  visit(split_option_table(split));
  visit(fold_in_option_table(fold_in));
  visit(refit_option_table(refit));
  visit(export_option_table(exported));
}

std::string options_document() {
  return markdown_of(visit_option_tables);
}

}  // namespace strads::mf
