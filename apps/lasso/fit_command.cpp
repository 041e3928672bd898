#include "lasso/fit_command.hpp"

#include <atomic>
#include <cstdio>
#include <memory>

#include "lasso/output.hpp"

namespace strads::lasso {
namespace {

/// One fit from options to files. Every step returns early with the failure's status; the log tells the same story.
/// Shared, since on a cluster the data are loaded by a thread that may outlive an interrupted run.
class Fit : public std::enable_shared_from_this<Fit> {
 public:
  Fit(FitOptions options, const OptionTable& table)
      : options_(std::move(options)), config_(table.config()), config_for_nodes_(table.config(kExecutionSections)) {}

  Status run() {
    if (Status opened = open_directory(); !opened.ok()) return opened;
    Status outcome = load_solve_write();
    if (!outcome.ok() && !outcome.message().empty()) {
      log_.error(outcome.message());
      // The error that is being reported matters more than a log that cannot be written.
      (void)directory_.write(kLogFile, log_.text());
    }
    if (is_loading_) end_program("lasso", outcome);
    return outcome;
  }

 private:
  Status open_directory() {
    if (options_.common.out.empty()) return {};
    const std::vector<std::string> own = {kCoefficientsFile, kTraceFile, kConfigFile, kLogFile, kModelFile};
    auto directory = RunDirectory::open(options_.common.out, options_.common.force, own);
    if (!directory.ok()) return directory.status();
    directory_ = std::move(directory).value();
    return directory_.write(kConfigFile, config_);
  }

  Status load_solve_write() {
    log_.info("lasso fit, strads " + std::string(version()) + ", build " + build_id());
    if (Status ran = options_.cluster.wanted() ? on_cluster() : embedded(); !ran.ok()) return ran;
    if (Status kept = keep_solution(); !kept.ok()) return kept;
    if (Status written = write(); !written.ok()) return written;
    const auto lines = closing_lines(options_, result_, directory_);
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    return result_.tolerance_met ? Status() : Status(StatusCode::stopped, "");
  }

  Status load() {
    const Stopwatch watch;
    auto dataset = load_dataset(options_.input);
    if (!dataset.ok()) return dataset.status();
    dataset_ = std::move(dataset).value();
    result_.seconds_load = watch.seconds();
    for (const auto& file : dataset_->files()) log_.info("read " + file);
    for (const auto& dropped : dataset_->dropped_samples()) {
      if (dropped.count > 0) note(std::to_string(dropped.count) + " samples left out: " + dropped.reason);
    }
    const auto& view = dataset_->columns();
    log_.info(std::to_string(view.samples()) + " samples x " + std::to_string(view.columns) + " variables, loaded in " +
              short_text(result_.seconds_load, 3) + " s, kernels " + std::string(simd_name()));
    return {};
  }

  Result<std::shared_ptr<Model>> prepare() {
    if (Status loaded = load(); !loaded.ok()) return loaded;
    solving_ = Stopwatch();  // from here on the time counts as seconds_solve
    is_solving_ = true;
    auto data = prepare_lasso(dataset_, options_.lasso);
    if (!data.ok()) return data.status();
    result_.data = std::move(data).value();
    return make_lasso_model(result_.data, options_.lasso);
  }

  Status embedded() {
    if (Status fixed = use_simd(options_.machine.simd); !fixed.ok()) return fixed;
    auto model = prepare();
    if (!model.ok()) return model.status();
    if (Status logged = directory_.write(kLogFile, log_.text()); !logged.ok()) return logged;
    auto progress = ProgressPrinter::for_stderr(options_.common.quiet);
    const EmbeddedOptions how{options_.machine.threads, options_.machine.encode_messages};
    result_.run = run_embedded(
        model.value(), options_.engine, how, [&](const ProgressEvent& event) { return observe(event, progress); },
        [this] { return should_finish(); });
    progress.finish();
    return result_.run.end.status;
  }

  /// The driver's own data serve for the response, names and the coefficients' scale; its nodes load for themselves.
  Status on_cluster() {
    const Stopwatch starting;
    auto progress = ProgressPrinter::for_stderr(options_.common.quiet);
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
    const auto make_model = [self = shared_from_this(), starting] {
      self->is_loading_ = true;
      self->result_.seconds_start = starting.seconds();
      return self->prepare();
    };
    auto run = run_cluster(make_model, options_.engine, options_.machine, options_.cluster,
                           {"lasso fit", config_for_nodes_}, std::move(hooks));
    progress.finish();
    result_.run = {run.end, run.traffic, run.worker_wait_share};
    result_.cluster = std::move(run);
    if (result_.run.end.status.ok() && result_.run.end.statuses.empty()) {
      return {StatusCode::stopped, "stopped before the first round: there is nothing to write"};
    }
    return result_.run.end.status;
  }

