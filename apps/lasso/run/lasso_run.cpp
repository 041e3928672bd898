#include "lasso/run/lasso_run.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "lasso/problem/payloads.hpp"
#include "lasso/report/covariate_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "lasso/solver/block_memory.hpp"
#include "regression/raw_columns.hpp"
#include "strads/engine/role_limits.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::lasso {
namespace {

/// Largest absolute value of a column in the rows that take part.
double largest_of(const Dataset& data, VarId column) {
  const ColumnsView& view = data.columns();
  std::vector<double> values(view.rows, 0.0);
  add_raw_column(view, column, 1, 0, values);
  for (const std::uint32_t row : view.dropped_rows) values[row] = 0;
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Why such a column takes no part, as its largest value tells.
std::string why_lost(double largest, bool scale) {
  constexpr double kSquareIsFinite = 1e145, kSquareIsNormal = 1e-145;
  if (largest > kSquareIsFinite || largest < kSquareIsNormal) {
    const bool large = largest > kSquareIsFinite;
    return "its largest value is " + short_text(largest) + ", whose square is too " + (large ? "large" : "small") +
           " for double precision: " + (large ? "divide" : "multiply") + " it by a constant";
  }
  return std::string("they vary by less than 1e-11 of their size, or their norms") +
         (scale ? "" : ", with --scale off their squares,") + " cannot be represented: shift or rescale them";
}

}  // namespace

LassoRun::LassoRun(std::string command, FitOptions options, const OptionTable& table)
    : ProgramRun(std::move(command), options, table), options_(std::move(options)) {}

Status LassoRun::load() {
  const Stopwatch watch;
  STRADS_ASSIGN_OR_RETURN(datasets_, read_data());
  dataset_ = datasets_.front();
  facts().seconds_load = watch.seconds();
  note_what_was_read();
  return {};
}

void LassoRun::note_what_was_read() {
  for (const auto& file : dataset_->files()) log_.info("read " + file);
  std::set<std::string> noted;  // traits say the same about what they share
  for (const auto& dataset : datasets_) {
    const std::string whose = datasets_.size() == 1 ? "" : std::string(dataset->response_name()) + ": ";
    for (const auto& warning : dataset->warnings()) {
      if (noted.insert(warning).second) report_note(warning);
    }
    for (const auto& dropped : dataset->dropped_samples()) {
      report_note(whose + std::to_string(dropped.count) + " samples left out: " + dropped.reason);
    }
    for (const auto& dropped : dataset->dropped_variables()) {
      report_note(whose + std::to_string(dropped.count) + " variables left out: " + dropped.reason);
    }
    const auto& view = dataset->columns();
    if (const std::string ridge = ridge_text(options_, problem_count(), view.columns); !ridge.empty()) {
      if (noted.insert(ridge).second) report_note(ridge);
    }
    log_.info(whose + std::to_string(view.samples()) + " samples x " + std::to_string(view.columns) +
              " variables, loaded in " + short_text(facts().seconds_load, 3) + " s, kernels " +
              std::string(simd_name()));
  }
}

Result<RunList> LassoRun::prepare(bool /*on_driver*/) {
  if (Status loaded = load(); !loaded.ok()) return loaded;
  if (Status roles = check_roles(options_.engine, dataset_->columns().columns); !roles.ok()) return roles;
  begin_solving();
  if (options_.host == nullptr) keep_block_memory();
  return make_runs();
}

Result<RoundListener> LassoRun::listen_to_rounds() {
  if (options_.trace_rounds.empty()) return RoundListener();
  STRADS_ASSIGN_OR_RETURN(rounds_, RoundTrace::open(options_.trace_rounds));
  return RoundListener([this](const RoundRecord& round) { rounds_->record(round); });
}

void LassoRun::note_covariates(const LassoData& data, const std::string& whose) {
  const CovariateFacts covariates = covariate_facts(data);
  if (!covariates.any()) return;
  const std::string line = covariate_line(covariates);
  if (line != covariates_noted_) report_note(whose + line);
  covariates_noted_ = line;
}

void LassoRun::note_lost(std::span<const VarId> variables) {
  if (variables.empty() || lost_is_noted_) return;
  lost_is_noted_ = true;
  report_note(lost_text(variables));
}

std::string LassoRun::lost_text(std::span<const VarId> variables) const {
  const auto name = std::string(dataset_->variable(variables[0]).id);
  return "columns that vary and yet count as constant: " + std::to_string(variables.size()) + ", the first is " +
         (name.empty() ? "column " + std::to_string(std::uint64_t{variables[0]} + 1) : "'" + name + "'") + "; " +
         why_lost(largest_of(*dataset_, variables[0]), options_.lasso.scale);
}

void LassoRun::count_unrepresented(const Solution& solution) {
  unrepresented_ += unrepresented(solution);
}

void LassoRun::note_unrepresented() {
  if (unrepresented_ == 0) return;
  report_note("beyond double precision in units of the data, and written as 0 or inf: " +
              with_unit(unrepresented_, "coefficient", "coefficients") + "; rescale the response or these columns");
}

void LassoRun::keep(std::vector<Solution>& path, const Solution& solution, const std::string& name,
                    const std::string& more) {
  const std::lock_guard lock(mutex_);
  if (solution.index < path.size()) return;
  log_.info(
      name + " = " + short_text(solution.lambda) + ": " + with_unit(solution.variables.size(), "nonzero", "nonzeros") +
      ", objective " + short_text(solution.certificate.objective, 10) + ", relative gap " +
      short_text(solution.certificate.relative_gap, 3) + (solution.certificate.converged ? "" : ", tolerance not met") +
      ", " + with_unit(solution.phases, "phase", "phases") + more);
  path.push_back(solution);
  path.back().seconds = solving_.seconds();
}

void LassoRun::log_barrier(const ProgressEvent& event) {
  if (event.kind == ProgressEvent::Kind::commit) return;
  const bool started = event.kind == ProgressEvent::Kind::started;
  log_.info(
      started ? "columns scanned"
              : std::string(event.verified ? "verified" : "barrier") + " after round " +
                    std::to_string(event.totals.rounds) + ": objective " + short_text(event.certificate.objective, 10) +
                    ", relative gap " + short_text(event.certificate.relative_gap, 4) + ", nonzeros " +
                    std::to_string(event.certificate.nonzeros) + ", blocks at once " + std::to_string(event.blocks));
}

}  // namespace strads::lasso
