#include "lasso/commands/exact_solution.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "lasso/options/study_options.hpp"
#include "lasso/report/model_files.hpp"
#include "lasso/report/run_summary.hpp"
#include "lasso/report/tables.hpp"
#include "lasso/run/study_run.hpp"
#include "regression/people.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/trace.hpp"

namespace strads::lasso {
namespace {

constexpr double kSameData = 1e-9;  ///< relative: text has all digits, and sums may be grouped otherwise

/// What the data of the run must be like.
struct ExpectedData {
  const FittedModel& shape;
  const FittedStep& nearest;
};

bool is_about(double a, double b) {
  return std::abs(a - b) <= kSameData * std::max(std::abs(a), std::abs(b));
}

/// Where the means of the solution's columns are those of the path.
bool has_means_of(const FittedModel& model, const FittedModel& shape) {
  std::map<VarId, double> means;
  for (const FittedVariable& variable : shape.variables) means.emplace(variable.column, variable.mean);
  return std::all_of(model.variables.begin(), model.variables.end(), [&](const FittedVariable& variable) {
    const auto known = means.find(variable.column);
    return known == means.end() || is_about(known->second, variable.mean);
  });
}

class ExactFit final : public StudyRun {
 public:
  ExactFit(const StudyOptions& options, ExpectedData expected)
      : StudyRun("lasso predict --exact", options), expected_(expected) {}

  [[nodiscard]] FittedModel model() const { return fitted_model(*first().data, first().steps.front()); }
  [[nodiscard]] std::string certificate_text() const {
    const auto& end = first().run.end;
    return "objective " + short_text(end.certificate.objective, 10) + ", gap / objective " +
           short_text(end.certificate.relative_gap, 3) + ", tolerance " + short_text(options_.lasso.tolerance, 3) +
           ", " + with_unit(first().steps.front().variables.size(), "nonzero", "nonzeros") + ", " +
           with_unit(end.totals.rounds, "round", "rounds");
  }

  /// Once it has run. `outcome`: of that.
  [[nodiscard]] Status judge(const Status& outcome) const {
    const bool has_result = outcome.ok() || (outcome.code() == StatusCode::stopped && outcome.message().empty());
    if (!has_result) return outcome;
    if (!has_means_of(model(), expected_.shape)) return other_data("columns have other means");
    if (first().tolerance_met) return {};
    return {StatusCode::stopped,
            "ended without meeting the tolerance (" + first().stop_reason + "): " + certificate_text()};
  }

 private:
  [[nodiscard]] std::vector<std::string> own_files() const override { return {}; }
  [[nodiscard]] Trace* trace() override { return nullptr; }
  void note_event(const ProgressEvent&, double) override {}
  Status write() override { return {}; }
  [[nodiscard]] std::string closing_lines() const override { return {}; }

  /// On the samples of the path on train, where there was a split.
  Result<Study> make_study() override {
    StudyDesign design;
    if (!options_.input.samples.split.empty()) design = {.kind = StudyDesign::Kind::split, .refit = false};
    STRADS_ASSIGN_OR_RETURN(auto study, lasso::make_study(datasets_, options_.lasso, design));
    study.groups.front().paths.front().watchers.clear();
    if (Status same = expect_same_people(*study.groups.front().data()); !same.ok()) return same;
    return study;
  }

  Status expect_same_people(const LassoData& data) const {
    const FittedModel& shape = expected_.shape;
    const std::uint64_t samples = data.dataset->columns().samples();
    const bool known = shape.samples > 0;  // an earlier release does not say
    if (known && (samples != shape.samples || people_of(*data.dataset) != shape.people)) {
      return other_data("they have " + with_unit(samples, "sample", "samples") + ", the run had " +
                        std::to_string(shape.samples) + (samples == shape.samples ? " others" : ""));
    }
    if (data.dataset->columns().columns != shape.columns) {
      return other_data("they have " + std::to_string(data.dataset->columns().columns) + " variables, the run had " +
                        std::to_string(shape.columns));
    }
    if (is_about(lambda_in_y(data, expected_.nearest.lambda), expected_.nearest.lambda_y)) return {};
    return other_data("the response has another norm");
  }

  static Status other_data(const std::string& how) {
    return Status::input("the data have changed since the run: " + how);
  }

  ExpectedData expected_;
};

/// Of several l1 ratios the folder of the one that was chosen, else the folder itself.
std::string folder_of_options(const std::string& folder) {
  const auto table = read_file(folder + "/" + kRatiosFile);
  if (!table.ok()) return folder;
  std::istringstream lines(table.value());
  std::string ratio, best, rest;
  while (lines >> ratio >> best && std::getline(lines, rest)) {
    if (best == yes_or_no(true)) return folder + "/l1_ratio_" + ratio;
  }
  return folder;
}

/// From the options of the run to those of one fit in this process that writes nothing.
Status read_options(StudyOptions& options, const std::string& path) {
  if (Status parsed = options.table.parse_config(path); !parsed.ok()) return parsed;
  FitOptions& fit = options.fit();
  fit.common = {};
  fit.common.quiet = true;
  fit.cluster = {};
  fit.checkpoints = {};
  fit.trace_rounds.clear();
  fit.warm_start.clear();
  fit.max_seconds = 0;
  fit.engine.rounds_max = 0;
  fit.dry_run = false;
  if (Status settled = options.settle(); !settled.ok()) return settled;
  options.kind = StudyKind::fit;
  options.all.path.traits.clear();
  return {};
}

std::size_t nearest_step(const FittedPath& path, double lambda) {
  std::size_t nearest = 0;
  const auto off = [&](std::size_t k) { return std::abs(std::log(path.steps[k].lambda / lambda)); };
  for (std::size_t k = 1; k < path.steps.size(); ++k) {
    if (off(k) < off(nearest)) nearest = k;
  }
  return nearest;
}

}  // namespace

Result<ExactSolution> solve_exactly(const std::string& folder, const FittedPath& path, double lambda) {
  std::error_code none;
  const bool validated = std::filesystem::exists(folder + "/" + kCvFile, none);
  const std::string config = folder_of_options(folder) + "/" + kConfigFile;
  StudyOptions run(validated ? StudyKind::cv : StudyKind::path);
  const auto failed = [&](const Status& why) {
    return Status(why.code(), "--exact solves anew with the data and options of " + config + ": " + why.message() +
                                  (why.code() == StatusCode::input
                                       ? "; give it the run's data where that file names them (seen from the folder "
                                         "that the run was started in), or leave --exact out"
                                       : ""));
  };
  if (Status read = read_options(run, config); !read.ok()) return failed(read);
  const std::size_t k = nearest_step(path, lambda);
  FitOptions& fit = run.fit();
  fit.lasso.path = {};
  fit.lasso.lambda = lambda;
  fit.lasso.lambda_scale = LambdaScale::unit;
  if (!path.steps[k].places.empty()) fit.lasso.warm_start = std::make_shared<const FittedModel>(path.at(k));
  ExactFit solving(run, {path.shape, path.steps[k]});
  if (Status done = solving.judge(solving.run()); !done.ok()) return failed(done);
  return ExactSolution{solving.model(), "--lambda " + short_text(lambda) + " solved anew (exact), from lambda " +
                                            std::to_string(k + 1) + " = " + short_text(path.steps[k].lambda) +
                                            " of the path on: " + solving.certificate_text()};
}

}  // namespace strads::lasso
