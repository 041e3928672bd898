#include "mf/commands/slim_command.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mf/check/check_weights.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/output/slim_output.hpp"
#include "mf/run/engine_run.hpp"
#include "mf/run/slim_data.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/reports.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {
namespace {

class SlimFit final : public EngineRun {
 public:
  SlimFit(const FitOptions& options, const OptionTable& table) : EngineRun("mf fit", options, table) {}
  [[nodiscard]] SlimResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    return {kWeightsFile, kIdsFile[0], kIdsFile[1], kTraceFile, kConfigFile, kLogFile};
  }

  Status load(const Progress& progress) override {
    STRADS_ASSIGN_OR_RETURN(const SlimPairs read, load_slim(options_, *threads_, progress));
    result_.ratings = read.ratings;
    result_.data = read.data;
    const Ratings& ratings = *result_.ratings;
    note_input(ratings.duplicates, ratings.unended, ratings.notes);
    log_.info(std::to_string(result_.data->users()) + " users x " + std::to_string(result_.data->items()) + " items; " +
              std::to_string(result_.data->pairs()) + " positive pairs of " + std::to_string(ratings.train.size()) +
              " training ratings, " + std::to_string(ratings.test.size() + ratings.strangers.size()) + " test");
    return {};
  }

  Result<RunList> make_runs(bool /*on_driver*/) override {
    return single_run(make_slim_model(result_.data, options_.slim, options_.engine));
  }

  [[nodiscard]] ProgressLine progress_text(const ProgressEvent& event, double seconds) const override {
    return slim_progress(event, seconds);
  }

  [[nodiscard]] Trace* trace() override { return &trace_; }
  void note_event(const ProgressEvent& event, double seconds) override {
    trace_.record(event, seconds);
    if (event.kind == ProgressEvent::Kind::barrier) log_.info(slim_progress(event, seconds).text());
  }

  Status conclude() override {
    result_.solution = slim_solution_of(*result_.data, result_.run.end);
    result_.run.end.statuses.clear();
    result_.model_hash = slim_hash(result_.solution);
    judge_end();
    {
      const Stopwatch watch;
      Status checked = check_weights(*result_.data, options_.slim, result_.solution, *threads_);
      result_.seconds_check += watch.seconds();
      if (!checked.ok()) return {checked.code(), checked.message() + "; nothing was written. " + kReportThis};
    }
    // What is told from here on was recomputed.
    if (result_.solution.certified != result_.data->items()) result_.finished = false;
    log_.info("end: " + result_.stop_reason + ", " + certified_text(result_) + ", model_hash " + result_.model_hash);
    if (Status written = write(); !written.ok()) return written;
    return closed(slim_closing_lines(options_, result_, directory_), false,
                  [this] { return slim_summary(options_, result_); });
  }

  Status write() {
    if (!directory_.exists()) return {};
    const SlimWeights model = written_weights(*result_.ratings, *result_.data, result_.solution);
    if (Status done = write_slim_model(directory_, model); !done.ok()) return done;
    return finish_files(slim_summary(options_, result_));
  }

  RunFacts& facts() override { return result_; }

  Trace trace_{slim_trace_columns()};
  SlimResult result_;
};

}  // namespace

Status run_slim_fit(const FitOptions& options, const OptionTable& table) {
  return SlimFit(options, table).run();
}

Status slim_in_process(const FitOptions& options, const OptionTable& table, SlimResult& result) {
  return run_hosted(SlimFit(options, table), result);
}

}  // namespace strads::mf
