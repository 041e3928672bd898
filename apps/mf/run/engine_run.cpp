#include "mf/run/engine_run.hpp"

#include <utility>

#include "mf/factors/model_files.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::mf {

EngineRun::EngineRun(std::string command, FitOptions options, const OptionTable& table)
    : ProgramRun(std::move(command), options, table), options_(std::move(options)) {}

Result<RunList> EngineRun::prepare(bool on_driver) {
  const Stopwatch watch;
  threads_ = make_threads(options_.machine.threads);
  auto reads = ProgressPrinter::for_stderr(options_.common.quiet || on_driver || options_.host != nullptr);
  const auto show = [&](double share) {
    const double seconds = watch.seconds();
    reads.show_line([&] { return share_line("reading ratings", share, seconds); }, seconds);
  };
  Status loaded = load(on_driver ? Progress() : show);
  reads.finish();
  if (!loaded.ok()) return loaded;
  facts().seconds_load = watch.seconds();
  log_.info("loaded in " + short_text(facts().seconds_load, 3) + " s, kernels " + std::string(simd_name()));
  begin_solving();
  return make_runs(on_driver);
}

ProgressPrinter::Line EngineRun::progress_formatter() {
  return [this](const ProgressEvent& event, double seconds) { return progress_text(event, seconds); };
}

void EngineRun::note_input(std::uint64_t duplicates, const std::vector<std::string>& unended,
                           const std::vector<std::string>& notes) {
  if (!options_.input.path.empty()) log_.info("read " + options_.input.path);
  if (!options_.input.test_path.empty()) log_.info("read " + options_.input.test_path);
  for (const std::string& path : unended) {
    report_note(path + ": the last line has no line end; if the file was cut short, its last rating may be wrong");
  }
  for (const std::string& text : notes) report_note(text);
  if (duplicates == 0) return;
  report_note(with_unit(duplicates, "rating of a pair", "ratings of pairs") + " that " +
              (duplicates == 1 ? "was" : "were") + " rated before: --duplicates " + options_.duplicates);
}

void EngineRun::judge_end() {
  RunFacts& known = facts();
  known.seconds_solve = solving_.seconds();  // with the checks of fits that ended before others: a limit counts them
  known.finished = known.run.end.certificate.converged;
  known.stop_reason = known.finished ? known.run.end.stop_reason : reason_of_end(known.run.end.stop_reason);
  known.seconds_solve -= known.seconds_check;
}

void EngineRun::note_failure() {
  const std::string& reason = facts().stop_reason;
  if (reason == kStopRose) {
    report_note("the objective rose: the fit does not come closer to a minimum; the best sweep is kept" +
                std::string(options_.mf.solver == Solver::sgd ? "; use a smaller --rate or --lambda" : ""));
  } else if (reason == kStopNotFinite) {
    report_note("the fit came to numbers that are too large for single precision; the best sweep is kept; " +
                std::string(options_.mf.solver == Solver::sgd ? "use a smaller --rate, or " : "") +
                "divide the ratings by a constant");
  }
}

Status EngineRun::closed(const std::string& lines, bool unread, const std::function<Summary()>& summary) {
  show(lines, summary);
  if (unread) {
    return Status::input(options_.input.path +
                         ": the ratings of a lost worker could not be read from it again (the node that got its blocks "
                         "says why, in log.txt or on its stderr); what was learnt until then is kept: leave the file "
                         "as it is and run again");
  }
  return facts().finished ? Status() : Status(StatusCode::stopped, "");
}

}  // namespace strads::mf
