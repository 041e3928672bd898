#include "lda/commands/fit_command.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "lda/check/check_topics.hpp"
#include "lda/commands/commands.hpp"
#include "lda/infer/infer.hpp"
#include "lda/output/pictures.hpp"
#include "lda/run/lda_memory.hpp"
#include "lda/topics/exports.hpp"
#include "strads/engine/model.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/array_files.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/reports.hpp"
#include "strads/program/trace.hpp"

namespace strads::lda {
namespace {

class Fit final : public ProgramRun {
 public:
  Fit(const FitOptions& options, const OptionTable& table) : ProgramRun("lda fit", options, table), options_(options) {}
  [[nodiscard]] FitResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    return {kPhiFile,      kThetaFile,     kWordsFile,    kTopicsFile, kDocumentsFile, kStateFile, kDocTopicsFile,
            kPyldavisFile, kTopicsPicture, kCurvePicture, kTraceFile,  kConfigFile,    kLogFile};
  }

  [[nodiscard]] Result<MemoryPlan> plan_memory(Look look) const override { return plan_topics(options_, look); }

  Result<RunList> prepare(bool on_driver) override {
    const Stopwatch watch;
    threads_ = make_threads(options_.machine.threads);
    auto reads = ProgressPrinter::for_stderr(options_.common.quiet || on_driver || options_.host != nullptr);
    const auto show_share = [&](double share) {
      const double seconds = watch.seconds();
      reads.show_line([&] { return share_line("reading documents", share, seconds); }, seconds);
    };
    auto loaded = load_fit_data(options_, threads_, on_driver ? std::function<void(double)>() : show_share);
    reads.finish();
    if (!loaded.ok()) return loaded.status();
    result_.input = std::move(loaded).value();
    note_input();
    note_evaluation();
    result_.seconds_load = watch.seconds();
    log_.info("loaded in " + short_text(result_.seconds_load, 3) + " s, kernels " + std::string(simd_name()));
    begin_solving();
    return single_run(make_lda_model(result_.input.data, options_.lda, options_.engine));
  }

  void note_input() {
    const std::string& path = options_.corpus.input.path;
    const Documents& documents = *result_.input.data->documents;
    if (!path.empty()) log_.info("read " + path);
    for (const std::string& text : corpus_notes(result_.input.empty, result_.input.unknown, path)) report_note(text);
    if (!options_.test.empty()) {
      const Documents& test = *result_.input.held_out;
      for (const std::string& text : corpus_notes(test.empty, test.unknown, options_.test)) report_note(text);
    }
    log_.info(corpus_text(documents, path.empty() ? "documents" : path));
  }

  /// In the log: what the user did not choose.
  void note_evaluation() {
    const LdaData& data = *result_.input.data;
    if (data.held_out == nullptr) return;
    const std::uint32_t every = evaluation_interval(data, options_.lda);
    const double cost = evaluation_work(data, options_.lda) / sweep_work(data, options_.lda);
    const std::string as = "; by counted work one is " + short_text(cost, 2) + " sweeps";
    if (every == 0 || every >= options_.lda.sweeps) {
      log_.info("held-out perplexity at the end alone" + as + "; --evaluate-every N for more");
    } else {
      log_.info("held-out perplexity every " + with_unit(every, "sweep", "sweeps") + as);
    }
  }

  [[nodiscard]] ProgressPrinter::Line progress_formatter() override {
    return [sweeps = options_.lda.sweeps](const ProgressEvent& event, double seconds) {
      return progress_line(event, seconds, sweeps);
    };
  }

  [[nodiscard]] Trace* trace() override { return &trace_; }
  void note_event(const ProgressEvent& event, double seconds) override {
    trace_.record(event, seconds);
    const auto& figures = event.certificate.figures;
    if (event.kind != ProgressEvent::Kind::barrier || figures.size() < kFigures) return;
    const double sweep = figures[kFigureSweep];
    if (figures[kFigureEndsSweep] == 0 || (figures[kFigureMeasured] != sweep && figures[kFigureEvaluated] != sweep)) {
      return;
    }
    add_point(figures);
    log_.info(progress_line(event, seconds, options_.lda.sweeps).text());
  }

