// What `ridge fit` and its nodes share: the options, each written once, and the way from them to a model.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "ridge_model.hpp"
#include "strads/data/dataset.hpp"
#include "strads/policies/policies.hpp"
#include "strads/program/policy_options.hpp"
#include "strads/program/program_run.hpp"

namespace ridge {

struct FitOptions : RunOptions {
  InputOptions input;
  double mu = 1;
  double tolerance = 1e-10;
  std::string policy = policy_names().front();
  PolicyOptions policies;
};

/// `options` outlives the table.
inline OptionTable fit_option_table(FitOptions& options) {
  OptionTable table("ridge fit",
                    "ridge fit: min over b of 1/2 ||y - X b||^2 + mu/2 ||b||^2\n"
                    "usage: ridge fit --x FILE --y FILE [--mu MU] [options]\n");
  const OptionSection input_rows = table.section("input");
  input_rows.common().text("x", "FILE",
                           "table of numbers (CSV, TSV or .npy of float64): a row a sample, a column a variable",
                           &options.input.source.x);
  input_rows.common().text("y", "FILE", "table of the response", &options.input.response.y);
  const OptionSection problem_rows = table.section("problem");
  problem_rows.common().number("mu", "MU", "penalty", &options.mu, {.min = 0, .min_open = true});
  problem_rows.common().number("tolerance", "T", "stop when the objective is at most this share above its minimum",
                               &options.tolerance, {.min = 0, .max = 1, .min_open = true});
  add_policy_choice(table, &options.policy);
  add_policy_numbers(table, &options.policies);
  add_run_options(table, options);
  return table;
}

inline Status settle(FitOptions& options, const OptionTable& table) {
  const InputOptions& input = options.input;
  if (input.source.x.empty() || input.response.y.empty()) return Status::usage("no data: give --x FILE and --y FILE");
  settle_policy(options.policy, options.engine, options.policies);
  return check_run_options(table, options);
}

inline Result<std::shared_ptr<Model>> load_model(const FitOptions& options) {
  auto loaded = load_dataset(options.input);
  if (!loaded.ok()) return loaded.status();
  const Dataset& data = *loaded.value();
  const ColumnsView& view = data.columns();
  if (view.storage != Storage::dense_f64) {
    return Status::input(options.input.source.x + ": ridge reads tables of numbers, as CSV, TSV or .npy of float64");
  }
  Problem problem{.mu = options.mu, .tolerance = options.tolerance, .policy = options.policies};
  problem.fingerprint = data.fingerprint();
  problem.y.assign(data.response().begin(), data.response().end());
  for (VarId j = 0; j < view.columns; ++j) {
    const auto* column = reinterpret_cast<const double*>(view.values + j * view.column_stride);
    problem.x.emplace_back(column, column + view.rows);
    for (const std::uint32_t row : view.dropped_rows) problem.x.back()[row] = 0;
  }
  return std::shared_ptr<Model>(std::make_shared<RidgeModel>(std::move(problem)));
}

}  // namespace ridge
