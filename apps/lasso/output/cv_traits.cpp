#include "lasso/output/cv_traits.hpp"

#include <algorithm>

#include "lasso/output/family_facts.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kTraitLinesMax = 8;  ///< of traits, where people read them all

/// One choice on the curve: lambda, lambda_y, lambda_ratio, error, standard error, nonzeros, R2; all NA without a
/// curve.
std::string choice_fields(const CvResult& trait, std::size_t k) {
  if (trait.curve.mean.empty()) return "\tNA\tNA\tNA\tNA\tNA\tNA\tNA";
  const PathStep& step = trait.steps[k];
  std::string out;
  for (const double value :
       {step.point.lambda, lambda_in_y(*trait.data, step.point.lambda), step.point.lambda / step.solution.lambda_max,
        trait.curve.mean[k], trait.curve.standard_error[k]}) {
    out += "\t" + exact_text(value);
  }
  return out + "\t" + std::to_string(step.solution.variables.size()) + "\t" +
         (trait.variance.has_value() ? exact_text(held_out_r2(trait, k)) : "NA");
}

std::string name_of(const CvResult& trait) {
  return field(trait.data->dataset->response_name());
}

double worst_relative_gap_of(std::span<const CvResult> traits) {
  double worst = 0;
  for (const CvResult& trait : traits) worst = std::max(worst, worst_relative_gap(trait));
  return worst;
}

}  // namespace

std::vector<std::string> files_of_traits() {
  return {kTraitsFile, kTraceFile, kConfigFile, kLogFile};
}

std::string traits_table(std::span<const CvResult> traits) {
  std::string out = "trait\tsamples\tfolds\tlambdas\tstop_reason";
  for (const std::string choice : {"min", "1se"}) {
    for (const std::string column :
         {"lambda_", "lambda_y_", "lambda_ratio_", "error_", "standard_error_", "nonzeros_", "r2_"}) {
      out += "\t" + column + choice;
    }
  }
  out += "\tpath_hash\n";
  for (const CvResult& trait : traits) {
    out += name_of(trait) + "\t" + std::to_string(trait.data->dataset->columns().samples()) + "\t" +
           std::to_string(trait.cv.folds.count) + "\t" + std::to_string(trait.curve.mean.size()) + "\t" +
           trait.stop_reason + choice_fields(trait, trait.curve.least) + choice_fields(trait, trait.curve.simplest) +
           "\t" + trait.path_hash + "\n";
  }
  return out;
}

Summary traits_summary(const CvOptions& options, std::span<const CvResult> traits, const RunFacts& run) {
  const FitOptions& fit = options.path.fit;
  const bool complete =
      std::all_of(traits.begin(), traits.end(), [](const CvResult& one) { return one.tolerance_met; });
  std::vector<Summary> list;
  for (const CvResult& trait : traits) {
    Summary& facts = list.emplace_back();
    facts.add("trait", trait.data->dataset->response_name());
    add_family(facts, *trait.data->dataset);
    if (trait.cv.family == Family::binomial) facts.add("measure", measure_name(trait.measure));
    facts.add("stop_reason", trait.stop_reason);
    facts.add("tolerance_met", trait.tolerance_met);
    facts.add("solutions_unmet", solutions_unmet(trait));
    facts.add("samples", trait.data->dataset->columns().samples());
    facts.add("folds", trait.cv.folds.count);
    facts.add("lambdas", std::uint64_t{trait.curve.mean.size()});
    if (!trait.curve.mean.empty()) {
      facts.add("lambda_min", chosen(trait, trait.curve.least));
      facts.add("lambda_1se", chosen(trait, trait.curve.simplest));
    }
    facts.add("path_hash", trait.path_hash);
  }
  Summary summary;
  summary.add("program", "lasso cv");
  summary.add("stop_reason", run.stop_reason);
  summary.add("tolerance_met", complete);
  summary.add("traits", list);
  summary.add("measure", options.measure);
  summary.add("tolerance", fit.lasso.tolerance);
  summary.add("relative_gap_worst", worst_relative_gap_of(traits));
  add_penalty(summary, fit);
  add_run(summary, fit, run);
  add_options(summary, fit);
  add_nodes(summary, run);
  return summary;
}

std::string traits_closing_lines(const CvOptions& options, std::span<const CvResult> traits, const RunFacts& run,
                                 const RunDirectory& directory) {
  const FitOptions& fit = options.path.fit;
  const auto& totals = run.run.end.totals;
  const auto& source = fit.input.source();
  std::string out = "fitted   " + with_unit(traits.size(), "trait", "traits") + " on " + base_name(source) + ": " +
                    with_unit(variables_of(traits.front()), "variable", "variables") + ", " +
                    with_unit(traits.front().cv.folds.count, "fold", "folds") + ", " +
                    (fit.lasso.family == Family::binomial ? "binomial, " : "") + penalty_text(fit) + "policy " +
                    fit.policy + "\n";
  out += "quality  " + run.stop_reason + ": largest gap / objective " + short_text(worst_relative_gap_of(traits), 3) +
         ", tolerance " + short_text(fit.lasso.tolerance, 3) + "\n";
  for (std::size_t t = 0; t < std::min(traits.size(), kTraitLinesMax); ++t) {
    const CvResult& trait = traits[t];
    out += "trait    " + name_of(trait) + ": " +
           with_unit(trait.data->dataset->columns().samples(), "sample", "samples") + ", ";
    out += trait.curve.mean.empty() ? "no lambda was solved without every fold\n"
                                    : chosen_text(trait, "lambda.min", trait.curve.least) + ", " +
                                          chosen_text(trait, "lambda.1se", trait.curve.simplest) + "\n";
  }
  if (traits.size() > kTraitLinesMax) {
    out += "         and " + std::to_string(traits.size() - kTraitLinesMax) + " more" +
           (directory.exists() ? ": " + directory.path_of(kTraitsFile) : "") + "\n";
  }
  out += "size     " + with_unit(totals.rounds, "round", "rounds") + " in " +
         with_unit(totals.phases, "phase", "phases") + ", " + with_unit(totals.updates, "update", "updates") + "\n";
  return out + time_and_files(fit, run, directory);
}

}  // namespace strads::lasso
