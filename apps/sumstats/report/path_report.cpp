#include "sumstats/report/path_report.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regression/texts.hpp"
#include "strads/program/grid_edge.hpp"
#include "strads/program/program.hpp"
#include "sumstats/choose/fitted_scores.hpp"
#include "sumstats/model/summary_judge.hpp"

namespace strads::sumstats {
namespace {

/// The largest gap / |objective| of a block.
double worst_gap_of(const SummarySolution& solution) {
  double worst = 0;
  for (const GridSolution& point : solution.points) worst = std::max(worst, point.worst);
  return worst;
}

Summary counts_of(const SummaryData& study) {
  const SummaryCounts& counts = study.counts;
  Summary facts, dropped, sources;
  facts.add("rows", counts.rows);
  facts.add("other_tests", counts.other_tests);
  facts.add("matched", counts.matched);
  facts.add("turned", counts.turned);
  facts.add("other_strand", counts.other_strand);
  facts.add("strand_ambiguous", counts.ambiguous);
  facts.add("no_effect", counts.no_effect);
  facts.add("disagreements", counts.disagreements);
  for (std::size_t k = 0; k < kSummarySources; ++k) {
    sources.add(text_of(static_cast<SummarySource>(k)), counts.sources[k]);
  }
  facts.add("r_from", sources);
  for (std::size_t k = 0; k < kSummaryReasons; ++k) {
    if (counts.dropped[k] > 0) dropped.add(text_of(static_cast<SummaryReason>(k)), counts.dropped[k]);
  }
  facts.add("dropped", dropped);
  facts.add("kept", counts.kept);
  return facts;
}

void add_study(Summary& summary, const PathOptions& options, const PathResult& result) {
  const SummaryData& study = *result.loaded->study;
  Summary facts;
  facts.add("files", options.summary.files);
  std::vector<std::string> formats;
  for (const SummaryFormat format : study.formats) formats.emplace_back(name_of(format));
  facts.add("formats", formats);
  if (!study.trait.empty()) facts.add("trait", study.trait);
  if (!study.build.empty()) facts.add("genome_build", study.build);
  facts.add("n_max", study.n_max);
  facts.add("odds_ratios", study.has_odds);
  facts.add("trait_sd", study.trait_sd);
  facts.add("frequency_correlation", study.frequency_correlation);
  facts.add("counts", counts_of(study));
  summary.add("study", facts);
}

void add_choice(Summary& summary, const PathOptions& options, const PathResult& result) {
  if (!result.choice.has_value()) return;
  const Choice& choice = *result.choice;
  const GridSolution& point = result.solution.points[choice.point];
  Summary facts;
  facts.add("by", chooser_of(choice));
  facts.add("index", std::uint64_t{choice.point} + 1);
  facts.add("s", point.shrink);
  facts.add("delta", point.shrink / (1 - point.shrink));
  facts.add("lambda", point.lambda);
  facts.add("nonzeros", point.nonzeros);
  if (choice.is_given) {
    facts.add("objective", point.objective);
    facts.add("gap", point.gap);
  } else {
    const std::string edge = edge_of_grid(options, result.grid, choice.point);
    if (!edge.empty()) facts.add("edge", edge);
    facts.add("measure", choice.measure);
    facts.add("measured", choice.measured[choice.point]);
  }
  if (choice.by_people) {
    facts.add("response", choice.response);
    facts.add("people", choice.people);
    facts.add("people_in_panel", choice.in_panel);
    facts.add("optimistic", true);
    facts.add("variants", choice.variants);
    facts.add("variants_matched", choice.matched);
    std::vector<Summary> statistics;
    for (const lasso::Statistic& statistic : choice.statistics.list) {
      Summary own;
      own.add("name", statistic.name);
      own.add("estimate", statistic.estimate);
      own.add("lower", statistic.lower);
      own.add("upper", statistic.upper);
      own.add("method", statistic.method);
      statistics.push_back(own);
    }
    facts.add("statistics", statistics);
  }
  summary.add("choice", facts);
}

std::string choice_text(const PathResult& result) {
  if (!result.choice.has_value()) {
    if (result.loaded->lambda_max == 0) return "none: the correlation of every variant is 0, and so is every solution";
    return result.certified < result.grid.size()
               ? "none: the run ended before a solution was found; give it more time"
               : "none: every solution is empty; give a smaller --lambda-min-ratio or --lambda";
  }
  const Choice& choice = *result.choice;
  const GridSolution& point = result.solution.points[choice.point];
  std::string text = "s " + short_text(point.shrink) + ", lambda " + short_text(point.lambda) + ": " +
                     with_unit(point.nonzeros, "variant", "variants") + "; by ";
  const std::string measured = short_text(choice.measured[choice.point], 4);
  if (!choice.by_people) return text + "pseudo-validation (" + measured + "), no people: test the score on others";
  text +=
      std::to_string(choice.people) + " people of --validate, " + (choice.measure == "auc" ? "AUC " : "R2 ") + measured;
  const lasso::Statistic& own = choice.statistics.named(choice.measure);
  return text + " [" + short_text(own.lower, 4) + ", " + short_text(own.upper, 4) +
         "], optimistic since they chose it, and more so if they were in the study";
}

/// What was solved: the grid, or the one point of a fit.
std::string points_text(const PathOptions& options, const PathResult& result) {
  const Grid& grid = result.grid;
  if (!options.single) {
    return with_unit(grid.shrinks.size(), "shrinkage", "shrinkages") + " x " +
           with_unit(grid.lambdas.size(), "lambda", "lambdas");
  }
  const std::string text = "s " + short_text(grid.shrink(0)) + ", lambda " + short_text(grid.lambda(0));
  if (result.loaded->lambda_max == 0) return text + ", correlations that are all 0";
  return text + " = " + short_text(grid.lambda(0) / result.loaded->lambda_max) + " lambda_max";
}

std::string edge_line(const PathOptions& options, const PathResult& result) {
  if (!result.choice.has_value()) return {};
  const std::string edge = edge_of_grid(options, result.grid, result.choice->point);
  return edge.empty() ? edge : "\nedge     " + edge;
}

}  // namespace

ProgressLine progress_line(const ProgressEvent& event, double seconds) {
  ProgressLine line(seconds);
  if (event.kind == ProgressEvent::Kind::started) return line.text(ProgressRank::quality, "panel looked at");
  const auto& figures = event.certificate.figures;
  if (figures.size() >= kFigures) {
    line.count({"block", static_cast<std::uint64_t>(figures[kFigureSolved]),
                static_cast<std::uint64_t>(figures[kFigureBlocks])});
  }
  return line.number(ProgressRank::round, "round", "round", event.totals.rounds)
      .rate("updates_per_second", "updates/s", seconds > 0 ? static_cast<double>(event.totals.updates) / seconds : 0);
}

Trace::Columns trace_columns() {
  const auto row = [](const ProgressEvent& event, double seconds) -> std::string {
    if (event.kind != ProgressEvent::Kind::barrier || event.certificate.figures.size() < kFigures) return {};
    const Certificate& certificate = event.certificate;
    return exact_text(seconds) + "," + std::to_string(event.totals.rounds) + "," +
           std::to_string(event.totals.updates) + "," +
           std::to_string(static_cast<std::uint64_t>(certificate.figures[kFigureSolved])) + "," +
           std::to_string(static_cast<std::uint64_t>(certificate.figures[kFigureCertified])) + "," +
           exact_text(certificate.objective) + "," + exact_text(certificate.gap) + "," +
           std::to_string(certificate.nonzeros);
  };
  return {"seconds,rounds,updates,blocks_solved,blocks_certified,objective,gap,nonzeros", row};
}

std::vector<std::string> notes_of_study(const LoadedSummary& loaded) {
  const SummaryData& study = *loaded.study;
  std::vector<std::string> notes = study.notes;
  std::string left_out;
  for (std::size_t k = 0; k < kSummaryReasons; ++k) {
    if (study.counts.dropped[k] == 0) continue;
    left_out += (left_out.empty() ? "" : ", ") + std::to_string(study.counts.dropped[k]) + " " +
                text_of(static_cast<SummaryReason>(k));
  }
  notes.push_back(std::to_string(study.counts.kept) + " of " + with_unit(study.counts.rows, "row", "rows") +
                  " take part, " + std::to_string(study.counts.turned) + " turned to the panel's allele" +
                  (left_out.empty() ? "" : "; left out: " + left_out + " (dropped.tsv lists them)"));
  return notes;
}

std::string edge_of_grid(const PathOptions& options, const Grid& grid, std::size_t point) {
  const auto next_shrink = [](double s, double ratio) { return std::clamp(s * ratio, kShrinkLeast, 1.0); };
  std::string text = beyond_grid("s", "shrink", grid.shrinks, grid.shrink(point), next_shrink);
  std::string lambda;
  if (!options.given.empty()) {
    lambda = beyond_grid("lambda", "lambda", grid.lambdas, grid.lambda(point),
                         [](double own, double ratio) { return own * ratio; });
  } else if (grid.lambdas.size() > 1 && grid.lambda(point) == grid.lambdas.back()) {
    // Of a grid the next two lambdas would be hardly smaller.
    lambda = "the best lambda is the least that was tried: go on with --lambda-min-ratio " +
             short_text(options.min_ratio * options.min_ratio, 4);
  }
  return text.empty() || lambda.empty() ? text + lambda : text + "; " + lambda;
}

Summary summary_of(const PathOptions& options, const PathResult& result) {
  const SummarySolution& solution = result.solution;
  const SummaryProblem& problem = *result.loaded->problem;
  Summary summary;
  summary.add("program", command_of(options));
  summary.add("stop_reason", result.stop_reason);
  summary.add("tolerance", options.tolerance);
  summary.add("tolerance_met", result.certified == result.grid.size());
  summary.add("relative_gap", worst_gap_of(solution));
  summary.add("solutions", std::uint64_t{result.grid.size()});
  summary.add("solutions_certified", result.certified);
  summary.add("model_hash", result.model_hash);
  summary.add("lambda_max", result.loaded->lambda_max);
  std::vector<Summary> shrinks;
  for (const double s : result.grid.shrinks) {
    Summary own;
    own.add("s", s);
    own.add("delta", s / (1 - s));
    shrinks.push_back(own);
  }
  summary.add("shrinkages", shrinks);
  summary.add("lambdas", std::uint64_t{result.grid.lambdas.size()});
  summary.add("blocks", problem.blocks());
  summary.add("blocks_solved", solution.solved_count());
  summary.add("variants", std::uint64_t{problem.variants.size()});
  summary.add("weights", text_of(result.loaded->scale));
  add_choice(summary, options, result);
  add_study(summary, options, result);
  Summary panel;
  panel.add("files", options.panel.source.prefix());
  panel.add("samples", lasso::sample_facts(*problem.panel));
  panel.add("variants", problem.panel->columns().columns);
  summary.add("panel", panel);
  const RunTotals& totals = result.run.end.totals;
  summary.add("rounds", totals.rounds);
  summary.add("phases", totals.phases);
  summary.add("updates", totals.updates);
  summary.add("flops", totals.flops);
  summary.add("flops_critical_path", totals.flops_path);
  add_traffic(summary, result);
  add_execution(summary, options, result);
  add_engine(summary, options);
  add_cluster(summary, result, [](Summary&, const NodeReport&) {});
  return summary;
}

std::string closing_lines(const PathOptions& options, const PathResult& result, const RunDirectory& directory) {
  const SummaryProblem& problem = *result.loaded->problem;
  std::uint64_t nonzeros = 0;
  for (const GridSolution& point : result.solution.points) nonzeros += point.nonzeros;
  const double worst = worst_gap_of(result.solution);
  if (options.summary.files.empty()) return {};  // of arrays: who called has the results themselves
  return "fitted   " + lasso::base_name(options.summary.files.front()) + " on " +
         lasso::base_name(options.panel.source.prefix()) + ": " +
         with_unit(problem.variants.size(), "variant", "variants") + " in " +
         with_unit(problem.blocks(), "block", "blocks") + ", panel of " +
         with_unit(problem.panel->columns().samples(), "person", "people") + ", " + points_text(options, result) +
         "\nquality  " + result.stop_reason + ": " + std::to_string(result.certified) + " of " +
         with_unit(result.grid.size(), "solution", "solutions") +
         " certified in every block, largest gap / |objective| of a block " + short_text(worst, 3) +
         (worst <= options.tolerance ? " <= " : " > ") + "tolerance " + short_text(options.tolerance) +
         (options.single ? std::string() : "\nchosen   " + choice_text(result) + edge_line(options, result)) +
         "\nsize     " + with_unit(nonzeros, "nonzero", "nonzeros") + (options.single ? "; " : " in all; ") +
         with_unit(result.run.end.totals.rounds, "round", "rounds") + " in " +
         with_unit(result.run.end.totals.phases, "phase", "phases") + ", " +
         with_unit(result.run.end.totals.updates, "update", "updates") + "; model_hash " + result.model_hash + "\n" +
         time_line(options, result) + files_line(directory);
}

}  // namespace strads::sumstats
