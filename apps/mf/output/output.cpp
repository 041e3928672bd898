#include "mf/output/output.hpp"

#include <cmath>
#include <filesystem>

#include "mf/problem/ranked_by.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {
namespace {

std::uint64_t ratings_in_file(const MfData& data) {
  return data.train_size + data.ratings->validation.size();
}

Swept swept_by(const FitResult& result) {
  const double sweeps = result.solution.sweeps;
  return {sweeps, sweeps * static_cast<double>(result.data->train_size)};
}

void add_quality(Summary& summary, const FitResult& result) {
  const MfSolution& solution = result.solution;
  summary.add("stop_reason", result.stop_reason);
  summary.add("finished", result.finished);
  summary.add("objective", solution.objective);
  summary.add("train_rmse", solution.train.rmse);
  summary.add("validation_rmse", solution.validation.rmse);
  if (solution.stop.wanted()) {
    summary.add("stop_metric", name_of(solution.stop));
    summary.add("validation_lists", solution.lists);
    summary.add("validation_users", solution.validation.ratings);
  }
  summary.add("test_rmse", result.test.rmse);
  summary.add("test_mae", result.test.mae);
  summary.add("sweeps", solution.sweeps);
  summary.add("best_sweep", solution.best_sweep);
  summary.add("partial_sweep", solution.partial_sweep);
  summary.add("imbalance", solution.imbalance);
  summary.add("model_hash", result.model_hash);
}

void add_data(Summary& summary, const FitOptions& options, const MfData& data, const FitResult& result) {
  const Ratings& ratings = *data.ratings;
  const bool has_test_file = !options.input.test_path.empty();
  const std::uint64_t held_out = has_test_file ? 0 : ratings.test.size() + data.held_out;
  add_paths(summary, options.input);
  summary.add("ratings", ratings_in_file(data) + held_out);
  summary.add("users", data.size(Side::users));
  summary.add("items", data.size(Side::items));
  summary.add("train_ratings", data.train_size);
  summary.add("validation_ratings", ratings.validation.size());
  summary.add("held_out", held_out);
  summary.add("test_ratings", result.test.ratings);
  summary.add("test_unknown", ratings.test_unknown);
  summary.add("duplicates", ratings.duplicates);
  summary.add("lowest", static_cast<double>(ratings.lowest));
  summary.add("highest", static_cast<double>(ratings.highest));
  summary.add("mean", data.user_mean());
  summary.add(kUnit, data.unit);
}

void add_options(Summary& summary, const FitOptions& options) {
  summary.add("solver", options.solver);
  summary.add("rank", options.mf.rank);
  summary.add("lambda", options.mf.lambda);
  summary.add("regularization", options.regularization);
  summary.add("feedback", options.feedback);
  if (options.mf.implicit) {
    summary.add("implicit_objective", options.objective);
    if (options.mf.hu) summary.add("alpha", options.mf.alpha);
    summary.add("alpha0", options.mf.alpha0);
    summary.add("nu", options.mf.nu);
    summary.add("confidence", options.confidence);
  }
  summary.add("tolerance", options.mf.tolerance);
  summary.add("balance", options.balance);
  add_engine(summary, options);
}

/// What else decides how strong penalties are.
std::string weight_text(const FitOptions& options) {
  if (!options.mf.implicit) return options.regularization;
  if (options.mf.hu) return "implicit, objective hu, alpha " + short_text(options.mf.alpha);
  return "implicit, alpha0 " + short_text(options.mf.alpha0) + ", nu " + short_text(options.mf.nu);
}

std::string quality_text(const FitResult& result) {
  const MfSolution& solution = result.solution;
  std::string text = result.stop_reason + " after " + with_unit(solution.sweeps, "sweep", "sweeps");
  if (solution.best_sweep != solution.sweeps || solution.partial_sweep) text += " (kept: " + kept_text(solution) + ")";
  return text + ": " + errors_text(solution, result.test);
}

}  // namespace

std::string kept_text(const MfSolution& solution) {
  const std::string sweep = "sweep " + std::to_string(solution.best_sweep);
  if (solution.best_sweep == 0) return solution.partial_sweep ? "a part of the first sweep" : "the start";
  if (solution.partial_sweep) return sweep + " and a part of the next";
  return solution.best_sweep == solution.sweeps ? sweep : sweep + " of " + std::to_string(solution.sweeps);
}

std::string errors_text(const MfSolution& solution, const Quality& test) {
  std::string text = "objective " + short_text(solution.objective, 8);
  const bool by_lists = solution.stop.wanted();
  const std::string lists =
      by_lists ? ", validation " + name_of(solution.stop) + " " + short_text(solution.lists, 5) : std::string();
  if (!std::isfinite(solution.train.rmse)) return text + lists;  // of implicit feedback
  text += ", train RMSE " + short_text(solution.train.rmse, 5) + lists;
  if (!by_lists && solution.validation.ratings > 0)
    text += ", validation RMSE " + short_text(solution.validation.rmse, 5);
  if (test.ratings > 0) text += ", test RMSE " + short_text(test.rmse, 5) + ", MAE " + short_text(test.mae, 5);
  return text;
}

