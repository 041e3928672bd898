#include "mf/options/cv_options.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "mf/options/implicit_options.hpp"
#include "mf/options/slim_options.hpp"
#include "mf/problem/ranked_by.hpp"
#include "strads/program/number_list.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

constexpr std::uint32_t kFolds = 5;
constexpr double kFoldsMax = 1000;
/// Fits that end at one barrier send their pages in one message, which lists the lengths of fewer than 131,072 arrays.
constexpr std::size_t kPagesMax = 100000;

Result<std::vector<double>> read_numbers(const std::string& name, const std::vector<std::string>& given, double least,
                                         bool open) {
  return read_list<double>(name, given, open ? "numbers above 0" : "numbers of at least 0", [&](double number) {
    return std::isfinite(number) && (open ? number > least : number >= least);
  });
}

Result<std::vector<CvPoint>> read_weights_grid(const CvOptions& options) {
  STRADS_ASSIGN_OR_RETURN(const auto l1s, read_numbers("--l1s", options.l1s, 0, false));
  STRADS_ASSIGN_OR_RETURN(const auto l2s, read_numbers("--l2s", options.l2s, 0, true));
  std::vector<CvPoint> points;
  for (const double l1 : l1s) {
    for (const double l2 : l2s) {
      CvPoint point;
      point.l1 = l1;
      point.l2 = l2;
      points.push_back(point);
    }
  }
  return points;
}

Result<std::vector<CvPoint>> read_grid(const CvOptions& options) {
  if (options.plan.kind == CvKind::slim) return read_weights_grid(options);
  const auto ranks =
      read_list<std::uint32_t>("--ranks", options.ranks, "whole numbers from 1 to " + short_text(kRankMax),
                               [](std::uint32_t rank) { return rank >= 1 && rank <= kRankMax; });
  if (!ranks.ok()) return ranks.status();
  STRADS_ASSIGN_OR_RETURN(const auto lambdas, read_numbers("--lambdas", options.lambdas, 0, true));
  std::vector<double> alpha0s{0}, nus{0}, alphas{0};
  const bool hu = options.fit.objective == "hu";
  if (options.plan.kind == CvKind::implicit && hu) {
    STRADS_ASSIGN_OR_RETURN(alphas, read_numbers("--alphas", options.alphas, 0, true));
  }
  if (options.plan.kind == CvKind::implicit && !hu) {
    STRADS_ASSIGN_OR_RETURN(alpha0s, read_numbers("--alpha0s", options.alpha0s, 0, true));
    STRADS_ASSIGN_OR_RETURN(nus, read_numbers("--nus", options.nus, 0, false));
  }
  std::vector<CvPoint> points;
  for (const std::uint32_t rank : ranks.value()) {
    for (const double lambda : lambdas) {
      for (const double alpha0 : alpha0s) {
        for (const double nu : nus) {
          for (const double alpha : alphas) {
            CvPoint point;
            point.rank = rank;
            point.lambda = lambda;
            point.alpha0 = alpha0;
            point.nu = nu;
            point.alpha = alpha;
            points.push_back(point);
          }
        }
      }
    }
  }
  return points;
}

/// Lists of another kind are none that anything follows from.
Status check_lists(const CvOptions& options, const OptionTable& table) {
  struct OfKind {
    const char* name;
    bool fits;
    bool differs;  ///< a configuration has them all, whatever the kind
    const char* whose;
  };
  const CvOptions usual;
  const bool by_errors = options.plan.kind == CvKind::ratings && options.metric == kRmse;
  const bool implicit = options.plan.kind == CvKind::implicit;
  const bool slim = options.plan.kind == CvKind::slim;
  const bool hu = implicit && options.fit.objective == "hu";
  const char* const of_ials = hu ? "--objective ials" : "--feedback implicit";
  const char* const of_factors = "models of factors";
  const OfKind lists[] = {{"ranks", !slim, options.ranks != usual.ranks, of_factors},
                          {"lambdas", !slim, options.lambdas != usual.lambdas, of_factors},
                          {"alpha0s", implicit && !hu, options.alpha0s != usual.alpha0s, of_ials},
                          {"nus", implicit && !hu, options.nus != usual.nus, of_ials},
                          {"alphas", hu, options.alphas != usual.alphas, "--feedback implicit --objective hu"},
                          {"l1s", slim, options.l1s != usual.l1s, "--solver slim"},
                          {"l2s", slim, options.l2s != usual.l2s, "--solver slim"},
                          {"at", !by_errors, options.at != usual.at, "lists of items, --metric recall and others"}};
  for (const OfKind& list : lists) {
    if (list.fits || !list.differs || !table.given(list.name)) continue;
    return Status::usage(std::string("--") + list.name + " is for " + list.whose + ", which this is not: leave it out");
  }
  return {};
}

