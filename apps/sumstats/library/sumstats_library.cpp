#include "sumstats/library/sumstats_library.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "strads/data/summary_statistics.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "sumstats/choose/fitted_scores.hpp"
#include "sumstats/options/path_options.hpp"
#include "sumstats/run/path_run.hpp"

namespace strads::sumstats {
namespace {

void add_solutions(const PathResult& result, SummaryPathCall& out) {
  const SummaryProblem& problem = *result.loaded->problem;
  out.starts.push_back(0);
  for (std::size_t k = 0; k < result.grid.size(); ++k) {
    std::vector<std::tuple<std::uint32_t, double, double>> entries;
    for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
      if (result.solution.blocks[block].empty()) continue;
      const BlockSolution& own = result.solution.blocks[block][k];
      for (std::size_t i = 0; i < own.places.size(); ++i) {
        const std::size_t v = problem.begins[block] + own.places[i];
        entries.emplace_back(problem.variants[v], own.values[i], own.values[i] * result.loaded->effect[v]);
      }
    }
    std::ranges::sort(entries);
    for (const auto& entry : entries) {
      out.variables.push_back(std::get<0>(entry));
      out.standardized.push_back(std::get<1>(entry));
      out.coefficients.push_back(std::get<2>(entry));
    }
    out.starts.push_back(out.variables.size());
  }
}

void add_variants(const PathResult& result, SummaryPathCall& out) {
  const SummaryProblem& problem = *result.loaded->problem;
  out.variants.columns.assign(problem.variants.begin(), problem.variants.end());
  out.variants.begins.assign(problem.begins.begin(), problem.begins.end());
  out.variants.r = problem.r;
  for (std::size_t v = 0; v < problem.variants.size(); ++v) {
    out.variants.means.push_back(mean_of(*result.loaded, v));
  }
}

void hand_over(const PathResult& result, SummaryPathCall& out) {
  const SummaryData& study = *result.loaded->study;
  out.converged = result.certified == result.grid.size();
  out.samples = result.loaded->problem->panel->columns().samples();
  out.columns = result.loaded->problem->panel->columns().columns;
  out.shrinks = result.grid.shrinks;
  out.lambdas = result.grid.lambdas;
  out.points = result.solution.points;
  add_solutions(result, out);
  add_variants(result, out);
  if (result.choice) {
    out.choice = {result.choice->point, result.choice->by_people, result.choice->measure, result.choice->people};
    out.measured = result.choice->measured;
  }
  for (std::size_t k = 0; k < kSummaryReasons; ++k) {
    if (study.counts.dropped[k] == 0) continue;
    out.variants.dropped.emplace_back(text_of(static_cast<SummaryReason>(k)), study.counts.dropped[k]);
  }
  out.weights = text_of(result.loaded->scale);
  out.lambda_max = result.loaded->lambda_max;
  out.n_max = study.n_max;
  out.frequency_correlation = study.frequency_correlation;
  out.model_hash = result.model_hash;
}

}  // namespace

Result<SummaryPathCall> call_path(const SummaryCall& call) {
  PathOptions options;
  OptionTable table = path_option_table(options);
  if (!call.cluster.empty() && (call.panel != nullptr || call.study != nullptr)) {
    return Status::usage("the nodes of a cluster do not see what lies in this process's memory; write it into files");
  }
  if (Status taken = take_values(table, call.options, call.cluster); !taken.ok()) return taken;
  SummaryPathCall out;
  options.host = host_with_notes(call.host, out.notes);
  options.panel.source.in_memory = call.panel;
  options.panel.source.missing_mean = options.panel.source.missing_mean || call.panel != nullptr;
  options.study_in_memory = call.study;
  options.validation.source.in_memory = call.validation;
  if (Status settled = settle_path_options(options, table); !settled.ok()) return settled;
  PathResult result;
  Status ran = path_in_process(options, table, result);
  if (!has_results(ran)) return ran;
  note_outcome(result, table, out);
  hand_over(result, out);
  return out;
}

std::vector<OptionFacts> options_of_path() {
  PathOptions options;
  return embeddable_options(path_option_table(options));
}

}  // namespace strads::sumstats
