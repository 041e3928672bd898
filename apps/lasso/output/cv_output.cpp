#include "lasso/output/cv_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lasso/output/covariate_facts.hpp"
#include "lasso/output/family_facts.hpp"
#include "lasso/output/run_summary.hpp"
#include "regression/picture.hpp"

namespace strads::lasso {
namespace {

double fold_mean(const CvResult& result, std::size_t fold, std::size_t k) {
  return result.errors[fold][k].sum / result.errors[fold][k].weight;
}

const char* choice_of(const CvCurve& curve, std::size_t k) {
  if (k == curve.least && k == curve.simplest) return "min,1se";
  if (k == curve.least) return "min";
  return k == curve.simplest ? "1se" : "";
}

/// As a field of a table: NA where the fold has no number, as the area under the curve of one class alone.
std::string fold_field(const CvResult& result, std::size_t fold, std::size_t k) {
  const double mean = fold_mean(result, fold, k);
  return std::isnan(mean) ? "NA" : exact_text(mean);
}

double lambda_ratio(const PathStep& step) {
  return over_lambda_max(step.point.lambda, step.solution.lambda_max);
}

}  // namespace

double worst_relative_gap(const CvResult& result) {
  double worst = worst_relative_gap(result.steps);
  for (const auto& fold : result.folds) worst = std::fmax(worst, worst_relative_gap(fold));
  return worst;
}

std::optional<Unseen> unseen_of(const CvResult& result) {
  return result.has_stopped ? unseen_of(result.ends.front(), result.curve.mean.size()) : std::nullopt;
}

std::string unseen_line(std::span<const CvResult> results) {
  std::vector<Unseen> unseen;
  for (const CvResult& one : results) {
    if (const auto own = unseen_of(one)) unseen.push_back(*own);
  }
  return unseen_line(unseen, results.size());
}

double held_out_r2(const CvResult& result, std::size_t k) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return result.variance.value_or(0) > 0 ? 1 - result.curve.mean[k] / *result.variance : kNone;
}

std::uint64_t solutions_unmet(const CvResult& result) {
  std::uint64_t count = lambdas_unmet(result.steps).size();
  for (const auto& fold : result.folds) count += lambdas_unmet(fold).size();
  return count;
}

Summary chosen(const CvResult& result, std::size_t k) {
  Summary facts;
  add_choice(facts, result, k);
  return facts;
}

void add_choice(Summary& summary, const CvResult& result, std::size_t k) {
  const PathStep& step = result.steps[k];
  summary.add("index", std::uint64_t{k + 1});
  summary.add("lambda", step.point.lambda);
  summary.add("lambda_y", lambda_in_y(*result.data, step.point.lambda));
  summary.add("lambda_ratio", lambda_ratio(step));
  summary.add("error", result.curve.mean[k]);
  summary.add("standard_error", result.curve.standard_error[k]);
  if (result.cv.family == Family::gaussian) summary.add("r2", held_out_r2(result, k));
  summary.add("nonzeros", std::uint64_t{step.solution.variables.size()});
  summary.add("beta_hash", step.beta_hash);
}

std::string chosen_text(const CvResult& result, const char* name, std::size_t k) {
  return std::string(name) + " " + short_text(result.steps[k].point.lambda, 4) +
         over_lambda_max_text(result.steps[k].point.lambda, result.steps[k].solution.lambda_max, 3) + " (" +
         (result.cv.family == Family::binomial ? std::string(measure_name(result.measure)) + " " : "") +
         short_text(result.curve.mean[k], 5) + " +- " + short_text(result.curve.standard_error[k], 2) +
         (result.variance.value_or(0) > 0 ? ", R2 " + short_text(held_out_r2(result, k), 3) : "") + ", " +
         with_unit(result.steps[k].solution.variables.size(), "nonzero", "nonzeros") + ")";
}

std::string fold_model_file(std::size_t fold) {
  return "fold_" + std::to_string(fold + 1) + ".bin";
}

