#include "svm/report/cv_report.hpp"

#include <algorithm>
#include <cmath>

#include "regression/texts.hpp"
#include "strads/program/grid_edge.hpp"
#include "strads/program/program.hpp"

namespace strads::svm {
namespace {

bool has_area(const CvResult& result) {
  return result.dataset->class_names().size() == 2;
}

std::string number_field(double value) {
  return "\t" + (std::isfinite(value) ? exact_text(value) : std::string());
}

std::vector<CvScore> scores_in(const CvOptions& options, const CvResult& result) {
  return scores_of(result.plan, options.costs, result.fits);
}

const char* measure_text(Measure measure) {
  return measure == Measure::auc ? "AUC" : measure == Measure::balanced_error ? "balanced error" : "error";
}

/// As people know it: an area, not what lacks of it.
double shown(const CvScore& score, Measure measure) {
  return measure == Measure::auc ? score.area.value : score.by(measure).value;
}

std::string cost_text(const CvScore& score, Measure measure) {
  return "cost " + short_text(score.cost) + ", " + measure_text(measure) + " " + short_text(shown(score, measure), 5) +
         " +- " + short_text(score.by(measure).error, 2);
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string table_for_people(const CvResult& result, const std::vector<CvScore>& scores,
                             const std::optional<CvChoice>& choice) {
  constexpr std::size_t kWidth = 11;
  std::string text;
  for (const char* name : {"cost", "error", "+- error", "balanced"}) text += right(name, kWidth);
  if (has_area(result)) text += right("AUC", kWidth);
  text += right("support", kWidth) + "\n";
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const CvScore& score = scores[c];
    const auto cell = [&](double value, int digits) {
      return right(std::isfinite(value) ? short_text(value, digits) : std::string("-"), kWidth);
    };
    text += cell(score.cost, 6) + cell(score.error.value, 5) + cell(score.error.error, 2) +
            cell(score.balanced_error.value, 5);
    if (has_area(result)) text += cell(score.area.value, 5);
    text += cell(score.support, 5);
    if (!score.complete) {
      text +=
          "  incomplete: " + std::to_string(score.finished) + " of " + with_unit(result.plan.folds, "fold", "folds");
    }
    if (choice.has_value() && c == choice->best) text += "  best";
    if (choice.has_value() && c == choice->simplest) text += "  least within one standard error";
    text += "\n";
  }
  return text;
}

void add_mean(Summary& facts, const std::string& name, const Mean& mean) {
  facts.add(name, mean.value);
  facts.add(name + "_se", mean.error);
}

Summary score_facts(const CvScore& score, bool with_area) {
  Summary facts;
  facts.add("cost", score.cost);
  facts.add("folds_finished", score.finished);
  facts.add("wrong", score.wrong);
  add_mean(facts, "error", score.error);
  add_mean(facts, "balanced_error", score.balanced_error);
  if (with_area) add_mean(facts, "auc", score.area);
  facts.add("support_vectors", score.support);
  facts.add("relative_gap_worst", score.worst_gap);
  return facts;
}

Summary fit_facts(const CvOptions& options, const CvResult& result, std::size_t f) {
  const CvFit& fit = result.fits[f];
  Summary facts;
  facts.add("fold", result.folds.names[result.plan.fold_of(f)]);
  facts.add("cost", options.costs[result.plan.cost_of(f)]);
  facts.add("finished", fit.finished);
  facts.add("tolerance_met", fit.met);
  facts.add("stop_reason", fit.stop_reason);
  facts.add("samples_held_out", fit.samples);
  facts.add("wrong", fit.wrong);
  facts.add("balanced_error", fit.balanced_error);
  if (has_area(result)) facts.add("auc", fit.area);
  facts.add("objective", fit.objective);
  facts.add("relative_gap", fit.relative_gap);
  facts.add("support_vectors", fit.support);
  facts.add("rounds", fit.rounds);
  facts.add("model_hash", fit.model_hash);
  return facts;
}

Summary refit_facts(const CvResult& result) {
  Summary facts;
  facts.add("cost", result.refit_options.svm.cost);
  add_quality(facts, result.refit_options, *result.refit);
  return facts;
}

void add_totals(Summary& summary, const CvOptions& options, const CvResult& result) {
  const RunTotals& totals = result.run.end.totals;
  summary.add("rounds", totals.rounds);
  summary.add("phases", totals.phases);
  summary.add("blocks", totals.blocks);
  summary.add("updates", totals.updates);
  summary.add("flops", totals.flops);
  add_traffic(summary, result);
  add_execution(summary, options.fit, result);
  summary.add("policy", options.fit.policy);
  add_engine(summary, options.fit);
}

}  // namespace

std::string name_of(const CvOptions& options, const CvResult& result, std::size_t fit) {
  return "fold " + result.folds.names[result.plan.fold_of(fit)] + ", cost " +
         short_text(options.costs[result.plan.cost_of(fit)]);
}

std::string cv_table(const CvOptions& options, const CvResult& result) {
  const auto scores = scores_in(options, result);
  const auto choice = choice_of(scores, options.measure);
  std::string text = "cost\tfolds_finished\twrong\terror\terror_se\tbalanced_error\tbalanced_error_se\t";
  if (has_area(result)) text += "auc\tauc_se\t";
  text += "support_vectors\trelative_gap_worst\tchoice";
  for (const char* what : {"wrong", "error", "balanced_error", "auc"}) {
    if (what == std::string("auc") && !has_area(result)) continue;
    for (const std::string& name : result.folds.names) text += "\tfold_" + lasso::field(name) + "_" + what;
  }
  text += "\n";
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const CvScore& score = scores[c];
    text += exact_text(score.cost) + "\t" + std::to_string(score.finished) + "\t" +
            (score.complete ? std::to_string(score.wrong) : "");
    for (const Mean& mean : {score.error, score.balanced_error}) {
      text += number_field(mean.value) + number_field(mean.error);
    }
    if (has_area(result)) text += number_field(score.area.value) + number_field(score.area.error);
    text += number_field(score.support) + number_field(score.worst_gap) + "\t";
    if (choice.has_value() && c == choice->best) text += c == choice->simplest ? "min,1se" : "min";
    if (choice.has_value() && c == choice->simplest && c != choice->best) text += "1se";
    const auto of_folds = [&](auto value_of) {
      for (std::uint32_t f = 0; f < result.plan.folds; ++f) {
        const CvFit& fit = result.fits[result.plan.fit_of(f, c)];
        text += fit.finished ? number_field(value_of(fit)) : "\t";
      }
    };
    of_folds([](const CvFit& fit) { return static_cast<double>(fit.wrong); });
    of_folds([](const CvFit& fit) { return fit.error(); });
    of_folds([](const CvFit& fit) { return fit.balanced_error; });
    if (has_area(result)) of_folds([](const CvFit& fit) { return fit.area; });
    text += "\n";
  }
  return text;
}

