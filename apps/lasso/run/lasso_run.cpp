#include "lasso/run/lasso_run.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "lasso/model/payloads.hpp"
#include "lasso/model/unrepresented.hpp"
#include "lasso/output/covariate_facts.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"
#include "lasso/run/warm_start.hpp"
#include "lasso/solver/block_memory.hpp"
#include "strads/engine/role_limits.hpp"

namespace strads::lasso {

namespace {

/// For people: why zeros are the solution at every lambda.
std::string why_zero(const LassoData& data, const Start& problem, const LassoOptions& options) {
  if (*data.response.nothing_left != '\0') return std::string("the response ") + data.response.nothing_left;
  if (problem.kept == 0) {
    return "no column is left, " + std::to_string(problem.constant) + " are constant" +
           (problem.collinear > 0 ? ", " + std::to_string(problem.collinear) + " are explained by what has no penalty"
                                  : "");
  }
  return options.nonnegative ? "no column rises with the response" : "the response is orthogonal to every column";
}

}  // namespace

LassoRun::LassoRun(std::string command, FitOptions options, const OptionTable& table)
    : ProgramRun(std::move(command), options, table), options_(std::move(options)) {}

Result<std::vector<std::shared_ptr<const Dataset>>> LassoRun::read_data() {
  auto dataset = load_dataset(options_.input);
  if (!dataset.ok()) return dataset.status();
  return std::vector<std::shared_ptr<const Dataset>>{std::move(dataset).value()};
}

Status LassoRun::load() {
  const Stopwatch watch;
  auto datasets = read_data();
  if (!datasets.ok()) return datasets.status();
  datasets_ = std::move(datasets).value();
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
      if (noted.insert(warning).second) note(warning);
    }
    for (const auto& dropped : dataset->dropped_samples()) {
      note(whose + std::to_string(dropped.count) + " samples left out: " + dropped.reason);
    }
    for (const auto& dropped : dataset->dropped_variables()) {
      note(whose + std::to_string(dropped.count) + " variables left out: " + dropped.reason);
    }
    const auto& view = dataset->columns();
    if (const std::string ridge = ridge_text(options_, problem_count(), view.columns); !ridge.empty()) {
      if (noted.insert(ridge).second) note(ridge);
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
  auto data = prepare_lasso(dataset_, options_.lasso);
  if (!data.ok()) return data.status();
  facts().data = std::move(data).value();
  note_covariates(*facts().data, "");
  if (options_.lasso.warm_start != nullptr) {
    note(warm_start_text(facts().data->start, dataset_->columns().samples()));
  }
  return make_runs();
}

Result<RoundListener> LassoRun::listen_to_rounds() {
  if (options_.trace_rounds.empty()) return RoundListener();
  auto opened = RoundTrace::open(options_.trace_rounds);
  if (!opened.ok()) return opened.status();
  rounds_ = std::move(opened).value();
  return RoundListener([this](const RoundRecord& round) { rounds_->record(round); });
}

void LassoRun::note_covariates(const LassoData& data, const std::string& whose) {
  const CovariateFacts covariates = covariate_facts(data);
  if (!covariates.any()) return;
  const std::string line = covariate_line(covariates);
  if (line != covariates_noted_) note(whose + line);
  covariates_noted_ = line;
}

void LassoRun::look_at(std::span<const VarId> variables) {
  if (!facts().cluster.has_value()) return;
  SerialChunks serial;
  facts().data->columns->scan(variables, serial);
}

Status LassoRun::check(const LassoData& data, const RunEnd& end, std::span<const SolutionClaim> claims,
                       std::optional<double> l1_ratio, const std::string& part) {
  // A run that diverged, which is said, has figures that mean nothing, and maybe no numbers.
  if (claims.empty() || end.stop_reason == "diverged" || end.certificate.gap < 0) return {};
  const Stopwatch watch;
  const auto threads = make_threads(options_.machine.threads);
  LassoOptions lasso = options_.lasso;
  lasso.l1_ratio = l1_ratio.value_or(lasso.l1_ratio);
  SolutionCheck own(data.dataset, lasso, *threads, facts().cluster.has_value());
  const bool quiet = options_.common.quiet || options_.host != nullptr;
  if (!checking_) checking_ = ProgressPrinter::for_stderr(quiet);
  own.tell([&](double done, double of) {
    const auto line = [&] {
      return "checking what was found against the data: " + std::to_string(std::lround(100 * done / of)) + " %";
    };
    checking_->show_text(line, facts().seconds_check + watch.seconds());
  });
  const auto problem = read_fields<Start>(end.problem.values);
  Status compared = own.compare({problem.lambda_max, problem.response_squared}, claims);
  checking_->finish();
  facts().seconds_check += watch.seconds();
  if (compared.ok() && problem.kept == 0 && !own.lost().empty()) {
    return Status::input((part.empty() ? "" : part + ": ") + "no column takes part; " + lost_text(own.lost()));
  }
  note_lost(own.lost());
  if (compared.ok() && problem.lambda_max == 0) all_zero_[why_zero(data, problem, lasso)].insert(part);
  return compared;
}

void LassoRun::note_zeros() {
  constexpr std::size_t kPartsShown = 4;
  for (const auto& [reason, parts] : all_zero_) {
    std::string of;
    std::size_t shown = 0;
    for (const std::string& part : parts) {
      if (part.empty() || shown++ >= kPartsShown) continue;
      of += (of.empty() ? " (" : "; ") + part;
    }
    if (shown > kPartsShown) of += " and " + std::to_string(shown - kPartsShown) + " more";
    note("all coefficients are 0 at every lambda (lambda_max is 0): " + reason + (of.empty() ? "" : of + ")"));
  }
}

void LassoRun::note_lost(std::span<const VarId> variables) {
  if (variables.empty() || lost_is_noted_) return;
  lost_is_noted_ = true;
  note(lost_text(variables));
}

std::string LassoRun::lost_text(std::span<const VarId> variables) const {
  const auto name = std::string(dataset_->variable(variables[0]).id);
  return "columns that vary and yet count as constant: " + std::to_string(variables.size()) + ", the first is " +
         (name.empty() ? "column " + std::to_string(std::uint64_t{variables[0]} + 1) : "'" + name + "'") +
         "; they vary by less than 1e-11 of their size, or their norms" +
         (options_.lasso.scale ? "" : ", with --scale off their squares,") +
         " cannot be represented: shift or rescale them";
}

void LassoRun::count_unrepresented(const LassoSolution& solution, const OriginalScale& original) {
  unrepresented_ += unrepresented(solution, original);
}

void LassoRun::note_unrepresented() {
  if (unrepresented_ == 0) return;
  note("beyond double precision in units of the data, and written as 0 or inf: " +
       with_unit(unrepresented_, "coefficient", "coefficients") + "; rescale the response or these columns");
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
