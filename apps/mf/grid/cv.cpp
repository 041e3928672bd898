#include "mf/grid/cv.hpp"

#include <string>
#include <utility>

#include "mf/grid/fit_data.hpp"

namespace strads::mf {
namespace {

using Folds = std::vector<std::uint16_t>;
using Reload = std::function<Result<std::shared_ptr<const Ratings>>()>;

std::shared_ptr<Triplets> train_of(const std::shared_ptr<Ratings>& ratings) {
  return {ratings, &ratings->train};
}

/// What the fits of one fold know.
Result<std::shared_ptr<MfData>> data_of(const std::shared_ptr<const Ratings>& all,
                                        const std::shared_ptr<const Folds>& folds, std::uint32_t count,
                                        const FoldInput& input, const std::shared_ptr<Chunks>& threads,
                                        const Reload& reload, const MakeFoldLists& make_lists,
                                        std::shared_ptr<const RankedFold>& ranked) {
  const auto ratings = leave_out(*all, *folds, input, *threads);
  FoldLists lists;
  if (make_lists) {
    STRADS_ASSIGN_OR_RETURN(lists, make_lists(*ratings, input.fold));
  }
  auto data = prepare_mf(ratings, input.seed, threads);
  if (!data.ok()) {
    return Status::input("fold " + std::to_string(input.fold + 1) +
                         ": no rating is left to learn from; use a smaller --validation or other --folds");
  }
  MfData& made = *data.value();
  made.stop_lists = lists.stop;
  ranked = lists.ranked;
  // Made again where it is needed, one fold after the other: K copies of nearly all ratings would be large.
  made.train.reset();
  const auto learned = [unit = made.unit](const std::shared_ptr<Ratings>& fold) {
    divide_values(fold->train, unit);
    return train_of(fold);
  };
  made.make_train = [all, folds, input, threads, learned] { return learned(leave_out(*all, *folds, input, *threads)); };
  made.reload = [reload, count, input, learned]() -> Result<std::shared_ptr<const Triplets>> {
    STRADS_ASSIGN_OR_RETURN(auto again, reload());
    SerialChunks serial;
    const auto drawn = draw_folds(*again, count, input.seed, serial);
    return std::shared_ptr<const Triplets>(learned(leave_out(*again, drawn, input, serial)));
  };
  return data;
}

}  // namespace

Status check_folds(const Ratings& all, const std::vector<std::uint16_t>& folds, std::uint32_t count) {
  std::vector<std::uint64_t> sizes(count);
  for (const std::uint16_t fold : folds) ++sizes[fold];
  const std::string ratings = std::to_string(all.train.size()) + " ratings";
  if (count > all.train.size()) {
    return Status::input("--folds " + std::to_string(count) + ", but there are " + ratings +
                         ": give at most as many folds as ratings");
  }
  for (std::uint32_t f = 0; f < count; ++f) {
    if (sizes[f] > 0 && sizes[f] < all.train.size()) continue;
    return Status::input("fold " + std::to_string(f + 1) + " of " + std::to_string(count) + " got " +
                         (sizes[f] == 0 ? "no" : "all") + " ratings of " + ratings +
                         " (folds are drawn by hash): use fewer --folds or another --seed");
  }
  return {};
}

Result<CvData> make_folds(const std::shared_ptr<const Ratings>& all, std::uint32_t folds, double validation,
                          std::uint64_t seed, const std::shared_ptr<Chunks>& threads, const Reload& reload,
                          const MakeFoldLists& make_lists) {
  CvData data;
  data.ratings = all->train.size();
  data.duplicates = all->duplicates;
  data.unended = all->unended;
  data.notes = all->notes;
  if (const std::string text = about_values(*all, "ratings"); !text.empty()) data.notes.push_back(text);
  data.users = all->users->size();
  data.items = all->items->size();
  const auto drawn = std::make_shared<const Folds>(draw_folds(*all, folds, seed, *threads));
  if (Status counts = check_folds(*all, *drawn, folds); !counts.ok()) return counts;
  for (std::uint32_t f = 0; f < folds; ++f) {
    std::shared_ptr<const RankedFold> ranked;
    const FoldInput input{.fold = f, .validation = validation, .seed = seed};
    STRADS_ASSIGN_OR_RETURN(auto fold, data_of(all, drawn, folds, input, threads, reload, make_lists, ranked));
    data.folds.push_back(std::move(fold));
    if (ranked != nullptr) data.ranked.push_back(std::move(ranked));
  }
  return data;
}

Result<CvData> load_cv(const RatingsInput& input, std::uint32_t folds, const std::shared_ptr<Chunks>& threads,
                       const std::function<void(double share)>& progress, KeptData& kept,
                       const MakeFoldLists& make_lists) {
  RatingsInput whole = input;
  whole.holdout = whole.validation = 0;
  whole.test_path.clear();
  STRADS_ASSIGN_OR_RETURN(const auto all,
                          kept.get(whole, files_of(whole), [&] { return load_ratings(whole, *threads, progress); }));
  const auto reload = [whole, fingerprint = all->fingerprint]() -> Result<std::shared_ptr<const Ratings>> {
    SerialChunks serial;
    auto again = load_ratings(whole, serial);
    if (!again.ok()) return unread(again.status());
    if (again.value()->fingerprint != fingerprint) return unread(changed_since(whole.path));
    return again;
  };
  return make_folds(all, folds, input.validation, input.seed, threads, reload, make_lists);
}

MfOptions mf_options_of(const CvPlan& plan, std::size_t fit, const MfOptions& options) {
  MfOptions own = options;
  const CvPoint& point = plan.points[plan.point_of(fit)];
  own.rank = point.rank;
  own.lambda = point.lambda;
  if (point.alpha > 0) {
    own.alpha = point.alpha;
  } else if (plan.kind == CvKind::implicit) {
    own.alpha0 = point.alpha0;
    own.nu = point.nu;
  }
  return own;
}

SlimOptions slim_options_of(const CvPlan& plan, std::size_t fit, const SlimOptions& options) {
  SlimOptions own = options;
  own.l1 = plan.points[plan.point_of(fit)].l1;
  own.l2 = plan.points[plan.point_of(fit)].l2;
  return own;
}

std::vector<CvAxis> axes_of(CvKind kind, const CvPoint& point) {
  if (kind == CvKind::slim) return {{"l1", "l1s", point.l1}, {"l2", "l2s", point.l2}};
  std::vector<CvAxis> axes = {{"rank", "ranks", static_cast<double>(point.rank)}, {"lambda", "lambdas", point.lambda}};
  if (point.alpha > 0) {
    axes.push_back({"alpha", "alphas", point.alpha});
  } else if (kind == CvKind::implicit) {
    axes.push_back({"alpha0", "alpha0s", point.alpha0});
    axes.push_back({"nu", "nus", point.nu});
  }
  return axes;
}

std::shared_ptr<Model> CvModels::make(std::size_t fit) {
  const std::lock_guard lock(mutex_);
  const std::size_t fold = plan_.fold_of(fit);
  if (plan_.kind == CvKind::slim) {
    return make_slim_model(data_.pairs[fold], slim_options_of(plan_, fit, slim_), engine_);
  }
  const MfOptions own = mf_options_of(plan_, fit, options_);
  std::shared_ptr<Model> model;
  if (!made_[fold].insert(fit).second) {  // the runs go on with other roles: what is here of them is dealt anew
    firsts_.erase(fold);
    made_[fold] = {fit};
  }
  if (const auto first = firsts_.find(fold); first != firsts_.end()) {
    model = make_mf_model_like(first->second, own);
  } else {
    if (!data_.folds[fold]->bring_back().ok()) return nullptr;
    model = firsts_[fold] = make_mf_model(data_.folds[fold], own, engine_, false);
  }
  count(fold);
  return model;
}

void CvModels::leave_out(std::size_t fit) {
  const std::lock_guard lock(mutex_);
  count(plan_.fold_of(fit));
}

/// Those that were made hold the first one as long as they need it.
void CvModels::count(std::size_t fold) {
  if (++counted_[fold] == plan_.points.size()) firsts_.erase(fold);
}

}  // namespace strads::mf
