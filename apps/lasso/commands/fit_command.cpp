#include "lasso/commands/fit_command.hpp"

#include <cstdio>
#include <memory>

#include "lasso/output/output.hpp"
#include "lasso/run/lasso_run.hpp"
#include "regression/foreign_options.hpp"

namespace strads::lasso {
namespace {

class Fit final : public LassoRun {
 public:
  Fit(const FitOptions& options, const OptionTable& table) : LassoRun("lasso fit", options, table) {}
  [[nodiscard]] FitResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    std::vector<std::string> files = {kCoefficientsFile, kTraceFile, kConfigFile, kLogFile, kModelFile};
    if (options_.input.is_plink()) files.push_back(frequency_file(options_.input.prefix()));
    return files;
  }

  Result<RunList> make_runs() override { return single_run(make_lasso_model(result_.data, options_.lasso)); }

  [[nodiscard]] Trace* trace() override { return &trace_; }
  void note_event(const ProgressEvent& event, double seconds) override {
    trace_.record(event, seconds);
    log_barrier(event);
  }

  RunFacts& facts() override { return result_; }

  Status conclude() override {
    keep_solution();
    if (Status checked = check_solution(); !checked.ok()) return checked;
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines(options_, result_, directory_));
    return result_.tolerance_met ? Status() : Status(StatusCode::stopped, "");
  }

  void keep_solution() {
    result_.solution = solution_of(result_.run.end);
    look_at(result_.solution.variables);
    result_.original = original_scale(*result_.data, result_.solution);
    result_.beta_hash = beta_hash(result_.solution, dataset_->columns().columns);
    if (result_.data->unpenalised.any()) add_unpenalised(*result_.data, result_.solution, result_.original);
    count_unrepresented(result_.solution, result_.original);
    note_unrepresented();
    result_.seconds_solve = solving_.seconds();
    judge_end();
  }

  Status check_solution() {
    const RunEnd& end = result_.run.end;
    const LassoSolution solution = solution_of(end);  // as the messages tell it
    const SolutionClaim claim{"the solution",        solution.lambda,           solution.variables,
                              solution.standardized, end.certificate.objective, end.certificate.gap};
    return check(*result_.data, end, std::span(&claim, 1));
  }

  void judge_end() {
    const auto& certificate = result_.run.end.certificate;
    result_.tolerance_met = certificate.converged;
    result_.stop_reason = reason_of_end(result_.run.end.stop_reason);
    log_.info("end: " + result_.stop_reason + ", relative gap " + short_text(certificate.relative_gap, 4) + ", " +
              std::to_string(result_.solution.variables.size()) + " nonzeros, beta_hash " + result_.beta_hash);
  }

  Status write() {
    if (!directory_.exists()) return {};
    const auto model = fitted_model(result_);
    if (Status done = directory_.write(kCoefficientsFile, coefficients_table(model, result_.solution.standardized));
        !done.ok())
      return done;
    if (model.has_alleles) {
      const auto name = frequency_file(options_.input.prefix());
      if (Status done = directory_.write(name, frequency_table(*result_.data, model)); !done.ok()) return done;
    }
    if (Status done = write_model(directory_.path_of(kModelFile), model); !done.ok()) return done;
    directory_.note_file(kModelFile);
    return finish_files(summary_of(options_, result_));
  }

  Trace trace_;
  FitResult result_;
};

}  // namespace

Status run_fit(std::span<const std::string> arguments) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  return run_command(
      "lasso", table, options.common, arguments, [&] { return settle_fit_options(options, table); },
      [&] { return Fit(options, table).run(); });
}

Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result) {
  Fit fit(options, table);
  Status outcome = fit.run();
  result = std::move(fit.result());
  return outcome;
}

}  // namespace strads::lasso