  bool should_finish() const {
    return finish_requested() ||
           (options_.max_seconds > 0 && is_solving_ && solving_.seconds() >= options_.max_seconds);
  }

  bool observe(const ProgressEvent& event, ProgressPrinter& progress) {
    const double seconds = solving_.seconds();
    trace_.record(event, seconds);
    progress.show(event, seconds);
    log_event(event);
    return should_finish();
  }

  Status keep_solution() {
    result_.solution = solution_of(result_.run.end);
    if (result_.cluster.has_value()) {
      // No role runs in this process, so nobody has looked at these columns here.
      SerialChunks serial;
      result_.data->columns->scan(result_.solution.variables, serial);
    }
    result_.original = original_scale(*result_.data, result_.solution);
    result_.beta_hash = beta_hash(result_.solution, dataset_->columns().columns);
    if (result_.data->unpenalised.any()) add_unpenalised(*result_.data, result_.solution, result_.original);
    result_.seconds_solve = solving_.seconds();
    judge_end();
    return {};
  }

  void judge_end() {
    const auto& certificate = result_.run.end.certificate;
    const auto& totals = result_.run.end.totals;
    result_.tolerance_met = certificate.gap >= 0 && certificate.gap <= options_.lasso.tolerance * certificate.objective;
    result_.stop_reason = result_.run.end.stop_reason;
    const bool cut_short = !result_.tolerance_met && !certificate.converged;
    if (cut_short && finish_requested()) {
      result_.stop_reason = "signal";
    } else if (cut_short && options_.engine.rounds_max > 0 && totals.rounds >= options_.engine.rounds_max) {
      result_.stop_reason = "max_rounds";
    } else if (cut_short && options_.max_seconds > 0 && result_.seconds_solve >= options_.max_seconds) {
      result_.stop_reason = "max_seconds";
    }
    log_.info("end: " + result_.stop_reason + ", relative gap " + short_text(certificate.relative_gap, 4) + ", " +
              std::to_string(result_.solution.variables.size()) + " nonzeros, beta_hash " + result_.beta_hash);
  }

  Status write() {
    if (!directory_.exists()) return {};
    const auto model = fitted_model(result_);
    if (Status done = directory_.write(kCoefficientsFile, coefficients_table(result_, model)); !done.ok()) return done;
    if (model.has_alleles) {
      const auto name = frequency_file(options_.input.bfile);
      if (Status done = directory_.write(name, frequency_table(result_, model)); !done.ok()) return done;
    }
    if (Status done = directory_.write(kTraceFile, trace_.csv()); !done.ok()) return done;
    if (Status done = write_model(directory_.path_of(kModelFile), model); !done.ok()) return done;
    directory_.note_file(kModelFile);
    if (Status done = directory_.write(kLogFile, log_.text()); !done.ok()) return done;
    return directory_.finish(summary_of(options_, result_));
  }

  void note(const std::string& text) {
    log_.warn(text);
    if (!options_.common.quiet) print_note("lasso", text);
  }

  void log_event(const ProgressEvent& event) {
    if (event.kind == ProgressEvent::Kind::commit) return;
    const bool started = event.kind == ProgressEvent::Kind::started;
    log_.info(started ? "columns scanned"
                      : std::string(event.verified ? "verified" : "barrier") + " after round " +
                            std::to_string(event.totals.rounds) + ": objective " +
                            short_text(event.certificate.objective, 10) + ", relative gap " +
                            short_text(event.certificate.relative_gap, 4) + ", nonzeros " +
                            std::to_string(event.certificate.nonzeros) + ", blocks at once " +
                            std::to_string(event.blocks));
  }

  FitOptions options_;
  std::string config_;
  std::string config_for_nodes_;
  RunDirectory directory_;
  Log log_;
  Trace trace_;
  std::shared_ptr<const Dataset> dataset_;
  FitResult result_;
  Stopwatch solving_;
  // On a cluster the data are loaded on another thread.
  std::atomic<bool> is_loading_{false};  ///< that thread may be at work
  std::atomic<bool> is_solving_{false};  ///< `solving_` may be read
};

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  const bool prints_only = options.common.help || options.common.help_all || options.common.version;
  if (prints_only) return answered(table, options.common, "lasso") ? Status() : Status::internal("no answer");
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  if (answered(table, options.common, "lasso")) return {};  // --print-config, once it is known to make sense
  install_signal_handlers();
  return std::make_shared<Fit>(options, table)->run();
}

}  // namespace strads::lasso
