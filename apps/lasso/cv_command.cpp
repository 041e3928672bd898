#include "lasso/cv_command.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>

#include "lasso/cv_output.hpp"
#include "lasso/lasso_run.hpp"
#include "lasso/output.hpp"
#include "lasso/run_summary.hpp"

namespace strads::lasso {
namespace {

class CrossValidation final : public LassoRun {
 public:
  CrossValidation(const CvOptions& options, const OptionTable& table)
      : LassoRun("lasso cv", options.path.fit, table), cv_(options) {}

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override {
    return {kCvFile,      kCvPathsFile,   kFoldsFile, kCvPicture,  kPathFile, kPathCoefficientsFile,
            kPathPicture, kPathModelFile, kTraceFile, kConfigFile, kLogFile};
  }

  Result<std::shared_ptr<Model>> make_model() override {
    auto data = prepare_cv(dataset_, options_.lasso, cv_.folds, options_.engine.seed);
    if (!data.ok()) return data.status();
    result_.cv = std::move(data).value();
    result_.data = result_.cv.parts[0];
    result_.folds.resize(result_.cv.folds.count);
    result_.ends.resize(result_.cv.parts.size());
    for (std::size_t f = 0; f < result_.cv.folds.count; ++f) {
      log_.info("fold " + result_.cv.folds.names[f] + ": " + with_unit(result_.cv.folds.sizes[f], "sample", "samples") +
                " held out");
    }
    // The driver's run ends before this command does; embedded the model lives as long as the run.
    return make_cv_model(
        result_.cv, options_.lasso, options_.engine,
        [this](std::size_t part, const PathPoint& point) { keep(part, point); },
        [this](std::size_t part, const RunEnd& end) { result_.ends[part] = end; });
  }

  [[nodiscard]] std::string part_name(std::size_t part) const {
    return part == 0 ? "all samples" : "without fold " + result_.cv.folds.names[part - 1];
  }

  /// On the coordinator's thread.
  void keep(std::size_t part, const PathPoint& point) {
    const std::lock_guard lock(mutex_);
    PathStep step;
    step.point = point;
    step.seconds = solving_.seconds();
    log_.info(part_name(part) + ", lambda " + std::to_string(point.index + 1) + " = " + short_text(point.lambda) +
              ": " + with_unit(point.variables.size(), "nonzero", "nonzeros") + ", objective " +
              short_text(point.certificate.objective, 10) + ", relative gap " +
              short_text(point.certificate.relative_gap, 3) + ", " + with_unit(point.phases, "phase", "phases"));
    (part == 0 ? result_.steps : result_.folds[part - 1]).push_back(std::move(step));
  }

  void note_event(const ProgressEvent& event, double seconds) override { trace_.record(event, seconds); }

  [[nodiscard]] ProgressPrinter::Line progress_line() override {
    return [this](const ProgressEvent& event, double seconds) {
      const std::lock_guard lock(mutex_);
      return cv_progress_line(result_, event, seconds);
    };
  }

  RunFacts& facts() override { return result_; }

  Status conclude() override {
    finish_parts();
    finish_curve();
    result_.seconds_solve = solving_.seconds();
    result_.complete = result_.run.end.certificate.converged && !result_.curve.mean.empty();
    result_.stop_reason = result_.complete ? "converged" : reason_of_end(false);
    log_.info("end: " + result_.stop_reason + ", path_hash " + result_.path_hash);
    if (Status written = write(); !written.ok()) return written;
    const auto lines = cv_closing_lines(cv_, result_, directory_);
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    return result_.complete ? Status() : Status(StatusCode::stopped, "");
  }

