#include "lasso/output/cv_traits.hpp"

#include <algorithm>

#include "lasso/output/cv_ratios.hpp"
#include "lasso/output/family_facts.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kTraitLinesMax = 8;  ///< of traits, where people read them all

std::string name_of(const PathResult& trait) {
  return field(trait.data->dataset->response_name());
}

/// Of each trait at its best ratio; where nobody has compared ratios, all.
std::vector<const PathResult*> shown(const StudyResults& results) {
  std::vector<const PathResult*> all;
  for (std::size_t t = 0; t < results.traits(); ++t) {
    if (results.ratios == 1 || is_watched(results.list.front())) {
      all.push_back(&results.best_of_trait(t));
      continue;
    }
    for (const PathResult& one : results.of_trait(t)) all.push_back(&one);
  }
  return all;
}

/// What a summary of several says of all together. `data`: of one response; null: each has its own.
void add_whole(Summary& summary, const CvOptions& options, std::span<const PathResult> results, const RunFacts* run,
               const LassoData* data) {
  const FitOptions& fit = options.path.fit;
  const PathResult& first = results.front();
  if (is_watched(first)) {
    summary.add("measure", first.is_cross_validated() ? options.measure : options.path.measure);
  }
  summary.add("tolerance", fit.lasso.tolerance);
  summary.add("relative_gap_worst", worst_relative_gap(results));
  FitOptions penalty = fit;
  if (options.path.has_several_ratios()) penalty.lasso.l1_ratio = 1;  // that of each is said above
  add_penalty(summary, penalty);
  const Start* const problem = first.steps.empty() ? nullptr : &first.steps.back().problem;
  add_tail(summary, {.options = &fit, .run = run, .data = data, .problem = problem});
}

}  // namespace

std::string traits_table(const StudyResults& results) {
  const bool folds = results.list.front().is_cross_validated();
  std::string out = std::string("trait\tsamples") + (folds ? "\tfolds" : "") + "\tlambdas\tstop_reason" +
                    choice_columns(results.list.front()) + (results.ratios > 1 ? "\tl1_ratio" : "") + "\tpath_hash\n";
  for (const PathResult* const one : shown(results)) {
    const PathResult& trait = *one;
    out += name_of(trait) + "\t" + std::to_string(trait.data->dataset->columns().samples()) +
           (folds ? "\t" + std::to_string(trait.group.folds.count) : "") + "\t" + std::to_string(lambdas_shown(trait)) +
           "\t" + trait.stop_reason + choice_fields(trait) +
           (results.ratios > 1 ? "\t" + exact_text(trait.group.l1_ratio) : "") + "\t" + trait.path_hash + "\n";
  }
  return out;
}

Summary traits_summary(const CvOptions& options, const StudyResults& results) {
  std::vector<Summary> list;
  for (std::size_t t = 0; t < results.traits(); ++t) {
    const auto ratios = results.of_trait(t);
    const PathResult& trait = results.best_of_trait(t);
    Summary& facts = list.emplace_back();
    facts.add("trait", trait.data->dataset->response_name());
    add_family(facts, *trait.data);
    if (!trait.group.family->is_squares() && trait.is_cross_validated()) {
      facts.add("measure", measure_name(trait.measure));
    }
    const bool compared = ratios.size() == 1 || is_watched(trait);
    if (compared) {
      facts.add("stop_reason", trait.stop_reason);
      facts.add("tolerance_met", trait.tolerance_met);
      facts.add("solutions_unmet", solutions_unmet(trait));
    }
    facts.add("samples", trait.data->dataset->columns().samples());
    if (trait.is_cross_validated()) facts.add("folds", trait.group.folds.count);
    if (compared) {
      add_choices(facts, trait);
      facts.add("path_hash", trait.path_hash);
    }
    if (ratios.size() > 1) {
      if (compared) facts.add("l1_ratio", trait.group.l1_ratio);
      add_ratios(facts, ratios);
    }
  }
  Summary summary;
  summary.add("program", results.list.front().is_cross_validated() ? "lasso cv" : "lasso path");
  summary.add("stop_reason", results.run.stop_reason);
  summary.add("tolerance_met", EndOfAll(results.list).tolerance_met);
  summary.add("traits", list);
  add_whole(summary, options, results.list, &results.run, nullptr);
  return summary;
}

Summary paths_summary(const CvOptions& options, std::span<const PathResult> ratios, const RunFacts* run) {
  const PathResult& first = ratios.front();
  const EndOfAll end(ratios);
  Summary summary = summary_head("lasso path", *first.data);
  summary.add("stop_reason", end.stop_reason);
  summary.add("tolerance_met", end.tolerance_met);
  summary.add("solutions_unmet", end.unmet);
  add_ratios(summary, ratios);
  add_whole(summary, options, ratios, run, first.data.get());
  return summary;
}

std::string traits_closing_lines(const CvOptions& options, const StudyResults& results, const RunFacts& run,
                                 const RunDirectory& directory) {
  const FitOptions& fit = options.path.fit;
  const auto& source = fit.input.source.name();
  std::string out =
      "fitted   " + with_unit(results.traits(), "trait", "traits") + " on " + base_name(source) + ": " +
      with_unit(variables_of(results.list.front()), "variable", "variables") + ", " +
      (results.list.front().is_cross_validated()
           ? with_unit(results.list.front().group.folds.count, "fold", "folds") + ", "
           : "") +
      (fit.lasso.family->is_squares() ? "" : std::string(fit.lasso.family->name) + ", ") +
      (results.ratios > 1 ? with_unit(results.ratios, "l1 ratio", "l1 ratios") + ", " : penalty_text(fit)) + "policy " +
      fit.policy + "\n";
  out += "quality  " + run.stop_reason + ": " + largest_gap_text(worst_relative_gap(results.list)) + ", tolerance " +
         short_text(fit.lasso.tolerance, 3) + "\n";
  const auto lines = shown(results);
  for (std::size_t t = 0; t < std::min(lines.size(), kTraitLinesMax); ++t) {
    const PathResult& trait = *lines[t];
    out += "trait    " + name_of(trait) + ": " +
           with_unit(trait.data->dataset->columns().samples(), "sample", "samples") + ", " +
           (results.ratios > 1 ? ratio_text(trait) + ", " : "") + choices_text(trait) + "\n";
  }
  if (lines.size() > kTraitLinesMax) {
    out += "         and " + std::to_string(lines.size() - kTraitLinesMax) + " more" +
           (directory.exists() ? ": " + directory.path_of(kTraitsFile) : "") + "\n";
  }
  out += unseen_line(results.list);
  out += "size     " + work_text(run) + "\n";
  return out + time_and_files(fit, run, directory, "trait");
}

}  // namespace strads::lasso
