#include "lasso/study/study_runs.hpp"

#include <algorithm>
#include <utility>

#include "lasso/model/lasso_model.hpp"

namespace strads::lasso {
namespace {

/// What the first path of a group says to those that follow it.
struct Lead {
  std::shared_ptr<PathLead> says = std::make_shared<PathLead>();
  std::shared_ptr<PathLead> choice = std::make_shared<PathLead>();  ///< one lambda
  bool ended = false;                                               ///< in order or not
  bool has_chosen = false;                                          ///< a lambda, or that there is none
};

/// Those who watch the paths of a group.
struct Watching {
  std::shared_ptr<Watchers> watchers;     ///< null: nobody ends a path
  std::optional<std::size_t> place = {};  ///< among them, of those who watch this path
  bool alone = false;                     ///< they watch no other path
};

Watching watching(const PathGroup& group, std::size_t path, const std::shared_ptr<Watchers>& watchers) {
  if (watchers == nullptr) return {};
  const auto watched = group.watched();
  const auto found = std::ranges::find(watched, path);
  Watching own{.watchers = watchers, .alone = watched == std::vector<std::size_t>{0}};
  if (found != watched.end()) own.place = static_cast<std::size_t>(found - watched.begin());
  return own;
}

/// One path: its options become those of its own in here.
class PathRun {
 public:
  PathRun(const PathGroup& group, const Path& path, std::shared_ptr<Lead> lead, Watching watching)
      : path_(path), l1_ratio_(group.l1_ratio), lead_(std::move(lead)), by_(std::move(watching)) {}

  RunRequest request(LassoOptions own, const EngineOptions& engine, const PathRecorded& recorded) const {
    own.l1_ratio = l1_ratio_;
    own.path.lead = path_.follows == Follows::choice ? lead_->choice : lead_->says;
    own.path.follows = path_.follows != Follows::nobody;
    const auto solved = std::make_shared<std::size_t>(0);
    if (has_company()) {
      own.path.enough = [by = by_.watchers](const Solution& point) { return by->is_enough(point.index); };
    } else if (by_.place) {
      own.path.enough = [by = by_](const Solution& point) {
        by.watchers->score_solution(*by.place, point);
        return by.watchers->is_enough(point.index + 1);
      };
    }
    RunRequest request;
    request.engine = engine;
    request.make_model = [data = path_.data, own, tell = told(solved, recorded),
                          needs_one = path_.follows == Follows::choice]() -> Result<std::shared_ptr<Model>> {
      if (needs_one && own.path.lead->lambdas.empty()) {
        return Status(StatusCode::stopped, "the path on train ended without a solution: there is no lambda to choose");
      }
      return make_lasso_model(data, own, tell);
    };
    request.may_begin = may_begin();
    request.may_judge = may_judge(solved);
    return request;
  }

 private:
  /// Others are watched, too, and all go down side by side.
  [[nodiscard]] bool has_company() const { return by_.watchers != nullptr && !by_.alone; }

  [[nodiscard]] PathRecorded told(const std::shared_ptr<std::size_t>& solved, const PathRecorded& recorded) const {
    return [solved, recorded, by = has_company() ? by_ : Watching{}](const Solution& point) {
      *solved = point.index + 1;
      if (by.place) by.watchers->score_solution(*by.place, point);
      if (recorded) recorded(point);
    };
  }

  [[nodiscard]] std::function<bool()> may_begin() const {
    if (path_.follows == Follows::choice) return [lead = lead_] { return lead->has_chosen; };
    if (path_.follows == Follows::lambdas) return [lead = lead_] { return !lead->says->lambdas.empty(); };
    return {};
  }

  [[nodiscard]] std::function<bool()> may_judge(const std::shared_ptr<std::size_t>& solved) const {
    // It never has to wait, and yet says that it rests on the first: where that was cut off, both go on when resumed.
    if (path_.follows == Follows::choice) return [] { return true; };
    std::function<bool()> asked;
    if (path_.follows == Follows::lambdas) {
      asked = [lead = lead_, solved] {
        return lead->ended || lead->says->count.has_value() || lead->says->passed > *solved;
      };
    }
    if (!has_company()) return asked;
    return [by = by_.watchers, solved, asked] { return by->all_have(*solved) && (!asked || asked()); };
  }

  const Path& path_;
  double l1_ratio_;
  std::shared_ptr<Lead> lead_;
  Watching by_;
};

/// In the order in which they run. Those that wait for a choice come last: nothing that could begin is behind them.
std::vector<PathPlace> places_in_order(std::span<const PathGroup> groups) {
  std::vector<PathPlace> places, waiting;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t p = 0; p < groups[g].paths.size(); ++p) {
      (groups[g].paths[p].follows == Follows::choice ? waiting : places).push_back({g, p});
    }
  }
  places.insert(places.end(), waiting.begin(), waiting.end());
  return places;
}

}  // namespace

StudyRuns make_study_runs(std::span<const PathGroup> groups, const LassoOptions& options, const EngineOptions& engine,
                          const StudyRecorded& recorded, std::span<const std::shared_ptr<Watchers>> watchers) {
  StudyRuns runs;
  std::vector<std::shared_ptr<Lead>> leads;
  std::vector<Watching> all;  // by run
  for (std::size_t g = 0; g < groups.size(); ++g) {
    runs.leads.push_back(leads.emplace_back(std::make_shared<Lead>())->says);
  }
  runs.places = places_in_order(groups);
  for (const PathPlace& at : runs.places) {
    const PathGroup& group = groups[at.group];
    const Watching& own = all.emplace_back(watching(group, at.path, watchers.empty() ? nullptr : watchers[at.group]));
    runs.requests.push_back(
        PathRun(group, group.paths[at.path], leads[at.group], own)
            .request(options, engine, [recorded, at](const Solution& point) { recorded(at, point); }));
  }
  runs.note_end = [leads, all, places = runs.places](std::size_t run) {
    if (places[run].path == 0) leads[places[run].group]->ended = true;
    if (all[run].place) all[run].watchers->note_end(*all[run].place);
  };
  runs.choose = [leads](std::size_t group, std::optional<std::size_t> chosen) {
    Lead& lead = *leads[group];
    lead.has_chosen = true;
    if (!chosen) return;
    lead.choice->count = 1;
    lead.choice->lambdas = {lead.says->lambdas[*chosen]};
  };
  return runs;
}

std::shared_ptr<Model> make_study_model(std::span<const PathGroup> groups, std::size_t run, const LassoOptions& options,
                                        const PathRecorded& recorded) {
  const std::vector<PathPlace> places = places_in_order(groups);
  STRADS_CHECK(run < places.size(), "a run of the list");
  const PathGroup& group = groups[places[run].group];
  LassoOptions own = options;
  own.l1_ratio = group.l1_ratio;
  return make_lasso_model(group.paths[places[run].path].data, own, recorded);
}

}  // namespace strads::lasso
