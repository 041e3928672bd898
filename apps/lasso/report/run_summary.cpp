#include "lasso/report/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "lasso/problem/payloads.hpp"
#include "lasso/report/covariate_facts.hpp"
#include "lasso/report/family_facts.hpp"
#include "lasso/solver/block_tally.hpp"
#include "regression/people.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Hands the field that files call `name` to `take`.
template <class Take>
void take_field(const Solution& solution, std::string_view name, const Take& take) {
  if (name == "index") return take(solution.index + 1);
  if (name == "lambda_ratio") return take(over_lambda_max(solution.lambda, solution.problem.lambda_max));
  if (name == "nonzeros") return take(std::uint64_t{solution.variables.size()});
  const std::string_view own = name == "deviance_ratio"  ? "explained"
                               : name == "duality_gap"   ? "gap"
                               : name == "tolerance_met" ? "converged"
                                                         : name;
  Solution::fields(solution, [&]<class Field>(std::string_view field, const Field& value) {
    if constexpr (!std::is_same_v<Field, std::vector<double>> && !std::is_same_v<Field, std::vector<VarId>>) {
      if (field == own) take(value);
    }
  });
}

}  // namespace

void add_fields(Summary& summary, const Solution& solution, std::span<const char* const> names) {
  for (const char* const name : names) {
    take_field(solution, name, [&](const auto& value) { summary.add(name, value); });
  }
}

std::string line_of(const Solution& solution, std::span<const char* const> names) {
  std::string line;
  for (const std::string_view name : names) {
    if (!line.empty()) line += "\t";
    take_field(solution, name, [&]<class Field>(const Field& value) {
      if constexpr (std::is_same_v<Field, std::string>) line += value;
      if constexpr (std::is_same_v<Field, bool>) line += yes_or_no(value);
      if constexpr (std::is_same_v<Field, std::uint64_t>) line += std::to_string(value);
      if constexpr (std::is_same_v<Field, double>) {
        line += name == "seconds"        ? short_text(value, 6)
                : name == "lambda_ratio" ? ratio_field(value)
                                         : exact_text(value);
      }
    });
  }
  return line;
}

std::string header_of(std::span<const char* const> names) {
  std::string header;
  for (const char* const name : names) header.append(header.empty() ? "" : "\t").append(name);
  return header;
}

bool is_partial(const LassoData& data) {
  return data.columns->covariates() > 0;
}

double whole_r2(const LassoData& data, double partial) {
  const auto response = data.dataset->response();
  const ColumnsView& view = data.dataset->columns();
  double total = 0, left = 0;
  for (const std::uint32_t i : samples_of(view)) {
    const double off = (response[i] - data.response.mean) / data.response.norm;
    total += (view.weights.empty() ? 1.0 : view.weights[i]) * off * off;
    left += data.response.standardized[i] * data.response.standardized[i];
  }
  return total > 0 ? 1 - (1 - partial) * left / total : 0.0;
}

double over_lambda_max(double lambda, double lambda_max) {
  return lambda_max > 0 ? lambda / lambda_max : std::numeric_limits<double>::quiet_NaN();
}

std::string over_lambda_max_text(double lambda, double lambda_max, int digits) {
  return lambda_max > 0 ? " = " + short_text(lambda / lambda_max, digits) + " lambda_max" : " (lambda_max is 0)";
}

std::string ratio_field(double ratio) {
  return std::isnan(ratio) ? "NA" : exact_text(ratio);
}

void add_penalty(Summary& summary, const FitOptions& fit, double l1_ratio) {
  if (l1_ratio != 1) summary.add("l1_ratio", l1_ratio);
  if (fit.lasso.nonnegative) summary.add("nonnegative", true);
  if (!fit.input.variables.penalty_factors.empty()) summary.add("penalty_factors", fit.input.variables.penalty_factors);
  if (!fit.input.response.weights.empty()) summary.add("weights", fit.input.response.weights);
}

std::string fitted_text(const FitOptions& fit, const Dataset& dataset) {
  const std::string name = field(dataset.response_name());
  return "fitted   " + (name.empty() ? "response" : name) + " on " + base_name(fit.input.source.name()) + ": " +
         with_unit(dataset.columns().samples(), "sample", "samples");
}

