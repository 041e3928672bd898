#include "svm/report/fit_report.hpp"

#include <vector>

#include "regression/texts.hpp"
#include "strads/program/program.hpp"

namespace strads::svm {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Of all samples, those whose class is predicted.
double accuracy_of(const FitResult& result) {
  const std::uint64_t samples = result.loaded.data->samples();
  return share(samples - result.check.wrong, samples);
}

/// "classes a, b", "20 classes".
std::string classes_text(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 4;
  if (names.size() > kNamed) return std::to_string(names.size()) + " classes";
  std::string out = "classes ";
  for (std::size_t k = 0; k < names.size(); ++k) out += (k == 0 ? "" : ", ") + lasso::field(names[k]);
  return out;
}

Summary class_facts(const FitResult& result, std::size_t k) {
  Summary facts;
  facts.add("class", result.classifier.classes[k]);
  facts.add("samples", result.loaded.counts[k]);
  if (!result.loaded.data->class_weights.empty()) facts.add("weight", result.loaded.data->class_weights[k]);
  if (result.classifier.has_one_plane()) return facts;
  facts.add("objective", result.check.primal[k]);
  facts.add("dual_objective", result.check.dual[k]);
  facts.add("duality_gap", result.check.gap[k]);
  facts.add("errors", result.check.errors[k]);
  facts.add("offset", result.classifier.planes[k].offset);
  return facts;
}

void add_problem(Summary& summary, const FitOptions& options, const FitResult& result) {
  summary.add("loss", options.loss);
  summary.add("cost", options.svm.cost);
  summary.add("bias", options.svm.bias);
  if (!options.class_weights.empty()) summary.add("class_weights", options.class_weights);
  if (!options.input.response.weights.empty()) summary.add("weights", options.input.response.weights);
  std::vector<Summary> classes;
  for (std::size_t k = 0; k < result.classifier.classes.size(); ++k) classes.push_back(class_facts(result, k));
  summary.add("classes", classes);
}

void add_data(Summary& summary, const FitResult& result) {
  add_samples(summary, *result.loaded.dataset);
  summary.add("entries", result.loaded.data->rows.entries());
  summary.add("missing_imputed", result.loaded.dataset->missing_imputed() + result.loaded.missing);
}

void add_work(Summary& summary, const FitOptions& options, const FitResult& result) {
  const RunTotals& totals = result.run.end.totals;
  summary.add("rounds", totals.rounds);
  summary.add("empty_rounds", totals.empty_rounds);
  summary.add("phases", totals.phases);
  summary.add("blocks", totals.blocks);
  summary.add("updates", totals.updates);
  summary.add("updates_critical_path", totals.updates_path);
  summary.add("flops", totals.flops);
  summary.add("flops_critical_path", totals.flops_path);
  add_traffic(summary, result);
  add_execution(summary, options, result);
  summary.add("policy", options.policy);
  add_engine(summary, options);
}

std::string size_text(const FitOptions& options, const FitResult& result) {
  const RunTotals& totals = result.run.end.totals;
  std::string text = with_unit(result.check.support, "support vector", "support vectors");
  if (options.svm.loss == Loss::hinge) text += " (" + std::to_string(result.check.at_bound) + " at the bound)";
  return text + ", " + with_unit(result.classifier.shape.variables.size(), "nonzero", "nonzeros") + "; " +
         with_unit(totals.rounds, "round", "rounds") + " in " + with_unit(totals.phases, "phase", "phases") + ", " +
         with_unit(totals.updates, "update", "updates") + "; model_hash " + result.model_hash;
}

}  // namespace

void add_quality(Summary& summary, const FitOptions& options, const FitResult& result) {
  const SvmCheck& check = result.check;
  summary.add("stop_reason", result.stop_reason);
  summary.add("tolerance", options.svm.tolerance);
  summary.add("tolerance_met", result.tolerance_met);
  summary.add("objective", check.objective);
  summary.add("dual_objective", check.dual_objective);
  summary.add("duality_gap", check.objective - check.dual_objective);
  summary.add("relative_gap", check.worst_gap);
  summary.add("support_vectors", check.support);
  if (options.svm.loss == Loss::hinge) summary.add("at_bound", check.at_bound);
  summary.add("training_accuracy", accuracy_of(result));
  summary.add("nonzeros", std::uint64_t{result.classifier.shape.variables.size()});
  if (result.classifier.has_one_plane()) summary.add("offset", result.classifier.planes.front().offset);
  summary.add("model_hash", result.model_hash);
}