std::string kind_text(const CvOptions& options) {
  return options.plan.kind == CvKind::slim ? "--solver slim" : "--feedback implicit";
}

std::vector<std::string> lambdas_around(double lambda) {
  std::vector<std::string> lambdas;
  for (const double factor : {0.5, 1.0, 2.0}) lambdas.push_back(exact_text(factor * lambda));
  return lambdas;
}

/// As a shell wants it.
std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

}  // namespace

CvOptions::CvOptions() : lambdas(lambdas_around(fit.mf.lambda)) {
  ranks = {std::to_string(fit.mf.rank)};
  alpha0s = {exact_text(fit.mf.alpha0)};
  nus = {exact_text(fit.mf.nu)};
  alphas = {exact_text(fit.mf.alpha)};
  l1s = {exact_text(fit.slim.l1)};
  l2s = lambdas_around(fit.slim.l2);
  plan.folds = kFolds;
}

OptionTable cv_option_table(CvOptions& options) {
  OptionTable table("mf cv",
                    "mf cv: which rank and lambda, or l1 and l2, are best for what a fit has not seen\n"
                    "usage: mf cv --ratings FILE [--ranks K,K] [--lambdas L,L] [--folds N] [options]\n");
  FitOptions& fit = options.fit;
  add_ratings_option(table, fit);
  table.section("input").common().count(
      "folds", "N",
      "parts of the ratings, each of which tests the fits to the others; drawn by a hash of (seed, user, item)",
      &options.plan.folds, {.min = 2, .max = kFoldsMax});
  add_training_options(table, fit);
  const OptionSection rows = table.section("problem");
  rows.common().list("ranks", "K,K", "ranks to try: factors of a user and of an item", &options.ranks);
  rows.common().list("lambdas", "L,L",
                     "weights of the penalties to try, each with every rank; twice these for cd, ccd and als",
                     &options.lambdas);
  add_feedback_options(table, fit);
  rows.list("alpha0s", "A,A", "implicit: weights of the pairs that were not chosen to try", &options.alpha0s);
  rows.list("nus", "V,V", "implicit: powers of a row's weight in its penalty to try", &options.nus);
  rows.list("alphas", "A,A", "implicit, --objective hu: weights of a chosen pair's confidence to try", &options.alphas);
  std::vector<std::string> metrics = ranking_metric_names();
  metrics.insert(metrics.begin(), kRmse);
  rows.choice("metric",
              "which points are compared by: rmse, of ratings, or what a list of items is worth, as in mf evaluate; "
              "implicit, slim: ndcg without it",
              &options.metric, metrics);
  rows.count("at", "K", "how many places of a list count", &options.at, {.min = 1, .max = 1e5});
  add_problem_options(table, fit);
  add_solver_options(table, fit);
  table.section("slim").list("l1s", "L,L", "slim: weights of the sum of an item's weights to try", &options.l1s);
  table.section("slim").list("l2s", "L,L",
                             "slim: weights of half of the sum of their squares to try, each with every "
                             "one of --l1s; half, once and twice that of mf fit",
                             &options.l2s);
  add_slim_powers(table, fit);
  add_run_options(table, fit);
  add_checkpoint_options(table, fit);
  return table;
}

Status check_cv_arguments(std::span<const std::string> arguments) {
  struct Instead {
    const char* option;
    const char* advice;
  };
  constexpr Instead kInstead[] = {
      {"--holdout", "mf cv tests on each fold in turn: leave --holdout out, or use mf fit --holdout"},
      {"--test", "mf cv tests on each fold in turn: leave --test out, or use mf fit --test"},
      {"--rank", "mf cv tries several: give --ranks K,K"},
      {"--lambda", "mf cv tries several: give --lambdas L,L"},
      {"--alpha0", "mf cv tries several: give --alpha0s A,A"},
      {"--nu", "mf cv tries several: give --nus V,V"},
      {"--alpha", "mf cv tries several: give --alphas A,A"},
      {"--l1", "mf cv tries several: give --l1s L,L"},
      {"--l2", "mf cv tries several: give --l2s L,L"}};
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    for (const Instead& instead : kInstead) {
      if (name == instead.option) return Status::usage(name + ": " + instead.advice);
    }
  }
  return {};
}