std::string cv_table(const CvResult& result) {
  const bool binomial = result.cv.family == Family::binomial;
  std::string out = "index\tlambda\tlambda_y\tlambda_ratio\tnonzeros\tmean\tstandard_error";
  out += binomial ? "\tmeasure\tchoice" : "\tchoice";
  for (const std::string& name : result.cv.folds.names) out += "\tfold_" + field(name);
  out += "\n";
  for (std::size_t k = 0; k < result.curve.mean.size(); ++k) {
    const PathStep& step = result.steps[k];
    out += std::to_string(k + 1);
    for (const double value : {step.point.lambda, lambda_in_y(*result.data, step.point.lambda)}) {
      out += "\t" + exact_text(value);
    }
    out += "\t" + ratio_field(lambda_ratio(step));
    out += "\t" + std::to_string(step.solution.variables.size()) + "\t" + exact_text(result.curve.mean[k]) + "\t" +
           exact_text(result.curve.standard_error[k]) + "\t" +
           (binomial ? std::string(measure_name(result.measure)) + "\t" : "") + choice_of(result.curve, k);
    for (std::size_t f = 0; f < result.errors.size(); ++f) out += "\t" + fold_field(result, f, k);
    out += "\n";
  }
  return out;
}

std::string cv_paths_table(const CvResult& result) {
  std::string out =
      "fold\tindex\tlambda\tlambda_y\tnonzeros\tdeviance_ratio\tobjective\tgap\trelative_gap\t"
      "tolerance_met\tintercept\tphases\terror\tbeta_hash\n";
  for (std::size_t f = 0; f < result.folds.size(); ++f) {
    const LassoData& data = *result.cv.parts[f + 1];
    for (std::size_t k = 0; k < result.folds[f].size(); ++k) {
      const PathStep& step = result.folds[f][k];
      const Certificate& certificate = step.point.certificate;
      out += field(result.cv.folds.names[f]) + "\t" + std::to_string(k + 1) + "\t" + exact_text(step.point.lambda) +
             "\t" + exact_text(lambda_in_y(data, step.point.lambda)) + "\t" +
             std::to_string(step.solution.variables.size());
      for (const double value : {step.original.r2, certificate.objective, certificate.gap, certificate.relative_gap}) {
        out += "\t" + exact_text(value);
      }
      out += "\t" + yes_or_no(certificate.converged) + "\t" + exact_text(step.original.intercept);
      const bool known = f < result.errors.size() && k < result.errors[f].size();
      out += "\t" + std::to_string(step.point.phases) + "\t" + (known ? fold_field(result, f, k) : "NA") + "\t" +
             step.beta_hash + "\n";
    }
  }
  return out;
}

std::string cv_picture(const CvResult& result) {
  const CvCurve& curve = result.curve;
  std::vector<double> xs, ys;
  for (std::size_t k = 0; k < curve.mean.size(); ++k) {
    xs.push_back(place_of_lambda(result.steps[k].point.lambda, result.steps[k].solution.lambda_max));
    ys.insert(ys.end(), {curve.mean[k] - curve.standard_error[k], curve.mean[k] + curve.standard_error[k]});
  }
  Picture picture(field(result.data->dataset->response_name()) + ": " + std::to_string(result.cv.folds.count) +
                      "-fold cross-validation",
                  "-log10(lambda / lambda_max)", measure_text(result.measure, result.cv.family), range_of(xs),
                  range_of(ys));
  for (std::size_t k = 0; k < xs.size(); ++k) picture.dot(xs[k], curve.mean[k], curve.standard_error[k]);
  picture.mark(xs[curve.simplest], "lambda.1se", 0);
  picture.mark(xs[curve.least], "lambda.min", 1);
  for (std::size_t k = 0; k < xs.size(); k += std::max<std::size_t>(1, (xs.size() + 7) / 8)) {
    picture.top(xs[k], std::to_string(result.steps[k].solution.variables.size()));
  }
  picture.top_label(kNonzerosAxis);
  return picture.svg();
}

namespace {

/// Of all parts of all of them.
std::uint64_t solutions_of(const CvResults& results) {
  std::uint64_t solutions = 0;
  for (const CvResult& one : results.list) {
    solutions += one.steps.size();
    for (const auto& fold : one.folds) solutions += fold.size();
  }
  return solutions;
}

}  // namespace

std::size_t best_ratio(std::span<const CvResult> ratios) {
  std::vector<std::size_t> places;
  std::vector<double> best;
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    if (ratios[r].curve.mean.empty()) continue;
    places.push_back(r);
    best.push_back(ratios[r].curve.mean[ratios[r].curve.least]);
  }
  return best.empty() ? 0 : places[best_of(best, ratios.front().measure)];
}

