#include "mf/output/slim_output.hpp"

#include <algorithm>
#include <filesystem>

#include "mf/factors/model_files.hpp"
#include "mf/slim/slim_judge.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {
namespace {

std::string whole(double value) {
  return std::to_string(static_cast<std::uint64_t>(value));
}

double per_item(const SlimResult& result) {
  return static_cast<double>(result.solution.nonzeros) / std::max(1.0, static_cast<double>(result.data->items()));
}

void add_slim_data(Summary& summary, const FitOptions& options, const SlimResult& result) {
  const Ratings& ratings = *result.ratings;
  const std::uint64_t held_out = options.input.test_path.empty() ? ratings.test.size() : 0;
  add_paths(summary, options.input);
  summary.add("ratings", ratings.train.size() + held_out);
  summary.add("users", result.data->users());
  summary.add("items", result.data->items());
  summary.add("train_ratings", ratings.train.size());
  summary.add("positives", result.data->pairs());
  summary.add("held_out", held_out);
  summary.add("test_ratings", ratings.test.size() + ratings.strangers.size());
  summary.add("test_unknown", ratings.test_unknown);
  summary.add("duplicates", ratings.duplicates);
}

void add_slim_work(Summary& summary, const SlimResult& result) {
  const RunTotals& totals = result.run.end.totals;
  summary.add("rounds", totals.rounds);
  summary.add("phases", totals.phases);
  summary.add("blocks", totals.blocks);
  summary.add("updates", totals.updates);
  summary.add("flops", totals.flops);
  constexpr const char* kNames[] = {"candidates", "active", "passes", "checks"};
  for (std::size_t k = 0; k < std::size(kNames); ++k) {
    summary.add(kNames[k], k < totals.tally.size() ? totals.tally[k] : std::uint64_t{0});
  }
  add_traffic(summary, result);
}

}  // namespace

ProgressLine slim_progress(const ProgressEvent& event, double seconds) {
  ProgressLine line(seconds);
  const auto& figures = event.certificate.figures;
  if (figures.size() < kSlimFigures) {
    return line.number(ProgressRank::round, "round", "round", event.totals.rounds);
  }
  const auto count_of = [&](std::size_t figure) { return static_cast<std::uint64_t>(figures[figure]); };
  return line.count({"item", count_of(kSlimSolved), count_of(kSlimItems)})
      .number(ProgressRank::quality, "items_certified", "certified", count_of(kSlimCertified), true)
      .number(ProgressRank::figure, "nonzeros", "weights", event.certificate.nonzeros, true);
}

Trace::Columns slim_trace_columns() {
  const auto row = [](const ProgressEvent& event, double seconds) -> std::string {
    const auto& figures = event.certificate.figures;
    if (event.kind != ProgressEvent::Kind::barrier || figures.size() < kSlimFigures) return {};
    return exact_text(seconds) + "," + whole(figures[kSlimSolved]) + "," + whole(figures[kSlimCertified]) + "," +
           exact_text(event.certificate.objective) + "," + exact_text(figures[kSlimWorstGap]) + "," +
           std::to_string(event.certificate.nonzeros) + "," + std::to_string(event.totals.rounds) + "," +
           std::to_string(event.totals.flops) + "," + std::to_string(event.totals.flops_path);
  };
  return {"seconds,solved,certified,objective,worst_gap,nonzeros,rounds,flops,flops_path", row};
}

std::string certified_text(const SlimResult& result) {
  const std::uint64_t items = result.data->items(), certified = result.solution.certified;
  const std::uint64_t solved = result.solution.solved_count();
  const std::string text = (certified == items ? "all " : std::to_string(certified) + " of ") +
                           with_unit(items, "item", "items") + " certified, ";
  if (solved == 0) return text + "none solved";
  return text + "worst gap / objective " + short_text(result.solution.worst_gap, 3) +
         (solved < items ? " of the " + std::to_string(solved) + " that are solved" : "");
}

Summary slim_summary(const FitOptions& options, const SlimResult& result) {
  const SlimSolution& solution = result.solution;
  Summary summary;
  summary.add("program", "mf fit");
  summary.add(kModelFormat, kModelFilesFormat);
  summary.add("stop_reason", result.stop_reason);
  summary.add("finished", result.finished);
  summary.add("objective", solution.objective);
  summary.add("worst_gap", solution.worst_gap);
  summary.add("items_solved", solution.solved_count());
  summary.add("items_certified", solution.certified);
  summary.add("nonzeros", solution.nonzeros);
  summary.add("nonzeros_per_item", per_item(result));
  summary.add("model_hash", result.model_hash);
  add_slim_data(summary, options, result);
  add_slim_work(summary, result);
  add_execution(summary, options, result);
  summary.add("solver", options.solver);
  summary.add("l1", options.slim.l1);
  summary.add("l2", options.slim.l2);
  if (options.positive_from.has_value()) summary.add("positive_from", *options.positive_from);
  summary.add("user_power", options.slim.user_power);
  summary.add("item_power", options.slim.item_power);
  summary.add("tolerance", options.slim.tolerance);
  add_engine(summary, options);
  add_cluster(summary, result, [](Summary&, const NodeReport&) {});
  return summary;
}

std::string slim_closing_lines(const FitOptions& options, const SlimResult& result, const RunDirectory& directory) {
  const std::string name = std::filesystem::path(options.input.path).filename().string();
  const double rate = static_cast<double>(result.solution.solved_count()) / std::max(1e-9, result.seconds_solve);
  return "fitted   " + name + ": " + with_unit(result.data->users(), "user", "users") + " x " +
         with_unit(result.data->items(), "item", "items") + ", l1 " + short_text(options.slim.l1) + ", l2 " +
         short_text(options.slim.l2) + ", solver slim\nquality  " + result.stop_reason + ": " + certified_text(result) +
         ", objective " + short_text(result.solution.objective, 8) + "\nsize     " +
         with_unit(result.data->pairs(), "positive pair", "positive pairs") + ", " +
         with_unit(result.solution.nonzeros, "weight", "weights") + ", " + short_text(per_item(result), 3) +
         " an item; model_hash " + result.model_hash + "\n" +
         time_line(options, result, short_text(rate, 3) + " items/s") + files_line(directory);
}

}  // namespace strads::mf
