#include "mf/output/cv_output.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "strads/program/grid_edge.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

std::string field(double value) {
  return "\t" + (std::isfinite(value) ? exact_text(value) : std::string());
}

Swept swept_by(const CvPlan& plan, const CvResult& result) {
  Swept swept;
  for (std::size_t f = 0; f < result.fits.size(); ++f) {
    const auto sweeps = static_cast<double>(result.fits[f].sweeps);
    swept.sweeps += sweeps;
    if (plan.kind == CvKind::slim) continue;  // which has no passes over ratings
    swept.ratings += sweeps * static_cast<double>(result.data.folds[plan.fold_of(f)]->train_size);
  }
  return swept;
}

void add_axes(Summary& facts, CvKind kind, const CvPoint& point) {
  for (const CvAxis& axis : axes_of(kind, point)) facts.add(axis.name, axis.value);
}

Summary ranked_point_facts(CvKind kind, const CvScore& score) {
  Summary facts;
  add_axes(facts, kind, score.point);
  facts.add("complete", score.complete);
  facts.add("folds_finished", score.finished);
  add_lists(facts, score.lists);
  facts.add("standard_error", score.lists_error);
  if (kind == CvKind::ratings) facts.add("test_rmse", score.rmse);
  return facts;
}

void add_choice(Summary& summary, const char* name, CvKind kind, const CvScore& score) {
  if (score.by_lists) return summary.add(name, ranked_point_facts(kind, score));
  Summary choice;
  choice.add("rank", score.point.rank);
  choice.add("lambda", score.point.lambda);
  choice.add("test_rmse", score.rmse);
  choice.add("test_rmse_error", score.rmse_error);
  summary.add(name, choice);
}

Summary point_facts(const CvScore& score) {
  Summary facts;
  facts.add("rank", score.point.rank);
  facts.add("lambda", score.point.lambda);
  facts.add("complete", score.complete);
  facts.add("folds_finished", score.finished);
  facts.add("test_rmse", score.rmse);
  facts.add("test_rmse_error", score.rmse_error);
  facts.add("test_mae", score.mae);
  facts.add("sweeps", score.sweeps);
  facts.add("best_sweep", score.best_sweep);
  return facts;
}

Summary ranked_fit_facts(const CvPlan& plan, std::size_t f, const CvFit& fit) {
  Summary facts;
  facts.add("fold", std::uint64_t{plan.fold_of(f) + 1});
  add_axes(facts, plan.kind, plan.points[plan.point_of(f)]);
  facts.add("finished", fit.finished);
  facts.add("stop_reason", fit.stop_reason);
  facts.add("objective", fit.objective);
  add_lists(facts, fit.ranked.means);
  facts.add("test_users", fit.ranked.users);
  if (plan.kind == CvKind::slim) facts.add("weights", fit.weights);
  if (plan.kind == CvKind::ratings) facts.add("test_rmse", fit.test.rmse);
  if (plan.kind != CvKind::slim) facts.add("sweeps", fit.sweeps);
  if (plan.kind != CvKind::slim) facts.add("best_sweep", fit.best_sweep);
  facts.add("model_hash", fit.model_hash);
  return facts;
}

Summary fit_facts(const CvPlan& plan, std::size_t f, const CvFit& fit) {
  if (plan.by_lists()) return ranked_fit_facts(plan, f, fit);
  Summary facts;
  facts.add("fold", std::uint64_t{plan.fold_of(f) + 1});
  facts.add("rank", plan.points[plan.point_of(f)].rank);
  facts.add("lambda", plan.points[plan.point_of(f)].lambda);
  facts.add("finished", fit.finished);
  facts.add("stop_reason", fit.stop_reason);
  facts.add("objective", fit.objective);
  facts.add("train_rmse", fit.train.rmse);
  facts.add("validation_rmse", fit.validation.rmse);
  facts.add("test_rmse", fit.test.rmse);
  facts.add("test_mae", fit.test.mae);
  facts.add("test_ratings", fit.test.ratings);
  facts.add("sweeps", fit.sweeps);
  facts.add("best_sweep", fit.best_sweep);
  facts.add("model_hash", fit.model_hash);
  return facts;
}

