// A fold's values become confidences, and what is held out is ranked.
#include "mf/run/clicks_cv.hpp"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "mf/grid/fit_data.hpp"
#include "mf/problem/positives.hpp"
#include "mf/ranking/judged_lists.hpp"
#include "mf/ranking/stop_lists.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/role_limits.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

using ReadAgain = std::function<Result<std::shared_ptr<const Ratings>>()>;

/// What the folds are made from.
struct ClickSource {
  std::shared_ptr<const Ratings> all;
  std::shared_ptr<const std::vector<std::uint16_t>> folds;
  RatingsInput input;
  ClicksCv about;
  std::shared_ptr<Chunks> threads;
  ReadAgain reload;
};

std::string name_of_fold(const ClickSource& source, std::uint32_t fold) {
  return source.input.path + ", without fold " + std::to_string(fold + 1);
}

/// Those that a fit learns from; what is held out goes, its values would be codes of levels that are gone.
Status choose(const Positives& positives, const std::string& name, Ratings& fold) {
  fold.test = fold.strangers = {};
  fold.test_unknown = 0;
  return to_positives(positives, name, fold);
}

Result<std::shared_ptr<MfData>> implicit_fold(const ClickSource& source, const FoldInput& fold,
                                              const std::shared_ptr<Ratings>& ratings) {
  const std::string name = name_of_fold(source, fold.fold);
  const std::uint64_t held_out = ratings->test.size() + ratings->strangers.size();
  RatingsInput about = source.input;  // its validation is the fold's: `all` has none
  about.validation = fold.validation;
  STRADS_ASSIGN_OR_RETURN(auto lists, stop_lists_of(*ratings, about, true));
  if (Status chosen = choose(source.input.positives, name, *ratings); !chosen.ok()) return chosen;
  STRADS_ASSIGN_OR_RETURN(auto data, prepare_mf(ratings, fold.seed, source.threads, true));
  data->stop_lists = std::move(lists);
  data->held_out = held_out;
  data->train.reset();  // made again where it is needed, as in cv.cpp
  const auto learned = [positives = source.input.positives, name](const std::shared_ptr<Ratings>& again) {
    const Status chosen = choose(positives, name, *again);
    STRADS_CHECK(chosen.ok(), "the same pairs could be chosen before");
    return std::shared_ptr<Triplets>(again, &again->train);
  };
  data->make_train = [all = source.all, folds = source.folds, fold, threads = source.threads, learned] {
    return learned(leave_out(*all, *folds, fold, *threads));
  };
  data->reload = [reload = source.reload, count = source.about.folds, fold,
                  learned]() -> Result<std::shared_ptr<const Triplets>> {
    STRADS_ASSIGN_OR_RETURN(auto again, reload());
    SerialChunks serial;
    const auto drawn = draw_folds(*again, count, fold.seed, serial);
    return std::shared_ptr<const Triplets>(learned(leave_out(*again, drawn, fold, serial)));
  };
  return data;
}

/// Errors: input: no list can have one of its pairs.
Result<std::shared_ptr<const RankedFold>> judged_fold(const Ratings& ratings, const RatingsInput& input,
                                                      std::uint32_t fold, std::uint32_t folds, bool weights) {
  auto ranked = std::make_shared<const RankedFold>(ranked_fold(ratings, input.positives.from, weights));
  if (!ranked->users.empty()) return ranked;
  const std::optional<double>& from = input.positives.from;
  const std::string which = from ? " of at least " + short_text(*from) : std::string();
  const char* const least = !from                ? ""
                            : input.positives.on ? ", or a smaller --positive-from"
                                                 : ", or a smaller --relevant";
  return Status::input(input.path + ": fold " + std::to_string(fold + 1) + " of " + std::to_string(folds) +
                       " has no pair" + which +
                       " to be found that the others leave a user for, expected at least one; " +
                       "use fewer --folds, another --seed or more pairs" + least);
}

