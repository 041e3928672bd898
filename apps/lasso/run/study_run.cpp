#include "lasso/run/study_run.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "lasso/problem/warm_start.hpp"
#include "lasso/report/closing_lines.hpp"
#include "lasso/report/model_files.hpp"
#include "lasso/report/path_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "lasso/report/study_summary.hpp"
#include "lasso/run/cv_kept.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

/// Of the solutions that all paths have. Those who watch are asked again, of what is about to be written.
void finish_curve(PathResult& result) {
  const auto watched = result.group.watched();
  std::size_t common = watched.empty() ? 0 : result.steps.size();
  for (const std::size_t path : watched) common = std::min(common, result.steps_of(path).size());
  result.curve = {};
  if (common == 0) return;
  std::vector<std::vector<FoldError>> errors;
  std::size_t samples = 0;
  for (const std::size_t path : watched) {
    auto& own = errors.emplace_back();
    samples += result.group.paths[path].watchers.size();
    for (std::size_t k = 0; k < common; ++k) {
      own.push_back(held_out_error(result.group, path, result.steps_of(path)[k], result.measure));
    }
  }
  result.curve = curve_of(std::move(errors), samples, result.measure);
  const bool squares_of_numbers = result.measure == Measure::mse && result.group.family->is_squares();
  if (squares_of_numbers && result.is_cross_validated()) result.variance = response_variance(result.group);
}

/// All paths end with so many lambdas, but for a fit that follows a choice.
void cut_at(PathResult& result, std::size_t count) {
  for (std::size_t path = 0; path < result.group.paths.size(); ++path) {
    if (result.group.paths[path].follows == Follows::choice) continue;
    auto& steps = result.steps_of(path);
    steps.resize(std::min(steps.size(), count));
  }
}

/// Of the log's last lines.
std::string end_text(const PathResult& result, bool is_fit) {
  if (is_fit) {
    const Solution& solution = result.steps.front();
    return result.stop_reason + ", relative gap " + short_text(solution.certificate.relative_gap, 4) + ", " +
           std::to_string(solution.variables.size()) + " nonzeros, beta_hash " + solution.beta_hash;
  }
  const std::string lambdas = ", " + with_unit(result.steps.size(), "lambda", "lambdas");
  return result.stop_reason + (result.is_cross_validated() ? "" : lambdas) + ", path_hash " + result.path_hash;
}

}  // namespace

StudyRun::StudyRun(std::string command, const StudyOptions& options)
    : LassoRun(std::move(command), options.fit(), options.table), kind_(options.kind), all_(options.all) {
  results_.ratios = kind_ == StudyKind::fit ? 1 : all_.path.l1_ratios.size();
  results_.list.resize(all_.path.trait_count() * results_.ratios);
}

Result<Study> StudyRun::make_study() {
  return lasso::make_study(datasets_, options_.lasso, design_of(kind_, all_));
}

Result<RunList> StudyRun::make_runs() {
  STRADS_ASSIGN_OR_RETURN(auto made, make_study());
  const std::vector<PathGroup> groups = std::move(made.groups);
  facts().data = groups.front().data();
  note_covariates(*facts().data, "");
  for (std::size_t g = 0; options_.lasso.warm_start != nullptr && g < groups.size(); g += results_.ratios) {
    const LassoData& data = *groups[g].data();
    report_note(whose_trait(g) + warm_start_text(data.start, data.dataset->columns().samples()));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    PathResult& result = results_.list[g];
    result.group = groups[g];
    result.data = result.group.data();
    if (Status measured = choose_measure(g); !measured.ok()) return measured;
    result.followers.resize(result.group.paths.size() - 1);
    result.ends.resize(result.group.paths.size());
    note_group(g);
  }
  for (std::size_t g = results_.ratios; g < groups.size(); g += results_.ratios) {
    note_covariates(*results_.list[g].data, whose_trait(g));
  }
  for (const PathResult& result : results_.list) {
    const bool may_end = stop().after > 0 || !result.group.validate().empty();
    watchers_.push_back(may_end && !result.group.watched().empty() ? watchers_of(result.group, result.measure, stop())
                                                                   : nullptr);
  }
  runs_ = make_study_runs(
      groups, options_.lasso, options_.engine,
      [this](const PathPlace& at, const Solution& solution) { keep(at, solution); }, watchers_);
  for (std::size_t run = 0; run < runs_.places.size(); ++run) {
    const PathPlace& at = runs_.places[run];
    runs_.requests[run].name = whose(at.group) + results_.list[at.group].group.paths[at.path].name;
  }
  RunList list{std::move(runs_.requests), at_once(), {}};
  const bool alone = list.runs.size() == 1 && groups.front().watched().empty();
  if (!alone) list.fingerprint = study_fingerprint(groups);
  return list;
}

