#include "lasso/run/lasso_run.hpp"

#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "lasso/model/payloads.hpp"
#include "lasso/model/unrepresented.hpp"
#include "lasso/output/covariate_facts.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/round_trace.hpp"
#include "lasso/output/run_summary.hpp"
#include "strads/engine/role_limits.hpp"
#include "strads/transport/embedded_rounds.hpp"

namespace strads::lasso {

LassoRun::LassoRun(std::string command, FitOptions options, const OptionTable& table)
    : options_(std::move(options)),
      command_(std::move(command)),
      config_(table.config()),
      config_for_nodes_(table.config(kExecutionSections)) {}

Status LassoRun::run() {
  if (Status opened = open_directory(); !opened.ok()) return opened;
  Status outcome = load_solve_write();
  if (!outcome.ok() && !outcome.message().empty()) {
    log_.error(outcome.message());
    directory_.keep_log_of_failure(log_.text());
  }
  if (!is_loading_) return outcome;
  if (live_ != nullptr) live_->finish();
  directory_ = {};  // no destructor runs any more
  end_program("lasso", outcome);
}

Status LassoRun::open_directory() {
  if (options_.common.out.empty()) return {};
  auto directory = RunDirectory::open(options_.common.out, options_.common.force, own_files());
  if (!directory.ok()) return directory.status();
  directory_ = std::move(directory).value();
  live_ = directory_.live_files();
  log_.show(live_, kLogFile);
  trace().show(live_, kTraceFile);
  return {};
}

Status LassoRun::load_solve_write() {
  log_.info(command_ + ", strads " + std::string(version()) + ", build " + build_id());
  if (Status ran = options_.cluster.wanted() ? on_cluster() : embedded(); !ran.ok()) return ran;
  if (Status written = directory_.write(kConfigFile, config_); !written.ok()) return written;
  return conclude();
}

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
      if (dropped.count > 0) note(whose + std::to_string(dropped.count) + " samples left out: " + dropped.reason);
    }
    const auto& view = dataset->columns();
    log_.info(whose + std::to_string(view.samples()) + " samples x " + std::to_string(view.columns) +
              " variables, loaded in " + short_text(facts().seconds_load, 3) + " s, kernels " +
              std::string(simd_name()));
  }
}

Result<std::shared_ptr<Model>> LassoRun::prepare() {
  if (Status loaded = load(); !loaded.ok()) return loaded;
  if (Status roles = check_roles(options_.engine, dataset_->columns().columns); !roles.ok()) return roles;
  solving_ = Stopwatch();  // from here on the time counts as seconds_solve
  is_solving_ = true;
  auto data = prepare_lasso(dataset_, options_.lasso);
  if (!data.ok()) return data.status();
  facts().data = std::move(data).value();
  note_covariates(*facts().data, "");
  return make_model();
}

Status LassoRun::embedded() {
  if (Status fixed = use_simd(options_.machine.simd); !fixed.ok()) return fixed;
  std::optional<RoundTrace> rounds;
  if (!options_.trace_rounds.empty()) {
    auto opened = RoundTrace::open(options_.trace_rounds);
    if (!opened.ok()) return opened.status();
    rounds = std::move(opened).value();
  }
  auto model = prepare();
  if (!model.ok()) return model.status();
  auto progress = ProgressPrinter::for_stderr(options_.common.quiet, progress_line());
  const EmbeddedOptions how{options_.machine.threads, options_.machine.encode_messages};
  RoundListener listener;
  if (rounds.has_value()) listener = [&](const RoundRecord& round) { rounds->record(round); };
  facts().run = run_embedded(
      model.value(), options_.engine, how, listener,
      [&](const ProgressEvent& event) { return observe(event, progress) || (rounds.has_value() && !rounds->ok()); },
      [this] { return should_finish(); });
  progress.finish();
  const Status& outcome = facts().run.end.status;
  return outcome.ok() && rounds.has_value() ? rounds->finish() : outcome;
}

