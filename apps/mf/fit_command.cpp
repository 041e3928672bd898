#include "mf/fit_command.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <utility>

#include "mf/fit_data.hpp"
#include "mf/output.hpp"
#include "strads/columns.hpp"

namespace strads::mf {
namespace {

/// One fit from options to files. Every step returns early with the failure's status; the log tells the same story.
/// Shared, since on a cluster the ratings are loaded by a thread that may outlive an interrupted run.
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
    if (is_loading_) end_program("mf", outcome);
    return outcome;
  }

 private:
  Status open_directory() {
    if (options_.common.out.empty()) return {};
    const std::vector<std::string> own = {kFactorsFile[0], kFactorsFile[1], kIdsFile[0], kIdsFile[1],
                                          kBiasesFile,     kTraceFile,      kConfigFile, kLogFile};
    auto directory = RunDirectory::open(options_.common.out, options_.common.force, own);
    if (!directory.ok()) return directory.status();
    directory_ = std::move(directory).value();
    return directory_.write(kConfigFile, config_);
  }

  Status load_solve_write() {
    log_.info("mf fit, strads " + std::string(version()) + ", build " + build_id());
    threads_ = make_threads(options_.machine.threads);
    if (Status ran = options_.cluster.wanted() ? on_cluster() : embedded(); !ran.ok()) return ran;
    keep_solution();
    if (Status written = write(); !written.ok()) return written;
    const auto lines = closing_lines(options_, result_, directory_);
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    return result_.finished ? Status() : Status(StatusCode::stopped, "");
  }

  Status load(const std::function<void(double)>& progress) {
    const Stopwatch watch;
    auto data = load_mf(options_.input, threads_, progress);
    if (!data.ok()) return data.status();
    result_.data = std::move(data).value();
    result_.seconds_load = watch.seconds();
    const MfData& loaded = *result_.data;
    const Ratings& ratings = *loaded.ratings;
    log_.info("read " + options_.input.path);
    if (!options_.input.test_path.empty()) log_.info("read " + options_.input.test_path);
    if (ratings.duplicates > 0) {
      note(std::to_string(ratings.duplicates) + " ratings of pairs that were rated before: --duplicates " +
           options_.duplicates);
    }
    if (ratings.test_unknown > 0) {
      note(std::to_string(ratings.test_unknown) +
           " test ratings have a user or an item without training ratings: the "
           "mean and the known bias are predicted");
    }
    log_.info(std::to_string(loaded.size(Side::users)) + " users x " + std::to_string(loaded.size(Side::items)) +
              " items; ratings: " + std::to_string(loaded.train_size) + " training, " +
              std::to_string(ratings.validation.size()) + " validation, " +
              std::to_string(ratings.test.size() + ratings.strangers.size()) + " test; loaded in " +
              short_text(result_.seconds_load, 3) + " s, kernels " + std::string(simd_name()));
    return {};
  }

  Result<std::shared_ptr<Model>> prepare(const std::function<void(double)>& progress) {
    if (Status loaded = load(progress); !loaded.ok()) return loaded;
    solving_ = Stopwatch();  // from here on the time counts as seconds_solve
    is_solving_ = true;
    return make_mf_model(result_.data, options_.mf, options_.engine, false);
  }

  [[nodiscard]] ProgressPrinter printer() {
    return ProgressPrinter::for_stderr(options_.common.quiet, [this](const ProgressEvent& event, double seconds) {
      return progress_line(event, seconds, result_.data->train_size);
    });
  }

  Status embedded() {
    if (Status fixed = use_simd(options_.machine.simd); !fixed.ok()) return fixed;
    const Stopwatch reading;
    auto reads = ProgressPrinter::for_stderr(options_.common.quiet);
    auto model = prepare([&](double share) {
      const auto text = [share] { return "reading ratings: " + short_text(100 * share, 3) + " %"; };
      reads.show_text(text, reading.seconds());
    });
    reads.finish();
    if (!model.ok()) return model.status();
    if (Status logged = directory_.write(kLogFile, log_.text()); !logged.ok()) return logged;
    auto progress = printer();
    const EmbeddedOptions how{options_.machine.threads, options_.machine.encode_messages};
    result_.run = run_embedded(
        model.value(), options_.engine, how, [&](const ProgressEvent& event) { return observe(event, progress); },
        [this] { return should_finish(); });
    progress.finish();
    return result_.run.end.status;
  }