void StudyRun::note_group(std::size_t g) {
  const PathGroup& group = results_.list[g].group;
  if (!group.validate().empty() && g % results_.ratios == 0) {
    report_note(whose_trait(g) + "split: " + split_text(group) + " samples");
  }
  for (std::size_t f = 0; g % results_.ratios == 0 && f < group.folds.count; ++f) {
    log_.info(whose_trait(g) + "fold " + group.folds.names[f] + ": " +
              with_unit(group.folds.sizes[f], "sample", "samples") + " held out");
  }
}

Status StudyRun::choose_measure(std::size_t g) {
  PathResult& result = results_.list[g];
  const Measure wanted = kind_ == StudyKind::cv ? all_.error : all_.path.error;
  auto measure = measure_of(result.group, wanted);
  if (!measure.ok()) return Status(measure.status().code(), whose_trait(g) + measure.status().message());
  result.measure = measure.value();
  if (result.measure != wanted && g % results_.ratios == 0) {
    report_note(whose_trait(g) +
                "fewer than 10 samples a fold for --measure auc: deviance takes its place, as in cv.glmnet");
  }
  return {};
}

/// Paths that wait for each other have to be there together.
std::size_t StudyRun::at_once() const {
  const bool one_by_one = results_.list.size() == 1 && !first().group.has(Follows::lambdas);
  std::size_t count = one_by_one ? 1 : runs_at_once(options_.machine, options_.cluster);
  for (std::size_t g = 0; g < watchers_.size(); ++g) {
    const PathGroup& group = results_.list[g].group;
    if (watchers_[g] != nullptr && group.has(Follows::lambdas)) count = std::max(count, group.paths.size());
  }
  return count;
}

std::string StudyRun::whose_trait(std::size_t group) const {
  return all_.path.traits.empty() ? "" : field(all_.path.traits[group / results_.ratios]) + ": ";
}

std::string StudyRun::whose(std::size_t group) const {
  return whose_trait(group) + (results_.ratios > 1 ? ratio_text(results_.list[group].group.l1_ratio) + ": " : "");
}

/// On the coordinator's thread.
void StudyRun::keep(const PathPlace& at, const Solution& solution) {
  PathResult& result = results_.list[at.group];
  const Path& path = result.group.paths[at.path];
  std::string more;
  if (at.path == 0 && !path.watchers.empty()) {
    more = std::string(", ") + measure_name(result.measure) + " on val " +
           short_text(watchers_[at.group]->curve(solution.index + 1).mean.back(), 6);
  }
  LassoRun::keep(result.steps_of(at.path), solution,
                 whose(at.group) + (path.name.empty() ? "" : path.name + ", ") + "lambda" +
                     (path.follows == Follows::choice ? "" : " " + std::to_string(solution.index + 1)),
                 more);
}

ProgressPrinter::Line StudyRun::progress_formatter() {
  if (is_fit()) return {};
  return [this](const ProgressEvent& event, double seconds) {
    const std::lock_guard lock(mutex_);
    return progress_line(event, seconds);
  };
}

void StudyRun::note_end(std::size_t run, const RunEnd& end) {
  const PathPlace& at = runs_.places[run];
  runs_.note_end(run);
  const std::lock_guard lock(mutex_);
  results_.list[at.group].ends[at.path] = end;
  if (at.path == 0 && results_.list[at.group].group.has(Follows::choice)) choose(at.group);
}

/// Of a path that ended before its first lambda was solved, that one, where the scan has said what it is: what it has
/// come to there is chosen for want of another. A point that was asked about and then not accepted has an error and no
/// step.
void StudyRun::choose(std::size_t group) {
  const Curve curve = watchers_[group]->curve(results_.list[group].steps.size());
  const bool has_any = !curve.mean.empty() || !runs_.leads[group]->lambdas.empty();
  runs_.choose(group, has_any ? std::optional(curve.least) : std::nullopt);
}

