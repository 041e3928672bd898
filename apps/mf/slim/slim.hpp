// Sparse item weights (SLIM) on the engine: what the program `mf` asks of the model. docs/MODELS.md, "Item weights:
// SLIM", has the mathematics; source: [Ning11].
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strads/data/ratings.hpp"
#include "strads/engine/options.hpp"

namespace strads {
class Model;    // strads/engine/model.hpp
struct RunEnd;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::mf {

struct SlimOptions {
  double l1 = 1;            ///< weight of the sum of the weights
  double l2 = 30;           ///< weight of half of the sum of their squares, above 0
  double user_power = 0;    ///< entries of a user with c positives are divided by c^(user_power / 2)
  double item_power = 0;    ///< entries of an item with c positives are divided by c^item_power
  double tolerance = 1e-6;  ///< an item is done when its gap is at most this share of its objective
  /// Pairs of pairs of a block, no option of the command line: some tenths of a second. Fewer, and what blocks of a
  /// round differ by makes many workers wait; more, and barriers, where limits end a run and checkpoints are made, are
  /// rare.
  std::uint64_t block_work = 1'000'000;
};

/// The positive pairs by user and by item: the same on every node, and never changed.
struct SlimData {
  std::vector<std::uint64_t> user_begins, item_begins;  ///< one more than there are users, items
  std::vector<std::uint32_t> user_items, item_users;    ///< ascending
  std::uint64_t fingerprint = 0;

  [[nodiscard]] std::uint32_t users() const { return static_cast<std::uint32_t>(user_begins.size() - 1); }
  [[nodiscard]] std::uint32_t items() const { return static_cast<std::uint32_t>(item_begins.size() - 1); }
  [[nodiscard]] std::uint64_t pairs() const { return user_items.size(); }
  [[nodiscard]] std::span<const std::uint32_t> items_of(std::uint32_t user) const {
    return std::span(user_items).subspan(user_begins[user], user_begins[user + 1] - user_begins[user]);
  }
  [[nodiscard]] std::span<const std::uint32_t> users_of(std::uint32_t item) const {
    return std::span(item_users).subspan(item_begins[item], item_begins[item + 1] - item_begins[item]);
  }
};

/// The pairs of `train` whose rating is at least `lowest`, a pair once. Cost: a few passes over the ratings.
[[nodiscard]] std::shared_ptr<const SlimData> slim_data(const Ratings& ratings, double lowest);

/// How an item was solved. The objective has 1/2 ||a_j||^2 in it.
struct ItemFigures {
  double objective = 0, gap = 0;
  std::uint64_t candidates = 0;  ///< other items with G_ij > l1
};

/// The weights by which other items speak for one item.
struct ItemWeights {
  ItemFigures figures;
  std::vector<std::uint32_t> rows;  ///< those items, ascending
  std::vector<float> weights;       ///< of each, above 0

  friend bool operator==(const ItemWeights& a, const ItemWeights& b) {
    return a.rows == b.rows && a.weights == b.weights && a.figures.objective == b.figures.objective &&
           a.figures.gap == b.figures.gap;
  }
};

[[nodiscard]] std::shared_ptr<Model> make_slim_model(std::shared_ptr<const SlimData> data, const SlimOptions& options,
                                                     const EngineOptions& engine);

// Why a fit ends besides limits. The first is success.
inline constexpr const char* kStopCertified = "converged";
inline constexpr const char* kStopUncertified = "no further progress in double precision";

/// All columns, gathered from the slices' last reports.
struct SlimSolution {
  std::vector<ItemWeights> columns;  ///< by item
  std::vector<bool> solved;          ///< by item; a limit leaves some out
  double objective = 0;              ///< summed over all items; where none was solved 1/2 ||a_j||^2
  double worst_gap = 0;              ///< largest gap / objective of those that are solved
  std::uint64_t certified = 0;       ///< items with gap <= tolerance x objective
  std::uint64_t nonzeros = 0;

  [[nodiscard]] std::uint64_t solved_count() const;
};

/// REQUIRES: end.status.ok(). The figures are those that nodes say; check_weights() replaces them.
[[nodiscard]] SlimSolution slim_solution_of(const SlimData& data, const RunEnd& end);

/// XXH3-64 over item after item: number of weights, their rows, the weights (f32), little-endian; 16 hex digits.
[[nodiscard]] std::string slim_hash(const SlimSolution& solution);

/// How entries are scaled: x_u of users (squared) and y_i of items, and what the solver needs of them.
struct SlimScales {
  std::vector<double> user_squares;  ///< x_u^2
  std::vector<double> items;         ///< y_i
  bool plain = true;                 ///< all are 1

  SlimScales(const SlimData& data, const SlimOptions& options);
};

}  // namespace strads::mf