  /// The driver's own ratings serve for ids, counts and the test errors; its nodes load for themselves.
  Status on_cluster() {
    const Stopwatch starting;
    auto progress = printer();
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
    const auto make_model = [self = shared_from_this(), starting]() -> Result<std::shared_ptr<Model>> {
      self->is_loading_ = true;
      self->result_.seconds_start = starting.seconds();
      auto model = self->prepare({});
      if (model.ok()) self->result_.data->train.reset();  // no role runs here
      return model;
    };
    auto run = run_cluster(make_model, options_.engine, options_.machine, options_.cluster,
                           {"mf fit", config_for_nodes_}, std::move(hooks));
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

  void keep_solution() {
    result_.solution = solution_of(*result_.data, options_.mf, result_.run.end);
    result_.run.end.statuses.clear();
    result_.model_hash = model_hash(result_.solution);
    result_.model = factor_model(*result_.data, result_.solution, options_.mf.clip);
    result_.test = test_quality(result_.model, *result_.data->ratings, *threads_);
    result_.seconds_solve = solving_.seconds();
    judge_end();
  }

  void judge_end() {
    const auto& end = result_.run.end;
    result_.finished = end.certificate.converged;
    result_.stop_reason = end.stop_reason;
    if (!result_.finished && finish_requested()) {
      result_.stop_reason = "signal";
    } else if (!result_.finished && options_.engine.rounds_max > 0 && end.totals.rounds >= options_.engine.rounds_max) {
      result_.stop_reason = "max_rounds";
    } else if (!result_.finished && options_.max_seconds > 0 && result_.seconds_solve >= options_.max_seconds) {
      result_.stop_reason = "max_seconds";
    }
    log_.info("end: " + result_.stop_reason + " after " + std::to_string(result_.solution.sweeps) +
              " sweeps, objective " + short_text(result_.solution.objective, 10) + ", model_hash " +
              result_.model_hash);
  }

  Status write() {
    if (!directory_.exists()) return {};
    if (Status done = write_factor_model(directory_, result_.model); !done.ok()) return done;
    if (Status done = directory_.write(kTraceFile, trace_.csv()); !done.ok()) return done;
    if (Status done = directory_.write(kLogFile, log_.text()); !done.ok()) return done;
    return directory_.finish(summary_of(options_, result_));
  }

  void note(const std::string& text) {
    log_.warn(text);
    if (!options_.common.quiet) print_note("mf", text);
  }

  void log_event(const ProgressEvent& event) {
    const auto& figures = event.certificate.figures;
    if (event.kind != ProgressEvent::Kind::barrier || figures.size() < kFigures) return;
    if (figures[kFigureEndsSweep] == 0 && !event.verified) return;
    log_.info((event.verified ? "kept: " : "") + progress_line(event, solving_.seconds(), result_.data->train_size));
  }

  FitOptions options_;
  std::string config_;
  std::string config_for_nodes_;
  std::shared_ptr<Chunks> threads_;
  RunDirectory directory_;
  Log log_;
  Trace trace_{trace_columns()};
  FitResult result_;
  Stopwatch solving_;
  // On a cluster the ratings are loaded on another thread.
  std::atomic<bool> is_loading_{false};  ///< that thread may be at work
  std::atomic<bool> is_solving_{false};  ///< `solving_` may be read
};

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  const bool prints_only = options.common.help || options.common.help_all || options.common.version;
  if (prints_only) return answered(table, options.common, "mf") ? Status() : Status::internal("no answer");
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  if (answered(table, options.common, "mf")) return {};  // --print-config, once it is known to make sense
  install_signal_handlers();
  return std::make_shared<Fit>(options, table)->run();
}

}  // namespace strads::mf