  void add_point(const std::vector<double>& figures) {
    CurvePoint point;
    point.sweep = figures[kFigureSweep];
    if (figures[kFigureMeasured] == point.sweep) point.log_joint = figures[kFigureLogJoint];
    if (figures[kFigureEvaluated] == point.sweep) point.perplexity = figures[kFigureHeldOut];
    if (!curve_.empty() && curve_.back().sweep >= point.sweep) curve_.pop_back();
    curve_.push_back(point);
  }

  [[nodiscard]] RunRecord& record() override { return result_; }

  Status conclude() override {
    result_.seconds_solve = solving_.seconds();
    result_.solution = solution_of(*result_.input.data, options_.lda, result_.run.end);
    result_.run.end.statuses.clear();
    result_.finished = result_.run.end.certificate.converged;
    result_.stop_reason = result_.finished ? result_.run.end.stop_reason : reason_of_end(result_.run.end.stop_reason);
    result_.model_hash = model_hash(result_.solution);
    const Stopwatch checking;
    if (Status checked = check_topics(*result_.input.data, result_.solution); !checked.ok()) {
      return {checked.code(), checked.message() + "; nothing was written. " + kReportThis};
    }
    result_.model = topic_model_of(*result_.input.data, result_.solution);
    result_.theta = theta_of(*result_.input.data, result_.solution, *threads_);
    complete_held_out();
    const ProgressEvent last = last_row(result_.run.end, result_.held_out);
    trace_.record(last, result_.seconds_solve);
    add_point(last.certificate.figures);
    result_.seconds_check = checking.seconds();
    log_.info("end: " + result_.stop_reason + " after " + with_unit(result_.solution.sweeps, "sweep", "sweeps") +
              ", log joint per token " + short_text(result_.log_joint_per_token(), 8) + ", model_hash " +
              result_.model_hash);
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines(options_, result_, directory_), [this] { return summary_of(options_, result_); });
    return result_.finished ? Status() : Status(StatusCode::stopped, "");
  }

  void complete_held_out() {
    if (result_.input.data->held_out == nullptr) return;
    const DocumentHalves& halves = *result_.input.data->held_out;
    const auto theta =
        infer_topics(halves.seen, result_.model.phi, result_.model.alpha, {.seed = options_.engine.seed}, *threads_);
    result_.held_out = completed(result_.model, theta, halves.asked, *threads_);
  }

  Status write() {
    if (!directory_.exists()) return {};
    const Documents& documents = *result_.input.data->documents;
    const TopicModel& model = result_.model;
    const std::uint64_t shape[] = {documents.size(), model.topics};
    if (Status done = write_topic_model(directory_, model, options_.exports.top); !done.ok()) return done;
    if (Status done = write_array(directory_, kThetaFile, shape, result_.theta); !done.ok()) return done;
    const std::string names = documents_table(documents.document_names, documents.begins, documents.counts);
    if (Status done = directory_.write(kDocumentsFile, names); !done.ok()) return done;
    if (Status done = write_exports(documents); !done.ok()) return done;
    if (Status done = write_pictures(); !done.ok()) return done;
    const Stopwatch watch;
    if (Status same = check_written(directory_, model); !same.ok()) return same;
    if (Status same = check_array(directory_.path_of(kThetaFile), shape, result_.theta); !same.ok()) return same;
    result_.seconds_check += watch.seconds();
    return finish_files(summary_of(options_, result_));
  }

  Status write_pictures() {
    const std::string title = name_of_corpus(options_);
    if (Status done = directory_.write(kTopicsPicture, topics_picture(result_.model, title)); !done.ok()) return done;
    return directory_.write(kCurvePicture, curve_picture(curve_, title));
  }

  Status write_exports(const Documents& documents) {
    const ExportOptions& wanted = options_.exports;
    Status done;
    if (wanted.state) done = write_mallet_state(directory_, result_.model, documents, result_.solution.assignments);
    if (done.ok() && wanted.doc_topics) done = write_doc_topics(directory_, result_.model, documents, result_.theta);
    if (done.ok() && wanted.pyldavis) done = write_pyldavis(directory_, result_.model, documents, result_.theta);
    return done;
  }

  FitOptions options_;
  std::shared_ptr<Chunks> threads_;
  Trace trace_{trace_columns(options_.lda.sweeps)};
  std::vector<CurvePoint> curve_;
  FitResult result_;
};

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  return run_command(
      "lda", table, options.common, arguments, [&] { return settle_fit_options(options, table); },
      [&] { return Fit(options, table).run(); });
}

Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result) {
  return run_hosted(Fit(options, table), result);
}

}  // namespace strads::lda