const CvResult& CvResults::best_of_trait(std::size_t trait) const {
  const auto own = of_trait(trait);
  return own[best_ratio(own)];
}

std::string cv_progress_line(const CvResults& results, const ProgressEvent& event, double seconds) {
  // How many there will be is known when the paths on all samples have ended.
  std::uint64_t all = 0;
  bool known = true;
  for (const CvResult& one : results.list) {
    known = known && !one.ends.front().stop_reason.empty();
    all += one.steps.size() * (1 + one.folds.size());
  }
  return (results.traits() == 1 ? "" : with_unit(results.traits(), "trait", "traits") + "  ") +
         (results.ratios == 1 ? "" : with_unit(results.ratios, "l1 ratio", "l1 ratios") + "  ") +
         with_unit(results.list.front().folds.size(), "fold", "folds") + "  " + std::to_string(solutions_of(results)) +
         (known ? " of " + std::to_string(all) : "") + " solutions  round " + std::to_string(event.totals.rounds) +
         "  " + short_text(seconds, 3) + " s";
}

std::string cv_trace_row(const CvResults& results, const ProgressEvent& event, double seconds) {
  if (event.kind != ProgressEvent::Kind::barrier) return "";
  std::string row = exact_text(seconds) + (event.verified ? ",verified" : ",barrier");
  for (const std::uint64_t count :
       {event.totals.rounds, std::uint64_t{event.phase}, solutions_of(results), event.totals.updates,
        event.totals.updates_path, event.totals.flops, event.totals.flops_path, std::uint64_t{event.blocks}}) {
    row += "," + std::to_string(count);
  }
  return row;
}

void add_penalty(Summary& summary, const FitOptions& fit) {
  if (fit.lasso.l1_ratio != 1) summary.add("l1_ratio", fit.lasso.l1_ratio);
  if (fit.lasso.nonnegative) summary.add("nonnegative", true);
  if (!fit.input.penalty_factors.empty()) summary.add("penalty_factors", fit.input.penalty_factors);
  if (!fit.input.weights.empty()) summary.add("weights", fit.input.weights);
}

std::uint64_t variables_of(const CvResult& result) {
  return result.steps.empty() ? result.data->dataset->columns().columns : result.steps.front().solution.kept;
}

namespace {

/// How one or several of them ended.
struct CvEnd {
  std::string stop_reason = "converged";  ///< of the first that has not converged
  bool tolerance_met = true;
  std::uint64_t unmet = 0;
  double worst_gap = std::numeric_limits<double>::quiet_NaN();

  explicit CvEnd(std::span<const CvResult> results) {
    for (const CvResult& one : results) {
      if (stop_reason == "converged") stop_reason = one.stop_reason;
      tolerance_met = tolerance_met && one.tolerance_met;
      unmet += solutions_unmet(one);
      worst_gap = std::fmax(worst_gap, worst_relative_gap(one));
    }
  }
};

}  // namespace

Summary cv_summary(const CvOptions& options, const CvResult& result, const RunFacts* run,
                   std::span<const CvResult> all) {
  const CvEnd end(all.empty() ? std::span(&result, 1) : all);
  const FitOptions& fit = options.path.fit;
  const Dataset& dataset = *result.data->dataset;
  Summary summary;
  summary.add("program", "lasso cv");
  summary.add("response", dataset.response_name());
  add_family(summary, dataset);
  summary.add("stop_reason", end.stop_reason);
  summary.add("tolerance_met", end.tolerance_met);
  summary.add("lambdas_unmet", lambdas_unmet(result.steps));
  summary.add("solutions_unmet", end.unmet);
  summary.add("folds", result.cv.folds.count);
  summary.add("measure", measure_name(result.measure));
  if (options.stratify) summary.add("stratify", true);
  if (options.stop.after > 0) {
    summary.add("stop_after", options.stop.after);
    summary.add("stop_from", options.stop.from);
    summary.add("stopped_by_error", result.has_stopped);
    add_unseen(summary, unseen_of(result));
  }
  summary.add("grouped", result.curve.grouped);
  summary.add("lambdas", std::uint64_t{result.curve.mean.size()});
  if (!result.curve.mean.empty()) {
    summary.add("lambda_min", chosen(result, result.curve.least));
    summary.add("lambda_1se", chosen(result, result.curve.simplest));
  }
  summary.add("tolerance", fit.lasso.tolerance);
  summary.add("relative_gap_worst", end.worst_gap);
  add_penalty(summary, fit);
  summary.add("path_hash", result.path_hash);
  std::vector<std::string> hashes;
  hashes.reserve(result.folds.size());
  for (const auto& fold : result.folds) {
    std::vector<std::string> own;
    own.reserve(fold.size());
    for (const PathStep& step : fold) own.push_back(step.beta_hash);
    hashes.push_back(path_hash(own));
  }
  summary.add("fold_path_hashes", hashes);
  if (run != nullptr) add_run(summary, fit, *run);
  add_options(summary, fit);
  summary.add("samples", sample_facts(dataset));
  if (!result.steps.empty()) summary.add("variables", variable_facts(*result.data, result.steps.back().solution));
  add_covariates(summary, *result.data, {});
  if (run != nullptr) add_nodes(summary, *run);
  return summary;
}

