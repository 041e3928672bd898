#include "lasso/commands/fit_command.hpp"

#include <cstdio>

#include "lasso/output/chosen_models.hpp"
#include "lasso/output/output.hpp"
#include "lasso/run/fit_run.hpp"
#include "regression/foreign_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {
namespace {

class Fit final : public FitRun {
 public:
  Fit(const FitOptions& options, const OptionTable& table) : FitRun("lasso fit", options, table) {}
  [[nodiscard]] FitResult& result() { return result_; }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    std::vector<std::string> files = {kCoefficientsFile, kTraceFile, kConfigFile, kLogFile, kModelFile};
    if (options_.input.is_plink()) files.push_back(frequency_file(options_.input.prefix()));
    return files;
  }

  void note_event(const ProgressEvent& event, double seconds) override {
    FitRun::note_event(event, seconds);
    log_barrier(event);
  }

  Status conclude() override {
    keep_solution();
    if (Status checked = check_solution(); !checked.ok()) return checked;
    if (Status written = write(); !written.ok()) return written;
    show(closing_lines(options_, result_, directory_));
    return ended(result_.tolerance_met);
  }

  Status write() {
    if (!directory_.exists()) return {};
    const FittedModel model = fitted_model(result_);
    const ModelOfFolder folder{model, result_.solution.standardized, *result_.data};
    if (Status done = write_model_files("", folder, options_.input.prefix(), directory_); !done.ok()) return done;
    return finish_files(summary_of(options_, result_));
  }
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