Status add_fold(const ClickSource& source, const FoldInput& fold, CvData& data) {
  const auto ratings = leave_out(*source.all, *source.folds, fold, *source.threads);
  const std::optional<double> from = source.input.positives.from;
  const bool weights = source.about.kind == CvKind::slim;
  if (source.about.judged) {
    STRADS_ASSIGN_OR_RETURN(auto ranked, judged_fold(*ratings, source.input, fold.fold, source.about.folds, weights));
    data.ranked.push_back(std::move(ranked));
  }
  if (weights) {
    data.pairs.push_back(slim_data(*ratings, from.value_or(-std::numeric_limits<double>::infinity())));
    if (data.pairs.back()->pairs() > 0) return {};
    return Status::input(name_of_fold(source, fold.fold) + ": no pair is a positive; use a smaller --positive-from");
  }
  STRADS_ASSIGN_OR_RETURN(auto made, implicit_fold(source, fold, ratings));
  data.folds.push_back(std::move(made));
  return {};
}

}  // namespace

Result<CvData> load_clicks_cv(const RatingsInput& input, const ClicksCv& about, const std::shared_ptr<Chunks>& threads,
                              const std::function<void(double share)>& progress, KeptData& kept) {
  RatingsInput whole = input;
  whole.holdout = whole.validation = 0;
  whole.test_path.clear();
  ClickSource source;
  STRADS_ASSIGN_OR_RETURN(source.all,
                          kept.get(whole, files_of(whole), [&] { return load_ratings(whole, *threads, progress); }));
  source.input = whole;
  source.about = about;
  source.threads = threads;
  source.reload = [whole, fingerprint = source.all->fingerprint]() -> Result<std::shared_ptr<const Ratings>> {
    SerialChunks serial;
    auto again = load_ratings(whole, serial);
    if (!again.ok()) return unread(again.status());
    if (again.value()->fingerprint != fingerprint) return unread(changed_since(whole.path));
    return again;
  };
  CvData data;
  data.ratings = source.all->train.size();
  data.duplicates = source.all->duplicates;
  data.unended = source.all->unended;
  data.notes = source.all->notes;
  data.users = source.all->users->size();
  data.items = source.all->items->size();
  source.folds =
      std::make_shared<const std::vector<std::uint16_t>>(draw_folds(*source.all, about.folds, input.seed, *threads));
  if (Status counts = check_folds(*source.all, *source.folds, about.folds); !counts.ok()) return counts;
  for (std::uint32_t f = 0; f < about.folds; ++f) {
    const FoldInput fold{.fold = f, .validation = input.validation, .seed = input.seed};
    if (Status added = add_fold(source, fold, data); !added.ok()) return added;
  }
  return data;
}

Status check_cv_roles(const CvData& data, const EngineOptions& engine) {
  for (const auto& fold : data.pairs) {
    if (Status roles = check_roles(engine, fold->items()); !roles.ok()) return roles;
  }
  return data.pairs.empty() ? check_blocks(data.users, data.items, engine) : Status();
}

Result<CvData> load_folds(const RatingsInput& input, const CvPlan& plan, bool judged,
                          const std::shared_ptr<Chunks>& threads, const std::function<void(double share)>& progress,
                          KeptData& kept) {
  if (plan.kind == CvKind::ratings) {
    const auto make_lists = [&](const Ratings& fold, std::uint32_t number) -> Result<FoldLists> {
      FoldLists lists;
      STRADS_ASSIGN_OR_RETURN(lists.stop, stop_lists_of(fold, input, plan.stops_by_lists));
      if (judged && plan.by_lists()) {
        STRADS_ASSIGN_OR_RETURN(lists.ranked, judged_fold(fold, input, number, plan.folds, false));
      }
      return lists;
    };
    return load_cv(input, plan.folds, threads, progress, kept, make_lists);
  }
  return load_clicks_cv(input, {plan.kind, plan.folds, judged}, threads, progress, kept);
}

}  // namespace strads::mf
