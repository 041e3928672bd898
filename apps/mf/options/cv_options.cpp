#include "mf/options/cv_options.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "mf/options/slim_options.hpp"
#include "strads/program/number_list.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

constexpr std::uint32_t kFolds = 5;
constexpr double kFoldsMax = 1000;
/// Fits that end at one barrier send their pages in one message, which lists the lengths of fewer than 131,072 arrays.
constexpr std::size_t kPagesMax = 100000;

Result<std::vector<CvPoint>> read_grid(const CvOptions& options) {
  const auto ranks =
      read_list<std::uint32_t>("--ranks", options.ranks, "whole numbers from 1 to " + short_text(kRankMax),
                               [](std::uint32_t rank) { return rank >= 1 && rank <= kRankMax; });
  if (!ranks.ok()) return ranks.status();
  STRADS_ASSIGN_OR_RETURN(const auto lambdas,
                          read_list<double>("--lambdas", options.lambdas, "numbers above 0",
                                            [](double lambda) { return std::isfinite(lambda) && lambda > 0; }));
  std::vector<CvPoint> points;
  for (const std::uint32_t rank : ranks.value()) {
    for (const double lambda : lambdas) points.push_back({rank, lambda});
  }
  return points;
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
  plan.folds = kFolds;
}

OptionTable cv_option_table(CvOptions& options) {
  OptionTable table("mf cv",
                    "mf cv: which rank and lambda predict best what a fit has not seen, by cross-validation\n"
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
  add_problem_options(table, fit);
  add_solver_options(table, fit);
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
      {"--lambda", "mf cv tries several: give --lambdas L,L"}};
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    for (const Instead& instead : kInstead) {
      if (name == instead.option) return Status::usage(name + ": " + instead.advice);
    }
  }
  return {};
}

Status settle_cv_options(CvOptions& options, const OptionTable& table) {
  if (options.fit.solver != "sgd" && !table.given("lambdas")) options.lambdas = lambdas_around(MfOptions{}.lambda);
  STRADS_ASSIGN_OR_RETURN(options.plan.points, read_grid(options));
  if (Status settled = settle_shared_options(options.fit, table); !settled.ok()) return settled;
  if (Status factors = expect_factors(options.fit, "mf cv"); !factors.ok()) return factors;
  const std::size_t fits_max = std::max<std::size_t>(kPagesMax / (kSides * (options.fit.engine.workers + 1)), 1);
  if (options.plan.size() > fits_max) {
    return Status::usage("the grid has " + std::to_string(options.plan.size()) + " fits, expected at most " +
                         std::to_string(fits_max) + " with --workers " + std::to_string(options.fit.engine.workers) +
                         ": try fewer --ranks, --lambdas or --folds");
  }
  return {};
}

std::string fit_command_of(const CvPoint& point, const OptionTable& table) {
  std::string command = "mf fit";
  constexpr std::string_view kLeftOut[] = {"machine", "cluster", "output", "limits", "checkpoint"};
  std::istringstream config(table.config(kLeftOut));
  for (std::string line; std::getline(config, line);) {
    const std::size_t at = line.find(" = ");
    if (line.empty() || line[0] == '#' || line[0] == '[' || at == std::string::npos) continue;
    const std::string name = line.substr(0, at);
    if (name == "ranks" || name == "lambdas" || name == "folds" || !table.given(name)) continue;
    command += " --" + name + " " + quoted(line.substr(at + 3));
  }
  return command + " --rank " + std::to_string(point.rank) + " --lambda " + exact_text(point.lambda);
}

}  // namespace strads::mf