std::optional<KeptOfRun> StudyRun::kept_of(std::size_t run) {
  const PathPlace& at = runs_.places[run];
  const std::lock_guard lock(mutex_);
  return kept_of_path(results_.list[at.group].steps_of(at.path), at.path == 0 ? runs_.leads[at.group].get() : nullptr);
}

Status StudyRun::take_back(std::size_t run, const RunEnd& end, const KeptOfRun& kept) {
  const PathPlace& at = runs_.places[run];
  PathResult& result = results_.list[at.group];
  auto& steps = result.steps_of(at.path);
  PathLead* const lead = at.path == 0 ? runs_.leads[at.group].get() : nullptr;
  if (Status taken = take_back_path(kept, steps, lead); !taken.ok()) return taken;
  const auto watched = result.group.watched();
  const auto place = std::ranges::find(watched, at.path);
  if (watchers_[at.group] != nullptr && place != watched.end()) {
    for (const Solution& step : steps) {
      watchers_[at.group]->score_solution(static_cast<std::size_t>(place - watched.begin()), step);
    }
  }
  note_end(run, end);
  return {};
}

Status StudyRun::conclude() {
  if (runs_.places.size() == 1) note_end(0, results_.run.run.end);  // nobody tells of the one run
  for (std::size_t g = 0; g < results_.list.size(); ++g) finish(g);
  note_unrepresented();
  results_.run.seconds_solve = solving_.seconds();
  for (std::size_t g = 0; g < results_.list.size(); ++g) {
    if (Status checked = check_group(g); !checked.ok()) return checked;
  }
  note_zeros();
  judge_ends();
  note_choices_at_the_end();
  for (std::size_t g = 0; g < results_.list.size(); ++g) {
    log_.info(whose(g) + "end: " + end_text(results_.list[g], is_fit()));
  }
  if (Status written = directory_.exists() ? write() : Status(); !written.ok()) return written;
  show(closing_lines(), [this] { return summary_of_study(kind_, all_, results_); });
  return ended(std::ranges::all_of(results_.list, [](const PathResult& one) { return one.tolerance_met; }));
}

/// Where a path was that ended before its first lambda was solved, as `lasso fit` keeps it. No curve is made of where
/// the paths without a fold were.
void StudyRun::keep_unfinished(std::size_t g, std::size_t path) {
  PathResult& result = results_.list[g];
  const Path& own = result.group.paths[path];
  auto& steps = result.steps_of(path);
  if (is_fit()) steps = {solution_of(result.ends[path])};
  if (!steps.empty() || own.follows == Follows::lambdas) return;
  steps = unfinished(result.ends[path], solving_.seconds());
  if (path == 0 && result.is_cross_validated()) result.followers.assign(result.followers.size(), {});
  if (steps.empty() || own.name.empty()) return;
  report_note(whose(g) + unfinished_text((own.follows == Follows::choice ? "the fit of " : "the path on ") + own.name) +
              (own.watchers.empty() ? "" : "; that is what is chosen"));
}

/// From what judges have accepted to what is written.
void StudyRun::finish(std::size_t g) {
  PathResult& result = results_.list[g];
  for (std::size_t path = 0; path < result.group.paths.size(); ++path) {
    keep_unfinished(g, path);
    const Path& own = result.group.paths[path];
    auto& steps = result.steps_of(path);
    // It may have gone on beyond the end of the first path, of which it hears when it is there.
    if (own.follows == Follows::lambdas) steps.resize(std::min(steps.size(), result.steps.size()));
    for (Solution& step : steps) complete(*own.data, result.ends[path], step);
  }
  finish_curve(result);
  if (watchers_[g] != nullptr) {
    // Paths that are watched beside each other hear of their mean error one lambda later, which is not counted.
    const std::size_t count = watchers_[g]->until_stop(result.curve.mean.size());
    result.has_stopped = watchers_[g]->is_enough(count);
    if (result.has_stopped) {
      cut_at(result, count);
      finish_curve(result);
    }
  }
  for (std::size_t path = 0; path < result.group.paths.size(); ++path) {
    if (result.group.paths[path].follows == Follows::lambdas) continue;
    for (const Solution& step : result.steps_of(path)) count_unrepresented(step);
  }
}

