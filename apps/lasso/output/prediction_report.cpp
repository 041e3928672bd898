#include "lasso/output/prediction_report.hpp"

#include <cmath>

#include "lasso/output/run_summary.hpp"

namespace strads::lasso {
namespace {

/// Rows that take part and have a response.
std::vector<std::size_t> scored_rows(const Dataset& data) {
  const ColumnsView& view = data.columns();
  std::vector<std::size_t> rows;
  std::size_t next_dropped = 0;
  for (std::size_t i = 0; i < data.response().size(); ++i) {
    if (next_dropped < view.dropped_rows.size() && view.dropped_rows[next_dropped] == i) {
      ++next_dropped;
    } else if (!std::isnan(data.response()[i])) {
      rows.push_back(i);
    }
  }
  return rows;
}

std::string score_text(const Predicted& done) {
  std::optional<Score> best;
  std::size_t which = 0;
  for (std::size_t k = 0; k < done.predictions.size(); ++k) {
    const auto score = score_of(done.data, done.predictions[k]);
    if (!score.has_value() || (best.has_value() && score->r2 <= best->r2)) continue;
    best = score;
    which = k;
  }
  if (!best.has_value()) return "";
  const bool several = done.names.size() > 1;
  return ", R2 " + std::string(several ? "at most " : "") + short_text(best->r2, 5) + " against '" +
         field(done.data.response_name()) + "' (" + (several ? done.names[which] + ", " : std::string()) +
         with_unit(best->samples, "sample", "samples") + ")";
}

}  // namespace

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

std::string what_was_predicted(const Predicted& done, bool wanted) {
  const Matching& matching = done.matching;
  const std::uint64_t all = done.model.variables.size();
  const std::uint64_t matched = all - matching.absent - matching.other_alleles - matching.ambiguous;
  const bool scored = wanted || done.data.response_name() == done.model.response;
  return with_unit(done.data.columns().samples(), "sample", "samples") + " predicted with " + std::to_string(matched) +
         " of the model's " + with_unit(all, "variable", "variables") + (scored ? score_text(done) : "");
}

}  // namespace strads::lasso
