// Cross-validation of a factorization: a grid of rank and lambda on K folds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/slim/slim.hpp"
#include "strads/engine/options.hpp"
#include "strads/program/kept_data.hpp"

namespace strads::mf {

struct RankedFold;  // mf/ranking/judged_lists.hpp

/// What is tried. Points are compared by lists of items, those of ratings by errors where no list is asked for.
enum class CvKind : std::uint8_t { ratings, implicit, slim };

/// A point of the grid: what a kind has no use for is 0.
struct CvPoint {
  std::uint32_t rank = 0;
  double lambda = 0;
  double alpha0 = 0, nu = 0;  ///< implicit
  double l1 = 0, l2 = 0;      ///< slim
  double alpha = 0;           ///< implicit, Hu's objective: above 0, in place of alpha0 and nu
};

/// One coordinate of a point.
struct CvAxis {
  const char* name;  ///< as an option of `mf fit`
  const char* list;  ///< as one of `mf cv`
  double value;
};
[[nodiscard]] std::vector<CvAxis> axes_of(CvKind kind, const CvPoint& point);

/// The fits in their order: fold after fold, in each all points.
struct CvPlan {
  std::vector<CvPoint> points;
  std::uint32_t folds = 2;
  CvKind kind = CvKind::ratings;
  RankedBy by{};                ///< lists of items
  bool stops_by_lists = false;  ///< ratings: fits do, and look at lists of their validation ratings

  [[nodiscard]] bool by_lists() const { return kind != CvKind::ratings || by.wanted(); }
  [[nodiscard]] std::size_t size() const { return points.size() * folds; }
  [[nodiscard]] std::size_t fold_of(std::size_t fit) const { return fit / points.size(); }
  [[nodiscard]] std::size_t point_of(std::size_t fit) const { return fit % points.size(); }
  /// The first fit of the same fold.
  [[nodiscard]] std::size_t first_of(std::size_t fit) const { return fit - point_of(fit); }
};

/// What one process knows about all folds.
struct CvData {
  std::vector<std::shared_ptr<MfData>> folds;          ///< each as if its ratings were files of their own; slim: none
  std::vector<std::shared_ptr<const SlimData>> pairs;  ///< slim: by fold
  std::vector<std::shared_ptr<const RankedFold>> ranked;  ///< by fold, where lists are judged here
  std::uint64_t ratings = 0, duplicates = 0;
  std::vector<std::string> unended, notes;  ///< as in Ratings
  std::uint32_t users = 0, items = 0;
};

/// Errors: input: more folds than ratings, or a fold that got none or all.
[[nodiscard]] Status check_folds(const Ratings& all, const std::vector<std::uint16_t>& folds, std::uint32_t count);

/// What looks at lists of items in a fold: made while its ratings are as the file has them.
struct FoldLists {
  std::shared_ptr<const RankedFold> ranked;  ///< null: nobody judges its lists here
  std::shared_ptr<const StopLists> stop;     ///< null: no fit of it stops by lists
};
using MakeFoldLists = std::function<Result<FoldLists>(const Ratings& fold, std::uint32_t number)>;

/// Splits ratings into folds. `reload` reads them again for the blocks of a lost worker. `all`: everything in `train`.
/// Errors: as check_folds().
[[nodiscard]] Result<CvData> make_folds(const std::shared_ptr<const Ratings>& all, std::uint32_t folds,
                                        double validation, std::uint64_t seed, const std::shared_ptr<Chunks>& threads,
                                        const std::function<Result<std::shared_ptr<const Ratings>>()>& reload,
                                        const MakeFoldLists& make_lists = {});

/// Reads the ratings, or takes those that are kept, and splits them. `input`: as for a fit, without a hold-out.
/// `progress`: as in load_ratings.
[[nodiscard]] Result<CvData> load_cv(const RatingsInput& input, std::uint32_t folds,
                                     const std::shared_ptr<Chunks>& threads,
                                     const std::function<void(double share)>& progress, KeptData& kept,
                                     const MakeFoldLists& make_lists = {});

/// Makes the models of the fits. Points of one fold share the ratings by block, which the first of them that is made
/// takes when it is placed: the others are made after that. Thread-safe.
class CvModels {
 public:
  CvModels(CvData data, CvPlan plan, const MfOptions& options, const EngineOptions& engine, SlimOptions slim = {})
      : data_(std::move(data)), plan_(std::move(plan)), options_(options), slim_(slim), engine_(engine) {}
  /// Asked for again: it goes on with other roles, and so do the others of its fold. nullptr: the ratings, which
  /// earlier models have taken, cannot be read again. REQUIRES: fit < plan.size().
  [[nodiscard]] std::shared_ptr<Model> make(std::size_t fit);
  /// This one will not be asked for.
  void leave_out(std::size_t fit);
  [[nodiscard]] const CvPlan& plan() const { return plan_; }

 private:
  CvData data_;
  CvPlan plan_;
  MfOptions options_;
  SlimOptions slim_;
  EngineOptions engine_;
  void count(std::size_t fold);

  std::mutex mutex_;
  std::map<std::size_t, std::shared_ptr<Model>> firsts_;  ///< by fold, while fits of it are to be made
  std::map<std::size_t, std::size_t> counted_;            ///< by fold: made or left out
  std::map<std::size_t, std::set<std::size_t>> made_;     ///< by fold: fits, with the roles that it has now
};

/// The options of one fit.
[[nodiscard]] MfOptions mf_options_of(const CvPlan& plan, std::size_t fit, const MfOptions& options);
[[nodiscard]] SlimOptions slim_options_of(const CvPlan& plan, std::size_t fit, const SlimOptions& options);

}  // namespace strads::mf
