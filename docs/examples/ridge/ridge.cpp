// The program `ridge`: ridge regression by STRADS, embedded, on local processes and on hosts. See docs/MODELS.md.
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "ridge_fit.hpp"
#include "strads/base/hash.hpp"
#include "strads/program/program.hpp"

namespace ridge {

/// Every coefficient, from the slices' last reports.
std::vector<double> coefficients_of(const RunEnd& end) {
  std::vector<double> b;
  for (const Payload& status : end.statuses) {
    for (std::size_t k = 0; k < status.ids.size(); ++k) {
      b.resize(std::max<std::size_t>(b.size(), status.ids[k] + 1U));
      b[status.ids[k]] = status.values[3 + k];
    }
  }
  return b;
}

class Fit final : public ProgramRun {
 public:
  Fit(const FitOptions& options, const OptionTable& table)
      : ProgramRun("ridge fit", options, table), options_(options) {}

 private:
  static constexpr const char* kCoefficientsFile = "coefficients.tsv";

  std::vector<std::string> own_files() const override { return {kCoefficientsFile, kTraceFile, kConfigFile, kLogFile}; }
  Result<RunList> prepare(bool) override {
    const Stopwatch watch;
    auto model = load_model(options_);
    if (!model.ok()) return model.status();
    record_.seconds_load = watch.seconds();
    begin_solving();
    return single_run(std::move(model).value());
  }
  void note_event(const ProgressEvent& event, double seconds) override { trace_.record(event, seconds); }
  Trace* trace() override { return &trace_; }
  RunRecord& record() override { return record_; }

  Status conclude() override {
    record_.seconds_solve = solving_.seconds();
    const Certificate& certificate = record_.run.end.certificate;
    record_.stop_reason = reason_of_end(record_.run.end.stop_reason);
    const std::vector<double> b = coefficients_of(record_.run.end);
    Hash64 hash;
    for (const double value : b) hash.update_f64(value);
    if (directory_.exists()) {
      if (Status done = write(b); !done.ok()) return done;
    }
    std::printf(
        "%s: objective %s, relative gap %s, %s, hash %016llx\n", record_.stop_reason.c_str(),
        short_text(certificate.objective, 10).c_str(), short_text(certificate.gap / certificate.objective, 2).c_str(),
        with_unit(b.size(), "coefficient", "coefficients").c_str(), static_cast<unsigned long long>(hash.digest()));
    return certificate.converged ? Status() : Status(StatusCode::stopped, "");
  }

  Status write(const std::vector<double>& b) {
    std::string text = "variable\tcoefficient\n";
    for (std::size_t j = 0; j < b.size(); ++j) {
      text += std::to_string(j + 1) + "\t" + short_text(b[j], 17) + "\n";
    }
    if (Status done = directory_.write(kCoefficientsFile, text); !done.ok()) return done;
    Summary summary;
    summary.add("objective", record_.run.end.certificate.objective);
    summary.add("gap", record_.run.end.certificate.gap);
    summary.add("seconds_solve", record_.seconds_solve);
    add_engine(summary, options_);
    add_cluster(summary, record_, [](Summary&, const NodeReport&) {});
    return finish_files(summary);
  }

  FitOptions options_;
  Trace trace_;
  RunRecord record_;
};

Status run_fit(std::span<const std::string> arguments) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  return run_command(
      "ridge", table, options.common, arguments, [&] { return settle(options, table); },
      [&] { return Fit(options, table).run(); });
}

constexpr strads::Subcommand kCommands[] = {{"fit", run_fit}};

}  // namespace ridge

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  return strads::run_program("ridge", [&] {
    return strads::run_subcommand("ridge", "usage: ridge fit  fit a model: ridge fit --help\n", ridge::kCommands,
                                  arguments);
  });
}