/// The driver's own data serve for the response, names and the coefficients' scale; its nodes load for themselves.
Status LassoRun::on_cluster() {
  const Stopwatch starting;
  auto progress = ProgressPrinter::for_stderr(options_.common.quiet, progress_line());
  DriverHooks hooks;
  hooks.say = [&](const std::string& line, bool important) {
    progress.finish();
    important ? note(line) : log_.info(line);
  };
  hooks.observe = [&](const ProgressEvent& event) {
    is_loading_ = false;
    return observe(event, progress);
  };
  hooks.finish_requested = [this] { return should_finish(); };
  const auto make = [self = shared_from_this(), starting] {
    self->is_loading_ = true;
    self->facts().seconds_start = starting.seconds();
    return self->prepare();
  };
  auto run = run_cluster(make, options_.engine, options_.machine, options_.cluster, {command_, config_for_nodes_},
                         std::move(hooks));
  progress.finish();
  facts().run = {run.end, run.traffic, run.worker_wait_share};
  facts().cluster = std::move(run);
  const RunEnd& end = facts().run.end;
  if (end.status.ok() && end.statuses.empty()) {
    return {StatusCode::stopped, "stopped before the first round: there is nothing to write"};
  }
  return end.status;
}

bool LassoRun::should_finish() const {
  return finish_requested() || (options_.max_seconds > 0 && is_solving_ && solving_.seconds() >= options_.max_seconds);
}

bool LassoRun::observe(const ProgressEvent& event, ProgressPrinter& progress) {
  const double seconds = solving_.seconds();
  note_event(event, seconds);
  progress.show(event, seconds);
  return should_finish();
}

void LassoRun::note(const std::string& text) {
  log_.warn(text);
  if (!options_.common.quiet) print_note("lasso", text);
}

void LassoRun::note_covariates(const LassoData& data, const std::string& whose) {
  const CovariateFacts covariates = covariate_facts(data);
  if (!covariates.any()) return;
  const std::string line = covariate_line(covariates);
  if (line != covariates_noted_) note(whose + line);
  covariates_noted_ = line;
}

std::string LassoRun::reason_of_end(const std::string& stop_reason) {
  if (stop_reason != "limit") return stop_reason;
  const RunEnd& end = facts().run.end;
  if (finish_requested()) return "signal";
  if (options_.engine.rounds_max > 0 && end.totals.rounds >= options_.engine.rounds_max) return "max_rounds";
  if (options_.max_seconds > 0 && facts().seconds_solve >= options_.max_seconds) return "max_seconds";
  return stop_reason;
}

void LassoRun::look_at(std::span<const VarId> variables) {
  if (!facts().cluster.has_value()) return;
  SerialChunks serial;
  facts().data->columns->scan(variables, serial);
}

Status LassoRun::check(const LassoData& data, const RunEnd& end, std::span<const SolutionClaim> claims) {
  // A run that diverged, which is said, has figures that mean nothing, and maybe no numbers.
  if (claims.empty() || end.stop_reason == "diverged" || end.certificate.gap < 0) return {};
  const Stopwatch watch;
  const auto threads = make_threads(options_.machine.threads);
  SolutionCheck own(data.dataset, options_.lasso, *threads, facts().cluster.has_value());
  if (!checking_) checking_ = ProgressPrinter::for_stderr(options_.common.quiet);
  own.tell([&](double done, double of) {
    const auto line = [&] {
      return "checking what was found against the data: " + std::to_string(std::lround(100 * done / of)) + " %";
    };
    checking_->show_text(line, facts().seconds_check + watch.seconds());
  });
  const auto& problem = end.problem.values;
  Status compared = own.compare({problem[kStartLambdaMax], problem[kStartResponseSquared]}, claims);
  checking_->finish();
  facts().seconds_check += watch.seconds();
  note_lost(own.lost());
  return compared;
}

void LassoRun::note_lost(std::span<const VarId> variables) {
  if (variables.empty() || lost_is_noted_) return;
  lost_is_noted_ = true;
  const auto name = std::string(dataset_->variable(variables[0]).id);
  note("columns that vary and yet count as constant: " + std::to_string(variables.size()) + ", the first is " +
       (name.empty() ? "column " + std::to_string(std::uint64_t{variables[0]} + 1) : "'" + name + "'") +
       "; they vary by less than 1e-11 of their size, or their norms cannot be represented: shift or rescale them");
}

void LassoRun::count_unrepresented(const LassoSolution& solution, const OriginalScale& original) {
  unrepresented_ += unrepresented(solution, original);
}

void LassoRun::note_unrepresented() {
  if (unrepresented_ == 0) return;
  note("beyond double precision in units of the data, and written as 0 or inf: " +
       with_unit(unrepresented_, "coefficient", "coefficients") + "; rescale the response or these columns");
}

Status LassoRun::finish_files(const Summary& summary) {
  if (live_ != nullptr) live_->finish();
  if (Status done = directory_.write(kTraceFile, trace().csv()); !done.ok()) return done;
  if (Status done = directory_.write(kLogFile, log_.text()); !done.ok()) return done;
  return directory_.finish(summary);
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
