#include "mf/commands/fit_command.hpp"

#include <memory>
#include <utility>

#include "mf/check/check_factors.hpp"
#include "mf/commands/commands.hpp"
#include "mf/commands/slim_command.hpp"
#include "mf/grid/fit_data.hpp"
#include "mf/options/slim_options.hpp"
#include "mf/output/output.hpp"
#include "mf/ranking/stop_lists.hpp"
#include "mf/run/engine_run.hpp"
#include "strads/program/float_memory.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/reports.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {
namespace {

class Fit final : public EngineRun {
 public:
  Fit(const FitOptions& options, const OptionTable& table) : EngineRun("mf fit", options, table) {}
  [[nodiscard]] FitResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    return {kFactorsFile[0], kFactorsFile[1], kIdsFile[0], kIdsFile[1], kBiasesFile, kTraceFile, kConfigFile, kLogFile};
  }

  Status load(const Progress& progress) override {
    const auto make_lists = [wanted = options_.mf.stop.wanted()](const Ratings& ratings, const RatingsInput& input) {
      return stop_lists_of(ratings, input, wanted);
    };
    STRADS_ASSIGN_OR_RETURN(result_.data, load_mf(options_.input, threads_, progress, make_lists));
    const MfData& loaded = *result_.data;
    const Ratings& ratings = *loaded.ratings;
    if (Status fits = check_blocks(loaded.size(Side::users), loaded.size(Side::items), options_.engine); !fits.ok()) {
      return fits;
    }
    note_input(ratings.duplicates, ratings.unended, ratings.notes);
    if (const std::string text = about_unit(loaded.unit); !text.empty()) report_note(text);
    if (ratings.test_unknown > 0) {
      report_note(std::to_string(ratings.test_unknown) +
                  " test ratings have a user or an item without training ratings: the "
                  "mean and the known bias are predicted");
    }
    log_.info(std::to_string(loaded.size(Side::users)) + " users x " + std::to_string(loaded.size(Side::items)) +
              " items; ratings: " + std::to_string(loaded.train_size) + " training, " +
              std::to_string(ratings.validation.size()) + " validation, " +
              std::to_string(ratings.test.size() + ratings.strangers.size()) + " test");
    return {};
  }

  Result<RunList> make_runs(bool /*on_driver*/) override {
    // On a driver its ratings stay, too: the factors are looked at with them.
    model_ = make_mf_model(result_.data, options_.mf, options_.engine, false);
    return single_run(model_);
  }

  [[nodiscard]] ProgressLine progress_text(const ProgressEvent& event, double seconds) const override {
    return line_of(event, seconds, swept_seconds_);
  }
  [[nodiscard]] ProgressLine line_of(const ProgressEvent& event, double seconds, double swept) const {
    const MfData& data = *result_.data;
    return progress_line(event, seconds, swept, data.train_size, options_.mf.stop,
                         sweeps_of(options_.mf, data.ratings->validation.size()));
  }

  [[nodiscard]] Trace* trace() override { return &trace_; }
  void note_event(const ProgressEvent& event, double seconds) override {
    trace_.record(event, seconds);
    const auto& figures = event.certificate.figures;
    if (event.kind != ProgressEvent::Kind::barrier || figures.size() < kFigures) return;
    if (figures[kFigureEndsSweep] == 0) return;
    swept_seconds_ = seconds;
    log_.info(line_of(event, seconds, seconds).text());
  }

  Status conclude() override {
    if (Status whole = check_reports(*result_.data, result_.run.end); !whole.ok()) return nothing_written(whole);
    keep_solution();
    if (!gives_numbers(result_.model)) {
      return {StatusCode::stopped,
              "predictions of these factors are too large for single precision, nothing is written: divide the ratings "
              "by a constant"};
    }
    if (Status checked = check(); !checked.ok()) return nothing_written(checked);
    tell_end();
    if (Status written = write(); !written.ok()) return written;
    return closed(closing_lines(options_, result_, directory_), result_.stop_reason == kStopUnread,
                  [this] { return summary_of(options_, result_); });
  }

  RunFacts& facts() override { return result_; }

  void keep_solution() {
    give_back_floats();  // pages of replicas, which went with their nodes
    result_.solution = solution_of(*result_.data, options_.mf, result_.run.end);
    result_.run.end.statuses.clear();
    give_back_floats();
    result_.model_hash = model_hash(result_.solution);
    result_.model = factor_model(*result_.data, result_.solution, options_.mf.clip);
    result_.test = test_quality(result_.model, *result_.data, *threads_);
    judge_end();
  }

  /// What is told of the factors from here on was recomputed.
  Status check() {
    const Stopwatch watch;
    Status checked = check_factors(*model_, result_.model, result_.solution, *threads_);
    model_.reset();
    result_.seconds_check += watch.seconds();
    return checked;
  }

  static Status nothing_written(const Status& why) {
    return {why.code(), why.message() + "; nothing was written. " + kReportThis};
  }

  void tell_end() {
    log_.info("end: " + result_.stop_reason + " after " + with_unit(result_.solution.sweeps, "sweep", "sweeps"));
    log_.info("kept: " + kept_text(result_.solution) + ", " + errors_text(result_.solution, result_.test) +
              ", model_hash " + result_.model_hash);
    note_failure();
  }

  Status write() {
    if (!directory_.exists()) return {};
    if (Status done = write_factor_model(directory_, result_.model); !done.ok()) return done;
    const Stopwatch watch;
    if (Status same = check_written(directory_, result_.model); !same.ok()) return same;
    result_.seconds_check += watch.seconds();
    return finish_files(summary_of(options_, result_));
  }

  Trace trace_{trace_columns()};
  std::shared_ptr<Model> model_;  ///< until its factors were looked at
  double swept_seconds_ = 0;      ///< when the last finished sweep ended
  FitResult result_;
};

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  return run_command(
      "mf", table, options.common, arguments, [&] { return settle_fit_options(options, table); },
      [&] { return options.is_slim() ? run_slim_fit(options, table) : Fit(options, table).run(); });
}

Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result) {
  if (Status factors = expect_factors(options, "a fit inside of another program"); !factors.ok()) return factors;
  return run_hosted(Fit(options, table), result);
}

}  // namespace strads::mf