  void finish_parts() {
    const auto finish = [&](std::size_t part, std::vector<PathStep>& steps) {
      for (PathStep& step : steps) {
        complete_step(*result_.cv.parts[part], result_.ends[part], step, [&](std::span<const VarId> variables) {
          if (!result_.cluster.has_value()) return;
          SerialChunks serial;
          result_.cv.parts[part]->columns->scan(variables, serial);
        });
      }
    };
    finish(0, result_.steps);
    // Folds may have gone on beyond the end of the path on all samples, of which they hear when it is there.
    for (std::size_t f = 0; f < result_.folds.size(); ++f) {
      auto& steps = result_.folds[f];
      steps.resize(std::min(steps.size(), result_.steps.size()));
      finish(f + 1, steps);
    }
    std::vector<std::string> hashes;
    hashes.reserve(result_.steps.size());
    for (const PathStep& step : result_.steps) hashes.push_back(step.beta_hash);
    result_.path_hash = path_hash(hashes);
  }

  void finish_curve() {
    std::size_t common = result_.steps.size();
    for (const auto& fold : result_.folds) common = std::min(common, fold.size());
    if (common == 0) return;
    for (std::uint32_t f = 0; f < result_.cv.folds.count; ++f) {
      auto& errors = result_.errors.emplace_back();
      for (std::size_t k = 0; k < common; ++k) {
        errors.push_back(held_out_error(result_.cv, f, result_.folds[f][k], cv_.error()));
      }
    }
    result_.curve = cv_curve(result_.errors, dataset_->columns().samples());
  }

  Status write() {
    if (!directory_.exists()) return {};
    const auto put = [&](const char* name, const std::string& text) { return directory_.write(name, text); };
    if (Status done = put(kFoldsFile, folds_table(*dataset_, result_.cv.folds)); !done.ok()) return done;
    if (result_.curve.mean.empty()) {
      log_.warn("no lambda was solved without every fold: there is no curve to write");
    } else if (Status done = write_curve(); !done.ok()) {
      return done;
    }
    if (Status done = put(kTraceFile, trace_.csv()); !done.ok()) return done;
    if (Status done = put(kLogFile, log_.text()); !done.ok()) return done;
    return directory_.finish(cv_summary(cv_, result_));
  }

  Status write_curve() {
    const auto put = [&](const char* name, const std::string& text) { return directory_.write(name, text); };
    FittedPath model = fitted_path(*result_.data, result_.steps);
    model.least = result_.curve.least + 1;
    model.simplest = result_.curve.simplest + 1;
    if (Status done = put(kCvFile, cv_table(result_)); !done.ok()) return done;
    if (Status done = put(kCvPathsFile, cv_paths_table(result_)); !done.ok()) return done;
    if (Status done = put(kCvPicture, cv_picture(cv_, result_)); !done.ok()) return done;
    if (Status done = put(kPathFile, path_table(*result_.data, result_)); !done.ok()) return done;
    if (Status done = put(kPathCoefficientsFile, path_coefficients(model, result_.steps)); !done.ok()) return done;
    if (Status done = put(kPathPicture, path_picture(model, result_)); !done.ok()) return done;
    if (Status done = write_path_file(kPathModelFile, model); !done.ok()) return done;
    for (std::size_t f = 0; f < result_.folds.size(); ++f) {
      const FittedPath fold = fitted_path(*result_.cv.parts[f + 1], result_.folds[f]);
      if (Status done = write_path_file(fold_model_file(f), fold); !done.ok()) return done;
    }
    return {};
  }

  Status write_path_file(const std::string& name, const FittedPath& model) {
    if (Status done = write_path(directory_.path_of(name), model); !done.ok()) return done;
    directory_.note_file(name);
    return {};
  }

  CvOptions cv_;
  Trace trace_;
  CvResult result_;
  std::mutex mutex_;  ///< of the steps in result_, while the run goes on
};

}  // namespace

Status run_cv(std::span<const std::string> arguments) {
  CvOptions options;
  OptionTable table = cv_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  const CommonOptions& common = options.path.fit.common;
  const bool prints_only = common.help || common.help_all || common.version;
  if (prints_only) return answered(table, common, "lasso") ? Status() : Status::internal("no answer");
  if (Status settled = settle_cv_options(options, table); !settled.ok()) return settled;
  if (answered(table, common, "lasso")) return {};  // --print-config, once it is known to make sense
  install_signal_handlers();
  return std::make_shared<CrossValidation>(options, table)->run();
}

}  // namespace strads::lasso