Status settle_cv_options(CvOptions& options, const OptionTable& table) {
  CvPlan& plan = options.plan;
  plan.kind = options.fit.is_slim()                ? CvKind::slim
              : options.fit.feedback == "implicit" ? CvKind::implicit
                                                   : CvKind::ratings;
  if (plan.kind != CvKind::ratings && !table.given("metric")) options.metric = "ndcg";
  if (Status lists = check_lists(options, table); !lists.ok()) return lists;
  if (plan.kind != CvKind::ratings && options.metric == kRmse) {
    return Status::usage("--metric rmse is for ratings; " + kind_text(options) + " has recall, ndcg and others");
  }
  if (options.metric != kRmse) plan.by = {ranking_metric(options.metric), options.at};
  if (!table.given("lambdas")) {
    if (plan.kind == CvKind::implicit) options.lambdas = lambdas_around(kImplicitLambda);
    if (plan.kind == CvKind::ratings && options.fit.solver != "sgd") {
      options.lambdas = lambdas_around(MfOptions{}.lambda);
    }
  }
  STRADS_ASSIGN_OR_RETURN(plan.points, read_grid(options));
  if (Status settled = settle_shared_options(options.fit, table); !settled.ok()) return settled;
  plan.stops_by_lists = options.fit.mf.stop.wanted();
  if (options.fit.relevant.has_value() && !plan.by_lists() && !options.fit.mf.stop.wanted()) {
    return Status::usage(
        "--relevant says which ratings lists of items should have, and nothing here looks at lists: give --metric ndcg "
        "or --stop-metric ndcg, or leave it out");
  }
  const std::size_t fits_max = std::max<std::size_t>(kPagesMax / (kSides * (options.fit.engine.workers + 1)), 1);
  if (options.plan.size() > fits_max) {
    return Status::usage("the grid has " + std::to_string(options.plan.size()) + " fits, expected at most " +
                         std::to_string(fits_max) + " with --workers " + std::to_string(options.fit.engine.workers) +
                         ": try fewer --ranks, --lambdas or --folds");
  }
  return {};
}

std::string fit_command_of(const CvPoint& point, const OptionTable& table, CvKind kind) {
  std::string command = "mf fit";
  constexpr std::string_view kLeftOut[] = {"machine", "cluster", "output", "limits", "checkpoint", "status"};
  constexpr std::string_view kOfGrid[] = {"ranks", "lambdas", "alpha0s", "nus", "alphas",
                                          "l1s",   "l2s",     "metric",  "at",  "folds"};
  const std::string all = table.config(kLeftOut);
  const bool stops_by_lists = all.find("stop-metric = none") == std::string::npos;
  std::istringstream config(all);
  for (std::string line; std::getline(config, line);) {
    const std::size_t at = line.find(" = ");
    if (line.empty() || line[0] == '#' || line[0] == '[' || at == std::string::npos) continue;
    const std::string name = line.substr(0, at);
    if (std::find(std::begin(kOfGrid), std::end(kOfGrid), name) != std::end(kOfGrid) || !table.given(name)) continue;
    if (name == "relevant" && !stops_by_lists) continue;  // the fit itself looks at no list
    command += " --" + name + " " + quoted(line.substr(at + 3));
  }
  for (const CvAxis& axis : axes_of(kind, point))
    command += std::string(" --") + axis.name + " " + exact_text(axis.value);
  return command;
}

CvPoint point_for_all(const CvPlan& plan, const CvPoint& point, const SlimOptions& slim) {
  if (plan.kind != CvKind::slim) return point;
  const double share = (plan.folds - 1.0) / plan.folds;
  const double smaller = std::pow(share, 2 - slim.user_power - 2 * slim.item_power);
  constexpr int kDigits = 6;  // more are rounding
  const auto larger = [smaller](double weight) { return std::stod(short_text(weight / smaller, kDigits)); };
  CvPoint all = point;
  all.l1 = larger(point.l1);
  all.l2 = larger(point.l2);
  return all;
}

}  // namespace strads::mf