ProgressCount sweeps_of(const MfOptions& options, std::uint64_t validation) {
  return {"sweep", 0, options.sweeps_max, options.tolerance > 0 || validation > 0};
}

ProgressLine progress_line(const ProgressEvent& event, double seconds, double swept_seconds, std::uint64_t ratings,
                           const RankedBy& stop, ProgressCount sweeps) {
  ProgressLine line(seconds);
  sweeps.unit = "sweep";
  const auto& figures = event.certificate.figures;
  if (figures.size() < kFigures || figures[kFigureSweep] == 0) {
    return line.count(std::move(sweeps)).number(ProgressRank::round, "round", "round", event.totals.rounds);
  }
  sweeps.done = static_cast<std::uint64_t>(figures[kFigureSweep]);
  const auto left = sweeps.at_most ? std::nullopt : seconds_left(swept_seconds, sweeps.done, sweeps.total);
  line.count(std::move(sweeps));
  const auto add = [&](ProgressRank rank, Figure figure, const char* name, const std::string& label, int digits) {
    if (std::isfinite(figures[figure])) line.figure(rank, name, label, figures[figure], digits);
  };
  add(ProgressRank::objective, kFigureObjective, "objective", "objective", 7);
  add(ProgressRank::objective, kFigureMetObjective, "met_objective", "objective met", 7);
  add(ProgressRank::figure, kFigureTrainRmse, "train_rmse", "train", 5);
  add(ProgressRank::figure, kFigureMetRmse, "met_rmse", "met", 5);
  add(ProgressRank::quality, kFigureValidation, "validation_rmse", "validation", 5);
  if (stop.wanted()) {
    add(ProgressRank::quality, kFigureLists, "validation_lists", "validation " + name_of(stop), 5);
  }
  add(ProgressRank::quality, kFigureTest, "test_rmse", "test", 5);
  const Swept swept{figures[kFigureSweep], figures[kFigureSweep] * static_cast<double>(ratings)};
  return line.left(left).rate("ratings_per_second", "ratings/s", swept.ratings_per_second(swept_seconds));
}

Trace::Columns trace_columns() {
  const auto row = [](const ProgressEvent& event, double seconds) -> std::string {
    const auto& figures = event.certificate.figures;
    if (event.kind != ProgressEvent::Kind::barrier || figures.size() < kFigures || figures[kFigureEndsSweep] == 0) {
      return {};
    }
    const auto field = [](double value) { return "," + (std::isfinite(value) ? exact_text(value) : std::string()); };
    const auto& totals = event.totals;
    return exact_text(seconds) + "," + std::to_string(static_cast<std::uint64_t>(figures[kFigureSweep])) +
           field(figures[kFigureObjective]) + field(figures[kFigureTrainRmse]) + field(figures[kFigureValidation]) +
           field(figures[kFigureTest]) + field(figures[kFigureImbalance]) + "," + std::to_string(totals.rounds) + "," +
           std::to_string(totals.updates) + "," + std::to_string(totals.flops) + "," +
           std::to_string(totals.flops_path) + field(figures[kFigureMetObjective]) + field(figures[kFigureMetRmse]) +
           field(figures[kFigureLists]);
  };
  return {
      "seconds,sweep,objective,train_rmse,validation_rmse,test_rmse,imbalance,rounds,updates,flops,flops_path,"
      "met_objective,met_rmse,validation_lists",
      row};
}

Summary summary_of(const FitOptions& options, const FitResult& result) {
  Summary summary;
  summary.add("program", "mf fit");
  summary.add(kModelFormat, kModelFilesFormat);
  add_quality(summary, result);
  add_data(summary, options, *result.data, result);
  add_work(summary, result, swept_by(result));
  add_execution(summary, options, result);
  add_options(summary, options);
  add_cluster(summary, result, swept_by(result));
  return summary;
}

std::string closing_lines(const FitOptions& options, const FitResult& result, const RunDirectory& directory) {
  const MfData& data = *result.data;
  const std::string name = std::filesystem::path(options.input.path).filename().string();
  return "fitted   " + name + ": " + with_unit(data.size(Side::users), "user", "users") + " x " +
         with_unit(data.size(Side::items), "item", "items") + ", rank " + std::to_string(options.mf.rank) +
         ", lambda " + short_text(options.mf.lambda) + " " + weight_text(options) + ", solver " + options.solver +
         "\nquality  " + quality_text(result) + "\nsize     " +
         (options.mf.implicit ? with_unit(data.train_size, "training pair", "training pairs")
                              : with_unit(data.train_size, "training rating", "training ratings")) +
         ", " + std::to_string(data.ratings->validation.size()) + " for validation, " +
         std::to_string(result.test.ratings) + " for testing; imbalance " + short_text(result.solution.imbalance, 4) +
         "; model_hash " + result.model_hash + "\n" + time_and_files(options, result, swept_by(result), directory);
}

}  // namespace strads::mf