Summary summary_of(const CvOptions& options, const CvResult& result) {
  const auto scores = scores_in(options, result);
  const auto choice = choice_of(scores, options.measure);
  Summary summary;
  summary.add("program", "svm cv");
  summary.add("response", result.dataset->response_name());
  summary.add("loss", options.fit.loss);
  summary.add("bias", options.fit.svm.bias);
  if (!options.fit.class_weights.empty()) summary.add("class_weights", options.fit.class_weights);
  summary.add("classes", result.dataset->class_names());
  summary.add("measure", options.measure_name);
  summary.add("stop_reason", result.stop_reason);
  summary.add("finished", result.finished);
  summary.add("tolerance", options.fit.svm.tolerance);
  if (choice.has_value()) {
    summary.add("best", score_facts(scores[choice->best], has_area(result)));
    summary.add("simplest_within_one_error", score_facts(scores[choice->simplest], has_area(result)));
  }
  if (result.refit.has_value()) summary.add("refit", refit_facts(result));
  std::vector<Summary> costs, fits, folds;
  for (const CvScore& score : scores) costs.push_back(score_facts(score, has_area(result)));
  for (std::size_t f = 0; f < result.fits.size(); ++f) fits.push_back(fit_facts(options, result, f));
  for (std::uint32_t f = 0; f < result.plan.folds; ++f) {
    Summary& fold = folds.emplace_back();
    fold.add("name", result.folds.names[f]);
    fold.add("samples", result.folds.sizes[f]);
  }
  summary.add("costs", costs);
  summary.add("folds", folds);
  summary.add("fits", fits);
  add_totals(summary, options, result);
  add_samples(summary, *result.dataset);
  add_cluster(summary, result, [&result](Summary& own, const NodeReport& node) {
    own.add("updates_share",
            static_cast<double>(node.updates) / std::max(1.0, static_cast<double>(result.run.end.totals.updates)));
  });
  return summary;
}

ProgressLine cv_progress_line(const CvOptions& options, const CvResult& result, std::size_t ended,
                              const ProgressEvent& event, double seconds) {
  ProgressLine line(seconds);
  line.count({"fit", ended, result.plan.size() + (options.refit == Refit::none ? 0 : 1)});
  if (event.certificate.figures.size() >= kFigures) {
    line.figure(ProgressRank::figure, "relative_gap", "one at gap / objective",
                event.certificate.figures[kFigureWorstGap], 3);
  }
  const auto scores = scores_in(options, result);
  const auto choice = choice_of(scores, options.measure);
  if (!choice.has_value()) return line;
  return line.text(ProgressRank::quality, "best so far " + cost_text(scores[choice->best], options.measure));
}

std::string edge_of_costs(const CvOptions& options, double best) {
  return beyond_grid("cost", "costs", options.costs, best, [](double cost, double ratio) { return cost * ratio; });
}

std::string closing_lines(const CvOptions& options, const CvResult& result, const RunDirectory& directory) {
  const auto scores = scores_in(options, result);
  const auto choice = choice_of(scores, options.measure);
  const std::string response = lasso::field(result.dataset->response_name());
  std::string text = table_for_people(result, scores, choice);
  text += "tried    " + (response.empty() ? "classes" : response) + " on " +
          lasso::base_name(options.fit.input.source.name()) + ": " +
          with_unit(result.dataset->columns().samples(), "sample", "samples") + " of " +
          with_unit(result.dataset->class_names().size(), "class", "classes") + ", " +
          with_unit(options.costs.size(), "cost", "costs") + " on " + with_unit(result.plan.folds, "fold", "folds") +
          ", loss " + options.fit.loss + "; " + result.stop_reason + "\n";
  if (choice.has_value()) {
    text += "best     " + cost_text(scores[choice->best], options.measure);
    if (choice->simplest != choice->best) {
      text += "; least within one standard error: " + cost_text(scores[choice->simplest], options.measure);
    }
    const std::string edge = edge_of_costs(options, scores[choice->best].cost);
    text += (edge.empty() ? "" : "\nedge     " + edge) + "\n";
  } else {
    text += "best     unknown: no cost has all its folds\n";
  }
  if (result.refit.has_value()) {
    text += "refit    all samples, cost " + short_text(result.refit_options.svm.cost) + ": " +
            quality_text(result.refit_options, *result.refit) + ", " +
            with_unit(result.refit->check.support, "support vector", "support vectors") + "; model_hash " +
            result.refit->model_hash + "\n";
  }
  return text + time_line(options.fit, result) + files_line(directory);
}

}  // namespace strads::svm
