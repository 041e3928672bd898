// Cross-validation of a factorization: a grid of rank and lambda on K folds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mf/model/mf.hpp"
#include "strads/engine/many_models.hpp"

namespace strads::mf {

/// A point of the grid.
struct CvPoint {
  std::uint32_t rank = 0;
  double lambda = 0;
};

/// The fits in their order: fold after fold, in each all points.
struct CvPlan {
  std::vector<CvPoint> points;
  std::uint32_t folds = 2;

  [[nodiscard]] std::size_t size() const { return points.size() * folds; }
  [[nodiscard]] std::size_t fold_of(std::size_t fit) const { return fit / points.size(); }
  [[nodiscard]] std::size_t point_of(std::size_t fit) const { return fit % points.size(); }
  /// The first fit of the same fold.
  [[nodiscard]] std::size_t first_of(std::size_t fit) const { return fit - point_of(fit); }
  [[nodiscard]] bool ends_fold(std::size_t fit) const { return point_of(fit) + 1 == points.size(); }
};

/// What one process knows about all folds.
struct CvData {
  std::vector<std::shared_ptr<MfData>> folds;  ///< each as if its ratings were files of their own
  std::uint64_t ratings = 0, duplicates = 0;
  std::vector<std::string> unended, notes;  ///< as in Ratings
  std::uint32_t users = 0, items = 0;
};

/// Splits ratings into folds. `reload` reads them again for the blocks of a lost worker. `all`: everything in `train`.
/// Errors: input: more folds than ratings, or a fold that got none or all.
[[nodiscard]] Result<CvData> make_folds(const std::shared_ptr<const Ratings>& all, std::uint32_t folds,
                                        double validation, std::uint64_t seed, const std::shared_ptr<Chunks>& threads,
                                        const std::function<Result<std::shared_ptr<const Ratings>>()>& reload);

/// Reads the ratings and splits them. `input`: as for a fit, without a hold-out. `progress`: as in load_ratings.
[[nodiscard]] Result<CvData> load_cv(const RatingsInput& input, std::uint32_t folds,
                                     const std::shared_ptr<Chunks>& threads,
                                     const std::function<void(double share)>& progress);

/// All fits, each a model of its own; points of one fold share the ratings by block, which its first point takes.
/// Errors: input: the variables of all fits together have no numbers.
[[nodiscard]] Result<std::vector<std::shared_ptr<Model>>> make_cv_fits(const CvData& data, const CvPlan& plan,
                                                                       const MfOptions& options,
                                                                       const EngineOptions& engine);

/// One of them. `first`: the model of the first point of its fold; null where it is that point.
[[nodiscard]] std::shared_ptr<Model> make_cv_fit(const CvData& data, const CvPlan& plan, std::size_t fit,
                                                 const std::shared_ptr<const Model>& first, const MfOptions& options,
                                                 const EngineOptions& engine);

/// On a cluster: they as one model. `ended`: told of every fit.
[[nodiscard]] Result<std::shared_ptr<Model>> make_cv_model(const CvData& data, const CvPlan& plan,
                                                           const MfOptions& options, const EngineOptions& engine,
                                                           PartEnded ended);

/// The options of one fit.
[[nodiscard]] MfOptions mf_options_of(const CvPlan& plan, std::size_t fit, const MfOptions& options);

}  // namespace strads::mf
