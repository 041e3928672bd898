// Matrix factorization on the engine: what the program `mf` asks of its model. docs/MODELS.md has the mathematics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mf/problem/ranked_by.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"
#include "strads/engine/options.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads {
class Model;    // strads/engine/model.hpp
struct RunEnd;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::mf {

enum class Solver : std::uint8_t {
  cd,   ///< blocks of coordinates of a row at once (default)
  ccd,  ///< feature by feature, the paper's eqs. (4) and (5): CCD++
  als,  ///< each row exactly
  sgd,  ///< STRADS-Static: a rotated grid of row and column blocks
  cg    ///< implicit feedback: a few conjugate gradient steps a row
};

/// How rows (and columns) are shared out to workers.
enum class Balance : std::uint8_t {
  nonzeros,  ///< equal numbers of ratings; a row that is too heavy for one worker is split
  rows       ///< equal numbers of rows, the paper's naive baseline
};

enum class Side : std::uint8_t { users = 0, items = 1 };
inline constexpr std::size_t kSides = 2;
[[nodiscard]] constexpr std::size_t index_of(Side side) {
  return static_cast<std::size_t>(side);
}
[[nodiscard]] constexpr Side other(Side side) {
  return side == Side::users ? Side::items : Side::users;
}

struct MfOptions {
  Solver solver = Solver::cd;
  Balance balance = Balance::nonzeros;
  std::uint32_t rank = 40;
  double lambda = 0.1;            ///< where the unit is 1; F has it times the unit for factors, as it is for biases
  bool weighted = true;           ///< penalties times the number of ratings of the row or column
  bool bias = true;               ///< b_i and b_j
  bool mean = true;               ///< the mean of the training ratings is subtracted
  std::uint32_t width = 8;        ///< cd: coordinates solved at once
  double relaxation = 1.5;        ///< cd, als: blocks move so many times as far as their minimum, after some sweeps
  std::uint32_t sweeps_max = 30;  ///< the run ends after so many
  double tolerance = 1e-4;        ///< and when a sweep lowers the objective by less than this share
  std::uint32_t patience = 5;     ///< and after so many sweeps without a better validation RMSE; the best one is kept
  std::uint32_t rescales = 4;     ///< after each of the first sweeps the pairs of features are rescaled
  double rate = 0.1;              ///< sgd
  bool clip = true;               ///< predictions stay in the range of the ratings
  bool implicit = false;          ///< clicks, plays, visits: the objective of docs/MODELS.md, "Implicit feedback"
  double alpha0 = 0.03;           ///< implicit: weight of the pairs that were not observed
  double nu = 1;                  ///< implicit: penalties grow with this power of a row's weight
  bool hu = false;                ///< implicit: Hu's objective, which has alpha0 = 1 and nu = 0
  double alpha = 1;               ///< hu: what a confidence is multiplied with
  std::uint32_t cg_steps = 3;     ///< cg: steps a row
  RankedBy stop{};                ///< what decides which sweep is best, in place of a validation RMSE
};

struct RatingRange {
  float lowest = 0, highest = 0;
};

/// What one process knows about the data. Ratings are here, and in all that computes, divided by `unit`; what is said,
/// written and compared is in the user's unit again (docs/MODELS.md, "The unit of the ratings").
struct MfData {
  /// Ids, validation and test; its `train` was moved out. `lowest` and `highest` are in the user's unit.
  std::shared_ptr<const Ratings> ratings;
  double unit = 1;                  ///< unit_of_ratings()
  std::shared_ptr<Triplets> train;  ///< gone once every node here has taken its part
  /// Instead of `train`: makes it when it is needed, and goes with it.
  std::function<std::shared_ptr<Triplets>()> make_train;
  std::vector<std::uint32_t> counts[kSides];  ///< training ratings of each user, of each item
  std::uint64_t train_size = 0;
  double mean = 0;                              ///< of the training ratings
  double squares = 0;                           ///< sum of their squares; implicit: of the confidences
  std::uint64_t marks = 0;                      ///< sum of their rating_mark()
  std::uint64_t held_out = 0;                   ///< implicit: pairs that were set aside and not kept
  std::shared_ptr<const StopLists> stop_lists;  ///< what MfOptions::stop looks at; null where nothing does
  std::uint64_t seed = 1;
  std::shared_ptr<Chunks> threads;  ///< for what is done before the engine runs
  /// Reads the training ratings again, divided by the unit, for the blocks of a lost worker. An error ends the run
  /// (kStopUnread); it is told on the spot, since answers carry numbers only.
  std::function<Result<std::shared_ptr<const Triplets>>()> reload;

