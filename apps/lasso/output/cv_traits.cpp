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

}  // namespace

std::vector<std::string> files_of_traits() {
  return {kTraitsFile, kTraceFile, kConfigFile, kLogFile};
}

std::string traits_table(const StudyResults& results) {
  std::string out = "trait\tsamples\tfolds\tlambdas\tstop_reason";
  out += choice_columns("min") + choice_columns("1se") + (results.ratios > 1 ? "\tl1_ratio" : "") + "\tpath_hash\n";
  for (std::size_t t = 0; t < results.traits(); ++t) {
    const PathResult& trait = results.best_of_trait(t);
    out += name_of(trait) + "\t" + std::to_string(trait.data->dataset->columns().samples()) + "\t" +
           std::to_string(trait.group.folds.count) + "\t" + std::to_string(trait.curve.mean.size()) + "\t" +
           trait.stop_reason + choice_fields(trait, trait.curve.least) + choice_fields(trait, trait.curve.simplest) +
           (results.ratios > 1 ? "\t" + exact_text(trait.group.l1_ratio) : "") + "\t" + trait.path_hash + "\n";
  }
  return out;
}

Summary traits_summary(const CvOptions& options, const StudyResults& results, const RunFacts& run) {
  const FitOptions& fit = options.path.fit;
  const bool complete =
      std::all_of(results.list.begin(), results.list.end(), [](const PathResult& one) { return one.tolerance_met; });
  std::vector<Summary> list;
  for (std::size_t t = 0; t < results.traits(); ++t) {
    const PathResult& trait = results.best_of_trait(t);
    Summary& facts = list.emplace_back();
    facts.add("trait", trait.data->dataset->response_name());
    add_family(facts, *trait.data);
    if (!trait.group.family->is_squares()) facts.add("measure", measure_name(trait.measure));
    facts.add("stop_reason", trait.stop_reason);
    facts.add("tolerance_met", trait.tolerance_met);
    facts.add("solutions_unmet", solutions_unmet(trait));
    facts.add("samples", trait.data->dataset->columns().samples());
    facts.add("folds", trait.group.folds.count);
    facts.add("lambdas", std::uint64_t{trait.curve.mean.size()});
    add_unseen(facts, unseen_of(trait));
    if (!trait.curve.mean.empty()) {
      facts.add("lambda_min", chosen(trait, trait.curve.least));
      facts.add("lambda_1se", chosen(trait, trait.curve.simplest));
    }
    facts.add("path_hash", trait.path_hash);
    if (results.ratios > 1) {
      facts.add("l1_ratio", trait.group.l1_ratio);
      add_ratios(facts, results.of_trait(t));
    }
  }
  Summary summary;
  summary.add("program", "lasso cv");
  summary.add("stop_reason", run.stop_reason);
  summary.add("tolerance_met", complete);
  summary.add("traits", list);
  summary.add("measure", options.measure);
  summary.add("tolerance", fit.lasso.tolerance);
  summary.add("relative_gap_worst", worst_relative_gap(results.list));
  add_penalty(summary, fit);
  add_run(summary, fit, run);
  add_options(summary, fit);
  add_nodes(summary, run);
  return summary;
}

std::string traits_closing_lines(const CvOptions& options, const StudyResults& results, const RunFacts& run,
                                 const RunDirectory& directory) {
  const FitOptions& fit = options.path.fit;
  const auto& source = fit.input.source.name();
  std::string out =
      "fitted   " + with_unit(results.traits(), "trait", "traits") + " on " + base_name(source) + ": " +
      with_unit(variables_of(results.list.front()), "variable", "variables") + ", " +
      with_unit(results.list.front().group.folds.count, "fold", "folds") + ", " +
      (fit.lasso.family->is_squares() ? "" : std::string(fit.lasso.family->name) + ", ") +
      (results.ratios > 1 ? with_unit(results.ratios, "l1 ratio", "l1 ratios") + ", " : penalty_text(fit)) + "policy " +
      fit.policy + "\n";
  out += "quality  " + run.stop_reason + ": " + largest_gap_text(worst_relative_gap(results.list)) + ", tolerance " +
         short_text(fit.lasso.tolerance, 3) + "\n";
  for (std::size_t t = 0; t < std::min(results.traits(), kTraitLinesMax); ++t) {
    const PathResult& trait = results.best_of_trait(t);
    out += "trait    " + name_of(trait) + ": " +
           with_unit(trait.data->dataset->columns().samples(), "sample", "samples") + ", " +
           (results.ratios > 1 ? ratio_text(trait) + ", " : "") + choices_text(trait) + "\n";
  }
  if (results.traits() > kTraitLinesMax) {
    out += "         and " + std::to_string(results.traits() - kTraitLinesMax) + " more" +
           (directory.exists() ? ": " + directory.path_of(kTraitsFile) : "") + "\n";
  }
  out += unseen_line(results.list);
  out += "size     " + work_text(run) + "\n";
  return out + time_and_files(fit, run, directory, "trait");
}

}  // namespace strads::lasso
