#include "lasso/commands/path_command.hpp"

#include <cstdio>
#include <memory>
#include <mutex>

#include "lasso/commands/split_path.hpp"
#include "lasso/options/path_options.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/path_output.hpp"
#include "lasso/output/run_summary.hpp"
#include "lasso/run/lasso_run.hpp"
#include "regression/foreign_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::lasso {
namespace {

class Path final : public LassoRun {
 public:
  Path(const PathCommandOptions& options, const OptionTable& table)
      : LassoRun("lasso path", options.fit, table), path_(options) {}
  [[nodiscard]] PathResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override { return files_of_path(); }

  Result<RunList> make_runs() override {
    // The run ends before this command does.
    return single_run(make_lasso_model(result_.data, options_.lasso, [this](const Solution& solution) {
      keep(result_.steps, solution, "lambda " + std::to_string(solution.index + 1));
    }));
  }

  [[nodiscard]] ProgressPrinter::Line progress_formatter() override {
    return [this](const ProgressEvent& event, double seconds) {
      const std::lock_guard lock(mutex_);
      return path_progress_line(path_, result_, event, seconds);
    };
  }

  RunFacts& facts() override { return result_; }

  Status conclude() override {
    finish_steps();
    result_.seconds_solve = solving_.seconds();
    const FittedPath claimed = fitted_path(*result_.data, result_.steps);
    if (Status checked = check(*result_.data, result_.run.end, result_.steps, claimed, ""); !checked.ok()) {
      return checked;
    }
    result_.path_hash = path_hash(result_.steps);
    note_zeros();
    result_.tolerance_met = result_.run.end.certificate.converged && !result_.steps.empty();
    result_.stop_reason = reason_of_end(result_.run.end.stop_reason);
    log_.info("end: " + result_.stop_reason + ", " + with_unit(result_.steps.size(), "lambda", "lambdas") +
              ", path_hash " + result_.path_hash);
    if (Status written = write(); !written.ok()) return written;
    show(path_closing_lines(path_, result_, directory_));
    return ended(result_.tolerance_met);
  }

  void finish_steps() {
    if (result_.steps.empty()) result_.steps = unfinished(result_.run.end, solving_.seconds());
    for (Solution& solution : result_.steps) {
      complete(*result_.data, result_.run.end, solution,
               [this](std::span<const VarId> variables) { look_at(variables); });
      count_unrepresented(solution);
    }
    note_unrepresented();
  }

  Status write() {
    if (!directory_.exists()) return {};
    if (result_.steps.empty()) {
      log_.warn("no lambda was solved: there is no path to write");
    } else {
      const FittedPath model = fitted_path(*result_.data, result_.steps);
      const std::string& bfile = options_.input.prefix();
      if (Status done = write_path_files(result_, model, bfile, directory_); !done.ok()) return done;
    }
    return finish_files(path_summary(path_, result_));
  }

  PathCommandOptions path_;
  PathResult result_;
};

}  // namespace

Status run_path(std::span<const std::string> arguments) {
  PathCommandOptions options;
  OptionTable table = path_option_table(options);
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  return run_command(
      "lasso", table, options.fit.common, arguments, [&] { return settle_path_options(options, table); },
      [&] { return options.splits() ? run_split_path(options, table) : Path(options, table).run(); });
}

Status path_in_process(const PathCommandOptions& options, const OptionTable& table, PathResult& result) {
  Path path(options, table);
  Status outcome = path.run();
  result = std::move(path.result());
  return outcome;
}

}  // namespace strads::lasso