void add_data(Summary& summary, const CvOptions& options, const CvData& data) {
  std::vector<std::uint32_t> train, validation, test;
  for (const auto& fold : data.pairs) train.push_back(static_cast<std::uint32_t>(fold->pairs()));
  for (const auto& fold : data.folds) {
    train.push_back(static_cast<std::uint32_t>(fold->train_size));
    validation.push_back(static_cast<std::uint32_t>(fold->ratings->validation.size()));
    test.push_back(static_cast<std::uint32_t>(fold->ratings->test.size() + fold->ratings->strangers.size()));
  }
  if (!data.ranked.empty()) {
    test.clear();
    for (const auto& fold : data.ranked) test.push_back(static_cast<std::uint32_t>(fold->held_out.pairs));
  }
  summary.add("ratings", data.ratings);
  summary.add("users", data.users);
  summary.add("items", data.items);
  summary.add("duplicates", data.duplicates);
  summary.add("folds", options.plan.folds);
  summary.add("train_ratings", train);
  summary.add("validation_ratings", validation);
  summary.add("test_ratings", test);
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// One line a point, marks at the end.
std::string table_for_people(const CvPlan& plan, const std::vector<CvScore>& scores,
                             const std::optional<CvChoice>& choice) {
  const auto line = [](const std::string(&cells)[6]) {
    constexpr std::size_t kWidths[] = {6, 10, 12, 12, 10, 8};
    std::string text;
    for (std::size_t c = 0; c < 6; ++c) text += padded(cells[c], kWidths[c]);
    return text;
  };
  std::string text = line({"rank", "lambda", "test RMSE", "+- error", "MAE", "sweeps"}) + "\n";
  for (std::size_t p = 0; p < scores.size(); ++p) {
    const CvScore& score = scores[p];
    const auto cell = [&](double value, int digits) {
      return score.complete ? short_text(value, digits) : std::string("-");
    };
    text += line({std::to_string(score.point.rank), short_text(score.point.lambda), cell(score.rmse, 5),
                  cell(score.rmse_error, 2), cell(score.mae, 5), cell(score.sweeps, 3)});
    if (!score.complete) {
      text += "  incomplete: " + std::to_string(score.finished) + " of " + with_unit(plan.folds, "fold", "folds");
      if (!score.failure.empty()) text += ", " + score.failure;
    }
    if (choice.has_value() && p == choice->best) text += "  best";
    if (choice.has_value() && p == choice->simplest) text += "  simplest within one error";
    text += "\n";
  }
  return text;
}

}  // namespace

std::string cv_table(const CvPlan& plan, const CvResult& result) {
  if (plan.by_lists()) return ranked_cv_table(plan, result);
  std::string text = "rank\tlambda\tfolds_finished\ttest_rmse\ttest_rmse_error\ttest_mae\tsweeps\tbest_sweep";
  for (const char* name : {"rmse", "mae", "sweeps"}) {
    for (std::uint32_t k = 1; k <= plan.folds; ++k) text += "\tfold" + std::to_string(k) + "_" + name;
  }
  text += "\n";
  const auto scores = scores_of(plan, result.fits);
  for (std::size_t p = 0; p < scores.size(); ++p) {
    const CvScore& score = scores[p];
    text += std::to_string(score.point.rank) + "\t" + exact_text(score.point.lambda) + "\t" +
            std::to_string(score.finished);
    for (const double value : {score.rmse, score.rmse_error, score.mae, score.sweeps, score.best_sweep}) {
      text += field(value);
    }
    const auto of_folds = [&](auto value_of) {
      for (std::size_t f = p; f < result.fits.size(); f += plan.points.size()) {
        const CvFit& fit = result.fits[f];
        text += field(fit.finished ? value_of(fit) : std::numeric_limits<double>::quiet_NaN());
      }
    };
    of_folds([](const CvFit& fit) { return fit.test.rmse; });
    of_folds([](const CvFit& fit) { return fit.test.mae; });
    of_folds([](const CvFit& fit) { return static_cast<double>(fit.sweeps); });
    text += "\n";
  }
  return text;
}

Summary cv_summary(const CvOptions& options, const CvResult& result) {
  const CvPlan& plan = options.plan;
  const auto scores = scores_of(plan, result.fits);
  Summary summary;
  summary.add("program", "mf cv");
  summary.add("stop_reason", result.stop_reason);
  summary.add("finished", result.finished);
  if (const auto choice = choice_of(scores); choice.has_value()) {
    add_choice(summary, "best", plan.kind, scores[choice->best]);
    add_choice(summary, "simplest_within_one_error", plan.kind, scores[choice->simplest]);
  }
  std::vector<Summary> points, fits;
  for (const CvScore& score : scores) {
    points.push_back(score.by_lists ? ranked_point_facts(plan.kind, score) : point_facts(score));
  }
  for (std::size_t f = 0; f < result.fits.size(); ++f) fits.push_back(fit_facts(plan, f, result.fits[f]));
  if (plan.by_lists()) {
    summary.add("metric", strads::mf::name_of(plan.by));
    Summary popular;
    add_lists(popular, popularity_of(result));
    summary.add("popularity", popular);
  }
  summary.add("points", points);
  summary.add("fits", fits);
  add_data(summary, options, result.data);
  add_work(summary, result, swept_by(plan, result));
  add_execution(summary, options.fit, result);
  summary.add("solver", options.fit.solver);
  if (plan.kind == CvKind::ratings) summary.add("regularization", options.fit.regularization);
  if (plan.kind == CvKind::implicit) summary.add("implicit_objective", options.fit.objective);
  summary.add("tolerance", options.fit.mf.tolerance);
  summary.add("balance", options.fit.balance);
  add_engine(summary, options.fit);
  add_cluster(summary, result, swept_by(plan, result));
  return summary;
}