  [[nodiscard]] bool has_train() const { return train != nullptr || make_train != nullptr; }
  /// The training ratings again, where models have taken them: a run goes on with other roles. Errors: of reload.
  [[nodiscard]] Status bring_back() {
    if (has_train()) return {};
    const auto again = reload();
    if (again.ok()) train = std::make_shared<Triplets>(*again.value());
    return again.ok() ? Status() : again.status();
  }
  /// Of the ratings, divided as they are.
  [[nodiscard]] RatingRange range() const {
    return {static_cast<float>(double{ratings->lowest} / unit), static_cast<float>(double{ratings->highest} / unit)};
  }
  /// Of the training ratings, in the user's unit.
  [[nodiscard]] double user_mean() const { return mean * unit; }
  /// What decides which sweep is best; else it is the objective.
  [[nodiscard]] bool decides_by_validation() const { return ratings->validation.size() > 0; }
  [[nodiscard]] std::uint32_t size(Side side) const {
    return static_cast<std::uint32_t>(counts[mf::index_of(side)].size());
  }
};

/// By what ratings of this standard deviation are divided: 1 from 1/2 to 2, as stars have; the deviation itself beyond
/// 4 and below 1/4; on a parabola between. Rounded to three digits. Pure.
[[nodiscard]] double unit_of_ratings(double deviation);
[[nodiscard]] inline float divided(float value, double unit) {
  return static_cast<float>(double{value} / unit);
}
/// Divides values that have no codes. Codes stay: their levels are divided once.
void divide_values(Triplets& ratings, double unit);

/// F where all factors and biases are 0, of ratings of which no mean is subtracted: what rounding is a share of. Pure.
[[nodiscard]] double squares_of(const MfData& data, const MfOptions& options);

/// Counts and means; divides the ratings by their unit. `implicit`: they are confidences (to_positives()); their unit
/// is 1. Errors: input: every rating is held out, or users and items are too many.
[[nodiscard]] Result<std::shared_ptr<MfData>> prepare_mf(const std::shared_ptr<Ratings>& ratings, std::uint64_t seed,
                                                         std::shared_ptr<Chunks> threads, bool implicit = false);

/// `keep_ratings`: other models will be made from the same data (the simulator).
[[nodiscard]] std::shared_ptr<Model> make_mf_model(std::shared_ptr<MfData> data, const MfOptions& options,
                                                   const EngineOptions& engine, bool keep_ratings);

/// A model of the same data, with another rank or lambda, in the same run: it takes the ratings by block from `like`,
/// which is placed before it. REQUIRES: made by make_mf_model(), with the same solver, balance and engine.
[[nodiscard]] std::shared_ptr<Model> make_mf_model_like(std::shared_ptr<const Model> like, const MfOptions& options);

/// Sums of squared and absolute errors as RMSE and MAE; NaN without ratings.
struct Quality {
  double rmse = 0, mae = 0;
  std::uint64_t ratings = 0;
};

/// What the judge says at a barrier besides the objective, all of it about the end of the last finished sweep (at the
/// end of a run: about the factors that are kept): Certificate::figures.
enum Figure : std::size_t {
  kFigureSweep,       ///< sweeps finished
  kFigureEndsSweep,   ///< 1: this barrier ends one
  kFigureTrainRmse,   ///< of unclipped predictions; sgd: NaN, but after recount()
  kFigureValidation,  ///< RMSE; NaN where there is none
  kFigureTest,        ///< RMSE, strangers included; NaN where there is none
  kFigureImbalance,   ///< ratings of the slowest worker / of the mean worker, counted; the larger one of both sides
  kFigureBest,        ///< the sweep whose factors are kept; 0: the start
  kFigureObjective,   ///< F; sgd: NaN, but after recount()
  /// sgd: F and RMSE of the errors that the last finished sweep met on its way, each before the step that it led to.
  kFigureMetObjective,
  kFigureMetRmse,
  kFigurePartial,  ///< 1: what is kept has a part of the sweep after kFigureBest
  kFigureLists,    ///< what lists of items are worth on the validation pairs (MfOptions::stop); else NaN
  kFigures
};

// Why a fit ends. The first three are success.
inline constexpr const char* kStopConverged = "converged";
inline constexpr const char* kStopEarly = "early stopping";
inline constexpr const char* kStopSweeps = "sweeps";
inline constexpr const char* kStopRose = "objective rose";
inline constexpr const char* kStopNotFinite = "not finite";
inline constexpr const char* kStopUnread = "ratings unread";  ///< of a lost worker
inline constexpr const char* kStopFalse = "false figures";    ///< mf cv: check_factors() refuses them

/// The fitted model, gathered from the slices' last reports.
struct MfSolution {
  std::uint32_t rank = 0;
  double mean = 0;
  std::vector<float> factors[kSides];  ///< row-major, as many rows as users or items, `rank` columns
  std::vector<float> biases[kSides];
  double objective = 0;
  std::uint32_t sweeps = 0, best_sweep = 0;
  bool partial_sweep = false;  ///< the factors have a part of the sweep after `best_sweep`
  Quality train, validation, test;
  RankedBy stop{};   ///< where it is wanted, `validation` has no errors, and the number of users for its ratings
  double lists = 0;  ///< what their lists are worth
  double imbalance = 1;
};

/// REQUIRES: end.status.ok().
[[nodiscard]] MfSolution solution_of(const MfData& data, const MfOptions& options, const RunEnd& end);

/// XXH3-64 over W, H and both biases (f32 little-endian, users and items in the order of first appearance), 16 hex
/// digits.
[[nodiscard]] std::string model_hash(const MfSolution& solution);

}  // namespace strads::mf