void add_samples(Summary& summary, const Dataset& dataset) {
  summary.add("samples", lasso::sample_facts(dataset));
  Summary variables, excluded;
  std::uint64_t count = 0;
  for (const Dropped& reason : dataset.dropped_variables()) {
    excluded.add(reason.reason, reason.count);
    count += reason.count;
  }
  variables.add("in_file", dataset.columns().columns);
  variables.add("kept", dataset.columns().columns - count);
  if (!dataset.dropped_variables().empty()) variables.add("excluded_by", excluded);
  summary.add("variables", variables);
}

std::vector<std::string> notes_of_input(const Dataset& dataset) {
  std::vector<std::string> notes = dataset.warnings();
  for (const Dropped& dropped : dataset.dropped_samples()) {
    notes.push_back(std::to_string(dropped.count) + " samples left out: " + dropped.reason);
  }
  for (const Dropped& dropped : dataset.dropped_variables()) {
    notes.push_back(std::to_string(dropped.count) + " variables left out: " + dropped.reason);
  }
  return notes;
}

std::string quality_text(const FitOptions& options, const FitResult& result) {
  const std::string sign = result.check.worst_gap <= options.svm.tolerance ? " <= " : " > ";
  return result.stop_reason + ": objective " + short_text(result.check.objective, 10) + ", " +
         (result.classifier.has_one_plane() ? "" : "largest ") + "gap / objective " +
         short_text(result.check.worst_gap, 3) + sign + "tolerance " + short_text(options.svm.tolerance) + ", " +
         short_text(accuracy_of(result), 5) + " of the training classes right";
}

ProgressLine progress_line(const ProgressEvent& event, double seconds) {
  ProgressLine line(seconds);
  if (event.kind == ProgressEvent::Kind::started) return line.text(ProgressRank::quality, "samples looked at");
  const Certificate& certificate = event.certificate;
  line.number(ProgressRank::round, "round", "round", event.totals.rounds);
  if (certificate.figures.size() >= kFigures) {
    line.figure(ProgressRank::objective, "objective", "objective", certificate.objective, 8)
        .figure(ProgressRank::quality, "relative_gap", "gap / objective", certificate.figures[kFigureWorstGap], 3)
        .number(ProgressRank::figure, "support_vectors", "support vectors", certificate.nonzeros, true);
  }
  const double rate = seconds > 0 ? static_cast<double>(event.totals.updates) / seconds : 0;
  return line.rate("updates_per_second", "updates/s", rate);
}

Summary summary_of(const FitOptions& options, const FitResult& result) {
  Summary summary;
  summary.add("program", "svm fit");
  summary.add("response", result.loaded.dataset->response_name());
  add_problem(summary, options, result);
  add_quality(summary, options, result);
  add_work(summary, options, result);
  add_data(summary, result);
  add_cluster(summary, result, [&result](Summary& own, const NodeReport& node) {
    own.add("updates_share", share(node.updates, result.run.end.totals.updates));
  });
  return summary;
}

std::string closing_lines(const FitOptions& options, const FitResult& result, const RunDirectory& directory) {
  const Dataset& dataset = *result.loaded.dataset;
  const std::string response = lasso::field(dataset.response_name());
  return "fitted   " + (response.empty() ? "classes" : response) + " on " +
         lasso::base_name(options.input.source.name()) + ": " +
         with_unit(dataset.columns().samples(), "sample", "samples") + " x " +
         with_unit(dataset.columns().columns, "variable", "variables") + ", " +
         classes_text(result.classifier.classes) + ", loss " + options.loss + ", cost " + short_text(options.svm.cost) +
         ", policy " + options.policy + "\nquality  " + quality_text(options, result) + "\nsize     " +
         size_text(options, result) + "\n" + time_line(options, result) + files_line(directory);
}

}  // namespace strads::svm
