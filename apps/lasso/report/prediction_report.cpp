#include "lasso/report/prediction_report.hpp"

#include <cmath>

#include "lasso/report/family_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "regression/classification.hpp"
#include "regression/people.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

/// Rows that take part and have a response.
std::vector<std::uint32_t> scored_rows(const Dataset& data) {
  if (data.response().empty()) return {};
  std::vector<std::uint32_t> rows = samples_of(data.columns());
  std::erase_if(rows, [&](std::uint32_t row) { return std::isnan(data.response()[row]); });
  return rows;
}

/// The best prediction and its score; nothing where none has one.
template <class AScore>
struct BestOf {
  std::optional<AScore> score;
  std::size_t which = 0;

  /// better(a, b): a is better than b.
  template <class Measured, class Better>
  BestOf(const Predicted& done, Measured measured, Better better) {
    for (std::size_t k = 0; k < done.predictions.size(); ++k) {
      const std::optional<AScore> own = measured(done.data, done.predictions[k]);
      if (!own.has_value() || (score.has_value() && !better(*own, *score))) continue;
      score = own;
      which = k;
    }
  }
};

/// " against 'y' (60 samples)"; of several predictions it is said whose score it is.
std::string against_text(const Predicted& done, std::size_t which, std::uint64_t samples) {
  const std::string& name = done.names[which];
  const char* mean = family_of(done.model)->mean_column;
  const std::string own = mean == nullptr ? name : column_in_place(mean, name);
  return " against '" + field(done.data.response_name()) + "' (" + (done.names.size() > 1 ? own + ", " : "") +
         with_unit(samples, "sample", "samples") + ")";
}

std::string numbers_text(const Predicted& done) {
  const BestOf<Score> best(done, score_of, [](const Score& a, const Score& b) { return a.r2 > b.r2; });
  if (!best.score.has_value()) return "";
  return ", R2 " + std::string(done.names.size() > 1 ? "at most " : "") + short_text(best.score->r2, 5) +
         against_text(done, best.which, best.score->samples);
}

std::string classes_text(const Predicted& done) {
  const BestOf<ClassScore> best(done, class_score_of,
                                [](const ClassScore& a, const ClassScore& b) { return a.deviance < b.deviance; });
  if (!best.score.has_value()) return "";
  const ClassScore& score = *best.score;
  return ", deviance " + std::string(done.names.size() > 1 ? "at least " : "") + short_text(score.deviance, 5) +
         " a sample, " + (std::isnan(score.area) ? "" : "AUC " + short_text(score.area, 5) + ", ") +
         short_text(score.right, 5) + " of the classes right" + against_text(done, best.which, score.samples);
}

/// Of families that are neither.
std::string deviances_text(const Predicted& done) {
  const auto error = family_of(done.model)->find(Measure::deviance)->error;
  const auto mean = [error](const Dataset& data, std::span<const double> links) -> std::optional<double> {
    const auto rows = scored_rows(data);
    double sum = 0;
    for (const std::size_t i : rows) sum += error(data.response()[i], links[i]);
    return rows.empty() ? std::nullopt : std::optional(sum / static_cast<double>(rows.size()));
  };
  const BestOf<double> best(done, mean, [](double a, double b) { return a < b; });
  if (!best.score.has_value()) return "";
  const std::string against = against_text(done, best.which, scored_rows(done.data).size());
  if (std::isnan(*best.score)) {
    return ", no deviance" + against + ", which is not " + family_of(done.model)->response + " everywhere";
  }
  return ", deviance " + std::string(done.names.size() > 1 ? "at least " : "") + short_text(*best.score, 5) +
         " a sample" + against;
}

std::string score_text(const Predicted& done) {
  const Family family = family_of(done.model);
  if (family->is_squares()) return numbers_text(done);
  return family->has_classes ? classes_text(done) : deviances_text(done);
}

}  // namespace

std::string column_in_place(const char* what, const std::string& prediction) {
  return what + prediction.substr(std::string_view("prediction").size());
}

std::optional<Score> score_of(const Dataset& data, std::span<const double> predictions) {
  const auto rows = scored_rows(data);
  double mean = 0;
  for (const std::size_t i : rows) mean += data.response()[i] / static_cast<double>(rows.size());
  double off = 0, total = 0;
  for (const std::size_t i : rows) {
    off += (data.response()[i] - predictions[i]) * (data.response()[i] - predictions[i]);
    total += (data.response()[i] - mean) * (data.response()[i] - mean);
  }
  if (rows.size() < 2 || !(total > 0)) return std::nullopt;
  return Score{1 - off / total, rows.size()};
}

std::optional<ClassScore> class_score_of(const Dataset& data, std::span<const double> links) {
  const auto rows = scored_rows(data);
  if (rows.empty()) return std::nullopt;
  ClassScore score;
  score.samples = rows.size();
  std::vector<double> own_links, is_case;
  double right = 0;
  for (const std::size_t i : rows) {
    own_links.push_back(links[i]);
    is_case.push_back(data.response()[i]);
    score.deviance += deviance_of(links[i], is_case.back() != 0) / static_cast<double>(rows.size());
    right += (links[i] > 0) == (is_case.back() != 0) ? 1 : 0;
  }
  score.right = right / static_cast<double>(rows.size());
  score.area = area_under_curve(own_links, is_case, {});
  return score;
}

std::string what_was_predicted(const Predicted& done, bool wanted) {
  const Matching& matching = done.matching;
  const std::uint64_t all = done.model.variables.size();
  const std::uint64_t matched = all - matching.absent - matching.other_alleles - matching.ambiguous;
  const bool scored = wanted || done.data.response_name() == done.model.response;
  return with_unit(done.data.columns().samples(), "sample", "samples") + " predicted with " + std::to_string(matched) +
         " of the model's " + with_unit(all, "variable", "variables") + (scored ? score_text(done) : "");
}

}  // namespace strads::lasso