namespace {
std::string best_so_far(const CvPlan& plan, const CvResult& result) {
  const auto scores = scores_of(plan, result.fits);
  const auto choice = choice_of(scores);
  if (!choice.has_value()) return "";
  const CvScore& best = scores[choice->best];
  return "best so far " + point_text(plan.kind, best.point) + ": " +
         (best.by_lists ? strads::mf::name_of(plan.by) + " " + short_text(best.lists[best.metric], 4)
                        : "test " + short_text(best.rmse, 5));
}
}  // namespace

ProgressLine cv_progress_line(const CvPlan& plan, const CvResult& result, std::size_t ended, const ProgressEvent& event,
                              double seconds) {
  ProgressLine line(seconds);
  line.count({"fit", ended, plan.size()});
  const auto& figures = event.certificate.figures;
  if (plan.kind != CvKind::slim && figures.size() >= kFigures) {
    line.text(ProgressRank::figure, "one in sweep " + short_text(figures[kFigureSweep] + 1));
  }
  const std::string best = best_so_far(plan, result);
  return best.empty() ? line : line.text(ProgressRank::quality, best);
}

std::string edge_of_grid(const CvPlan& plan, const CvPoint& best) {
  std::vector<std::uint32_t> ranks;
  for (const CvPoint& point : plan.points) ranks.push_back(point.rank);
  const auto next_rank = [](std::uint32_t rank, double ratio) {
    // By the ratio of the last two, at least by one: 10, 20 -> 40, 80.
    const double further = ratio > 1 ? std::max(rank + 1.0, std::round(rank * ratio)) : std::floor(rank * ratio);
    return static_cast<std::uint32_t>(std::clamp(further, 1.0, kRankMax));
  };
  const auto next_number = [](double number, double ratio) { return number == 0 ? number : number * ratio; };
  std::string text;
  const auto add = [&text](const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  };
  if (plan.kind != CvKind::slim) add(beyond_grid("rank", "ranks", ranks, best.rank, next_rank));
  const auto axes = axes_of(plan.kind, best);
  for (std::size_t a = plan.kind == CvKind::slim ? 0 : 1; a < axes.size(); ++a) {
    std::vector<double> tried;
    for (const CvPoint& point : plan.points) tried.push_back(axes_of(plan.kind, point)[a].value);
    add(beyond_grid(axes[a].name, axes[a].list, tried, axes[a].value, next_number));
  }
  return text;
}

namespace {
std::string fits_rate(const CvResult& result) {
  return short_text(static_cast<double>(result.fits.size()) / std::max(1e-9, result.seconds_solve), 3) + " fits/s";
}
}  // namespace

std::string cv_closing_lines(const CvOptions& options, const OptionTable& table, const CvResult& result,
                             const RunDirectory& directory) {
  const CvPlan& plan = options.plan;
  const auto scores = scores_of(plan, result.fits);
  const auto choice = choice_of(scores);
  const std::string name = std::filesystem::path(options.fit.input.path).filename().string();
  const bool ranked = plan.by_lists();
  std::string text = ranked ? ranked_table(plan, result, scores, choice) : table_for_people(plan, scores, choice);
  text += "tried    " + name + ": " + std::to_string(result.data.ratings) +
          (plan.kind == CvKind::ratings ? " ratings, " : " pairs, ") +
          with_unit(plan.points.size(), "point", "points") + " on " + with_unit(plan.folds, "fold", "folds") +
          ", solver " + options.fit.solver + "; " + result.stop_reason + "\n";
  if (choice.has_value()) {
    const CvScore& best = scores[choice->best];
    const CvScore& simplest = scores[choice->simplest];
    const std::string measure = ranked ? strads::mf::name_of(plan.by) : "test RMSE";
    const auto value = [&](const CvScore& score) { return ranked ? score.lists[score.metric] : score.rmse; };
    text += "best     " + point_text(plan.kind, best.point) + ": " + measure + " " + short_text(value(best), 5) +
            " +- " + short_text(best.loss_error(), 2);
    if (choice->simplest != choice->best) {
      text += "; simplest within one error: " + point_text(plan.kind, simplest.point) + ", " +
              short_text(value(simplest), 5);
    }
    if (const std::string edge = edge_of_grid(plan, best.point); !edge.empty()) text += "\nedge     " + edge;
    const std::string rescaled = rescaled_text(plan, best.point, options.fit.slim);
    if (!rescaled.empty()) text += "\nrescaled " + rescaled;
    text += "\nnext     " + fit_command_of(point_for_all(plan, best.point, options.fit.slim), table, plan.kind) +
            " --out DIR\n";
  } else {
    text += "best     unknown: no point has all its folds\n";
  }
  if (plan.kind == CvKind::slim)
    return text + time_line(options.fit, result, fits_rate(result)) + files_line(directory);
  return text + time_and_files(options.fit, result, swept_by(plan, result), directory);
}

}  // namespace strads::mf