std::string time_and_files(const FitOptions& fit, const RunFacts& run, const RunDirectory& directory,
                           const char* each) {
  constexpr double kMebibyte = 1024.0 * 1024.0;
  std::string files;
  std::set<std::string> folders;
  for (const auto& file : directory.files()) {
    const std::size_t slash = file.find('/');
    if (slash != std::string::npos) folders.insert(file.substr(0, slash + 1));
    if (slash == std::string::npos) files += (files.empty() ? "" : ", ") + file;
  }
  constexpr std::size_t kFoldersShown = 4;
  for (const auto& folder : folders) {
    if (folders.size() <= kFoldersShown) files += ", " + folder;
  }
  if (folders.size() > kFoldersShown) files += std::string(", and a folder for each ") + each;
  return "time     load " + short_text(run.seconds_load, 3) + " s, solve " + short_text(run.seconds_solve, 3) +
         " s, check " + short_text(run.seconds_check, 3) + " s, peak memory " +
         short_text(static_cast<double>(peak_rss_bytes()) / kMebibyte, 4) + " MiB" +
         (fit.cluster.wanted() ? ", " + cluster_text(fit.cluster) : "") + "\n" + "files    " +
         (directory.exists() ? directory.path() + ": " + files : "none written; --out DIR keeps the results") + "\n";
}

std::string work_text(const RunFacts& run) {
  const auto& totals = run.run.end.totals;
  return with_unit(totals.rounds, "round", "rounds") + " in " + with_unit(totals.phases, "phase", "phases") + ", " +
         with_unit(totals.updates, "update", "updates");
}

std::string cv_closing_lines(const CvOptions& options, const CvResult& result, const RunFacts& run,
                             const RunDirectory& directory) {
  const FitOptions& fit = options.path.fit;
  const Dataset& dataset = *result.data->dataset;
  const auto& source = fit.input.source();
  const auto name = field(dataset.response_name());
  std::string out = "fitted   " + (name.empty() ? "response" : name) + " on " + base_name(source) + ": " +
                    with_unit(dataset.columns().samples(), "sample", "samples") + " x " +
                    with_unit(variables_of(result), "variable", "variables") + ", " +
                    with_unit(result.cv.folds.count, "fold", "folds") + " x " +
                    with_unit(result.curve.mean.size(), "lambda", "lambdas") + ", " + family_text(dataset) +
                    penalty_text(fit) + "policy " + fit.policy + "\n";
  out += "quality  " + result.stop_reason + ": ";
  if (result.curve.mean.empty()) {
    out += "no lambda was solved without every fold\n";
  } else {
    out += chosen_text(result, "lambda.min", result.curve.least) + ", " +
           chosen_text(result, "lambda.1se", result.curve.simplest) +
           (result.has_stopped
                ? "; stopped " + with_unit(result.curve.mean.size() - 1 - result.curve.least, "lambda", "lambdas") +
                      " after lambda.min"
                : "") +
           "\n" + unseen_line(unseen_of(result), result.measure, result.cv.family, options.stop, "over the folds");
  }
  const std::uint64_t count = solutions_unmet(result);
  const std::string unmet =
      count == 0 ? "" : " (tolerance not met by " + with_unit(count, "solution", "solutions") + ")";
  out += "size     " + work_text(run) + "; " + largest_gap_text(worst_relative_gap(result)) + unmet + "; path_hash " +
         result.path_hash + "\n";
  return out + time_and_files(fit, run, directory);
}

}  // namespace strads::lasso
