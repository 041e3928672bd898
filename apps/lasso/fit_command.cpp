#include "lasso/fit_command.hpp"

#include <array>
#include <cstdio>

#include "lasso/output.hpp"

namespace strads::lasso {
namespace {

/// One fit from options to files. Every step returns early with the failure's status; the log tells the same story.
class Fit {
 public:
  Fit(FitOptions options, const OptionTable& table) : options_(std::move(options)), config_(table.config()) {}

  Status run() {
    if (Status opened = open_directory(); !opened.ok()) return opened;
    Status outcome = load_solve_write();
    if (!outcome.ok() && !outcome.message().empty()) {
      log_.error(outcome.message());
      // The error that is being reported matters more than a log that cannot be written.
      (void)directory_.write(kLogFile, log_.text());
    }
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
    log_.info("lasso fit, strads " + std::string(version()) + ", kernels " + std::string(simd_name()));
    if (Status loaded = load(); !loaded.ok()) return loaded;
    if (Status solved = solve(); !solved.ok()) return solved;
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
              short_text(result_.seconds_load, 3) + " s");
    return directory_.write(kLogFile, log_.text());
  }

  Status solve() {
    const Stopwatch watch;
    auto data = prepare_lasso(dataset_, options_.lasso);
    if (!data.ok()) return data.status();
    result_.data = std::move(data).value();
    const auto model = make_lasso_model(result_.data, options_.lasso);
    auto progress = ProgressPrinter::for_stderr(options_.common.quiet);
    const auto should_finish = [&] {
      return finish_requested() || (options_.max_seconds > 0 && watch.seconds() >= options_.max_seconds);
    };
    const auto observe = [&](const ProgressEvent& event) {
      const double seconds = watch.seconds();
      trace_.record(event, seconds);
      progress.show(event, seconds);
      log_event(event);
      return should_finish();
    };
    const EmbeddedOptions embedded{options_.machine.threads, options_.machine.encode_messages};
    result_.run = run_embedded(model, options_.engine, embedded, observe, should_finish);
    progress.finish();
    if (!result_.run.end.status.ok()) return result_.run.end.status;
    result_.solution = solution_of(result_.run.end);
    result_.original = original_scale(*result_.data, result_.solution);
    result_.beta_hash = beta_hash(result_.solution, dataset_->columns().columns);
    result_.seconds_solve = watch.seconds();
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
  RunDirectory directory_;
  Log log_;
  Trace trace_;
  std::shared_ptr<const Dataset> dataset_;
  FitResult result_;
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
  if (Status fixed = use_simd(options.machine.simd); !fixed.ok()) return fixed;
  install_signal_handlers();
  return Fit(options, table).run();
}

}  // namespace strads::lasso