/// How many of its first solutions are true.
Result<std::size_t> StudyRun::check_path(std::size_t g, std::size_t path) {
  PathResult& result = results_.list[g];
  const Path& own = result.group.paths[path];
  auto& steps = result.steps_of(path);
  const FittedPath written = fitted_path(*own.data, steps);
  Status checked =
      check(*own.data, result.ends[path], steps, written, whose(g) + (own.name.empty() ? "" : own.name + ", "),
            result.group.l1_ratio, whose_trait(g) + own.name);
  if (!checked.ok()) return checked;
  std::size_t sound = 0;
  while (sound < steps.size() && steps[sound].index == sound) ++sound;
  return sound;
}

/// Of a false solution nothing is written. Where somebody watches, all paths end before it: no curve is made of it.
/// Where it was chosen, or fitted, or comes before that, nothing is left.
Status StudyRun::check_group(std::size_t g) {
  PathResult& result = results_.list[g];
  std::size_t count = result.steps.size();
  const bool is_watched = !result.group.watched().empty();
  for (std::size_t path = 0; path < result.group.paths.size(); ++path) {
    if (result.group.paths[path].follows == Follows::choice) continue;
    const std::size_t before = result.steps_of(path).size();
    STRADS_ASSIGN_OR_RETURN(const auto sound, check_path(g, path));
    if (sound < before) count = std::min(count, sound);
  }
  if (is_fit() && result.steps.empty()) return ended(false, false);
  if (is_fit()) result.ends.front().certificate = result.steps.front().certificate;
  if (is_watched && false_solutions() > 0) {
    const bool nothing_is_chosen = result.is_validated() && count <= result.curve.least;
    if (nothing_is_chosen) return ended(false, false);
    cut_at(result, count);
    finish_curve(result);
  }
  result.path_hash = path_hash(result.steps);
  for (std::size_t path = 1; path < result.group.paths.size(); ++path) {
    if (result.group.paths[path].follows != Follows::choice || result.steps_of(path).empty()) continue;
    if (const auto sound = check_path(g, path); !sound.ok()) return sound.status();
    if (result.steps_of(path).empty()) return ended(false, false);
  }
  return {};
}

/// Why each group, and the whole, ended.
void StudyRun::judge_ends() {
  RunFacts& run = results_.run;
  std::string whole = "converged";
  for (PathResult& result : results_.list) {
    std::string reason = "converged";
    result.tolerance_met = !result.steps.empty() && (result.group.watched().empty() || result.has_choice());
    for (std::size_t path = 0; path < result.ends.size(); ++path) {
      const RunEnd& end = result.ends[path];
      const bool is_there = result.group.paths[path].follows != Follows::choice || !result.steps_of(path).empty();
      result.tolerance_met = result.tolerance_met && end.certificate.converged && is_there;
      if (end.certificate.converged || reason != "converged") continue;
      reason = reason_of_end(end.stop_reason.empty() ? run.run.end.stop_reason : end.stop_reason);
    }
    if (whole == "converged") whole = reason;
    const auto data = result.data;
    static_cast<RunFacts&>(result) = run;
    result.data = data;
    result.stop_reason = reason;
    result.run.end = result.ends.front();
    result.run.end.totals = run.run.end.totals;
    if (result.is_validated()) score_models(result);
  }
  run.stop_reason = whole;
}

/// Of each trait at its best ratio.
void StudyRun::note_choices_at_the_end() {
  for (std::size_t g = 0; g < results_.list.size(); g += results_.ratios) {
    const PathResult& best = results_.best_of_trait(g / results_.ratios);
    if (!best.has_choice() || !best.tolerance_met || best.curve.least + 1 != best.steps.size()) continue;
    const std::string text = beyond_the_last(options_.lasso, best.steps.size(), best.ends[0]);
    if (text.empty()) continue;
    report_note(whose_trait(g) + (best.is_cross_validated() ? "lambda.min" : "the best of val") + text);
  }
}

}  // namespace strads::lasso