std::string work_text(const RunFacts& run) {
  const auto& totals = run.run.end.totals;
  return with_unit(totals.rounds, "round", "rounds") + " in " + with_unit(totals.phases, "phase", "phases") + ", " +
         with_unit(totals.updates, "update", "updates");
}

namespace {

Summary variable_facts(const LassoData& data, const Start& problem) {
  Summary dropped;
  dropped.add("constant", problem.constant);
  dropped.add("excluded", problem.excluded);
  dropped.add("collinear", problem.collinear);
  Summary variables;
  variables.add("in_file", data.dataset->columns().columns);
  variables.add("kept", problem.kept);
  if (data.unpenalised.any()) {
    variables.add("unpenalised", std::uint64_t{data.unpenalised.variables.size()});
  }
  variables.add("dropped", dropped);
  Summary by_option;
  for (const Dropped& reason : data.dataset->dropped_variables()) by_option.add(reason.reason, reason.count);
  if (!data.dataset->dropped_variables().empty()) variables.add("excluded_by", by_option);
  return variables;
}

/// Work, traffic, time and memory.
void add_run(Summary& summary, const FitOptions& options, const RunFacts& facts) {
  const auto& totals = facts.run.end.totals;
  summary.add("rounds", totals.rounds);
  summary.add("empty_rounds", totals.empty_rounds);
  summary.add("phases", totals.phases);
  summary.add("blocks", totals.blocks);
  summary.add("blocks_per_round", ratio(totals.blocks, totals.rounds));
  summary.add("updates", totals.updates);
  summary.add("updates_critical_path", totals.updates_path);
  summary.add("flops", totals.flops);
  summary.add("flops_critical_path", totals.flops_path);
  if (!totals.tally.empty()) summary.add("block_solves", block_solves(totals.tally));
  summary.add("rounds_parallel_share", ratio(totals.rounds_parallel, totals.rounds));
  summary.add("phases_parallel_share", ratio(totals.phases_parallel, totals.phases));
  summary.add("rounds_planned_early_share", ratio(totals.planned_early, totals.rounds));
  add_traffic(summary, facts);
  add_execution(summary, options, facts);
}

void add_options(Summary& summary, const FitOptions& options) {
  summary.add("policy", options.policy);
  summary.add("guard", options.lasso.guard);
  if (!options.warm_start.empty()) summary.add("warm_start", options.warm_start);
  add_engine(summary, options);
}

/// "cluster", where there was one.
void add_nodes(Summary& summary, const RunFacts& known) {
  const std::uint64_t updates = known.run.end.totals.updates;
  add_cluster(summary, known, [updates](Summary& facts, const NodeReport& node) {
    facts.add("updates_share", ratio(node.updates, updates));
    facts.add("data_mapped_bytes", node.data_mapped);
    facts.add("data_resident_bytes", node.data_resident);
  });
}

}  // namespace

Summary summary_head(std::string_view program, const LassoData& data) {
  Summary summary;
  summary.add("program", program);
  summary.add("response", data.dataset->response_name());
  add_family(summary, data);
  return summary;
}

void add_tail(Summary& summary, const SummaryTail& tail) {
  const bool has_run = tail.run != nullptr && tail.options != nullptr;
  if (has_run) add_run(summary, *tail.options, *tail.run);
  if (tail.options != nullptr) add_options(summary, *tail.options);
  if (tail.data != nullptr) {
    const Dataset& dataset = *tail.data->dataset;
    summary.add("samples", sample_facts(dataset));
    if (tail.problem != nullptr) summary.add("variables", variable_facts(*tail.data, *tail.problem));
    const std::uint64_t missing = tail.problem != nullptr ? tail.problem->missing : 0;
    if (tail.says_imputed) summary.add("missing_imputed", std::max(dataset.missing_imputed(), missing));
    add_covariates(summary, *tail.data, tail.covariates != nullptr ? *tail.covariates : std::vector<double>());
  }
  if (has_run) add_nodes(summary, *tail.run);
}

std::string penalty_text(const FitOptions& options, double l1_ratio) {
  return (l1_ratio == 1 ? "" : ratio_text(l1_ratio) + ", ") + (options.lasso.nonnegative ? "coefficients >= 0, " : "");
}

std::string ratio_text(double l1_ratio) {
  return "l1 ratio " + short_text(l1_ratio);
}

}  // namespace strads::lasso
