#include "mf/check/check_weights.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "strads/program/program.hpp"

namespace strads::mf {

namespace {

constexpr std::size_t kItemsOfPiece = 256;
/// Of 1/2 ||a_j||^2: what sums of the same numbers in other orders may differ by.
constexpr double kRoundingOfItem = 1e-9;

struct FoundFigures {
  double objective = 0, gap = 0;
};

/// Entries as the problem has them: x_u y_i.
struct ScaledPairs {
  ScaledPairs(const SlimData& of, const SlimOptions& with) : data(of), options(with) {
    const auto power = [](std::size_t count, double exponent) {
      return exponent == 0 || count == 0 ? 1.0 : std::exp(-exponent * std::log(static_cast<double>(count)));
    };
    for (std::uint32_t u = 0; u < data.users(); ++u)
      squares.push_back(power(data.items_of(u).size(), options.user_power));
    for (std::uint32_t i = 0; i < data.items(); ++i)
      scales.push_back(power(data.users_of(i).size(), options.item_power));
  }
  [[nodiscard]] double user_square(std::uint32_t user) const { return squares[user]; }
  [[nodiscard]] double item_scale(std::uint32_t item) const { return scales[item]; }

  const SlimData& data;
  const SlimOptions& options;
  std::vector<double> squares, scales;  ///< x_u^2; y_i
};

/// Of one piece: arrays by user and by item, zeros between two items.
class WeightCheck {
 public:
  explicit WeightCheck(const ScaledPairs& pairs)
      : pairs_(pairs),
        rest_(pairs.data.users(), 0.0),
        is_met_(pairs.data.users(), false),
        common_(pairs.data.items(), 0.0) {}

  [[nodiscard]] FoundFigures look_at(std::uint32_t item, const ItemWeights& column) {
    const double own = pairs_.item_scale(item), l1 = pairs_.options.l1, l2 = pairs_.options.l2;
    add(item, 1);
    for (std::size_t k = 0; k < column.rows.size(); ++k) add(column.rows[k], -double{column.weights[k]});
    FoundFigures found;
    for (const std::uint32_t user : met_) {
      rest_[user] *= own;
      found.objective += 0.5 * pairs_.user_square(user) * rest_[user] * rest_[user];
    }
    for (const std::uint32_t user : pairs_.data.users_of(item)) {
      for (const std::uint32_t other : pairs_.data.items_of(user)) {
        if (common_[other] == 0) others_.push_back(other);
        common_[other] += pairs_.user_square(user);
      }
    }
    // A weight of an item that never occurs with this one counts as well.
    for (const std::uint32_t row : column.rows) {
      if (common_[row] == 0) others_.push_back(row);
    }
    std::ranges::sort(others_);
    std::size_t next = 0;
    for (const std::uint32_t other : others_) {
      const bool is_row = next < column.rows.size() && column.rows[next] == other;
      const double scale = pairs_.item_scale(other);
      // Its h is at most G_ij, and its weight 0.
      if (!is_row && (other == item || common_[other] * own * scale <= l1)) continue;
      double h = 0;
      for (const std::uint32_t user : pairs_.data.users_of(other)) h += pairs_.user_square(user) * rest_[user];
      h *= scale;
      const double w = is_row ? double{column.weights[next++]} * own / scale : 0.0;
      found.objective += l1 * w + 0.5 * l2 * w * w;
      const double excess = h > l1 ? h - l1 : 0.0;
      found.gap += l1 * w - h * w + 0.5 * l2 * w * w + excess * excess / (2 * l2);
    }
    for (const std::uint32_t user : met_) {
      rest_[user] = 0;
      is_met_[user] = false;
    }
    for (const std::uint32_t other : others_) common_[other] = 0;
    others_.clear();
    met_.clear();
    return found;
  }

 private:
  void add(std::uint32_t item, double factor) {
    for (const std::uint32_t user : pairs_.data.users_of(item)) {
      if (!is_met_[user]) met_.push_back(user);
      is_met_[user] = true;
      rest_[user] += factor;
    }
  }

  const ScaledPairs& pairs_;
  std::vector<double> rest_;    ///< by user
  std::vector<bool> is_met_;    ///< by user
  std::vector<double> common_;  ///< by item
  std::vector<std::uint32_t> met_, others_;
};

Status weight_refused(const std::string& what) {
  return Status::internal("check of the item weights: " + what +
                          ": this is a bug, or the memory of this machine is faulty");
}

Status check_form(std::uint32_t item, const ItemWeights& column, std::uint32_t items) {
  for (std::size_t k = 0; k < column.rows.size(); ++k) {
    const bool is_row =
        column.rows[k] < items && column.rows[k] != item && (k == 0 || column.rows[k - 1] < column.rows[k]);
    const bool is_weight = std::isfinite(column.weights[k]) && column.weights[k] >= 0;
    if (!is_row || !is_weight)
      return weight_refused("item " + std::to_string(item) + " has a weight that cannot be one");
  }
  return {};
}

Status compare_item(std::uint32_t item, const ItemFigures& claimed, const FoundFigures& found, double half_norm) {
  const double allowed = kRoundingOfItem * half_norm;
  const auto differs = [&](const char* what, double a, double b) {
    return weight_refused("item " + std::to_string(item) + " has " + what + " " + exact_text(a) +
                          ", recomputed from the pairs " + exact_text(b));
  };
  if (!(std::abs(claimed.objective - found.objective) <= allowed)) {
    return differs("an objective of", claimed.objective, found.objective);
  }
  if (!(std::abs(claimed.gap - found.gap) <= allowed)) return differs("a gap of", claimed.gap, found.gap);
  return {};
}

}  // namespace

Status check_weights(const SlimData& data, const SlimOptions& options, SlimSolution& solution, Chunks& chunks) {
  const ScaledPairs pairs(data, options);
  const std::uint32_t items = data.items();
  for (std::uint32_t item = 0; item < items; ++item) {
    if (Status right = check_form(item, solution.columns[item], items); !right.ok()) return right;
  }
  std::vector<FoundFigures> found(items);
  chunks.for_each((items + kItemsOfPiece - 1) / kItemsOfPiece, [&](std::size_t piece) {
    WeightCheck check(pairs);
    const std::size_t end = std::min<std::size_t>(items, (piece + 1) * kItemsOfPiece);
    for (std::size_t item = piece * kItemsOfPiece; item < end; ++item) {
      if (solution.solved[item]) found[item] = check.look_at(static_cast<std::uint32_t>(item), solution.columns[item]);
    }
  });
  solution.objective = solution.worst_gap = 0;
  solution.certified = 0;
  for (std::uint32_t item = 0; item < items; ++item) {
    double norm = 0;
    for (const std::uint32_t user : data.users_of(item)) norm += pairs.user_square(user);
    const double half_norm = 0.5 * norm * pairs.item_scale(item) * pairs.item_scale(item);
    if (!solution.solved[item]) {
      solution.objective += half_norm;
      continue;
    }
    ItemFigures& figures = solution.columns[item].figures;
    if (Status alike = compare_item(item, figures, found[item], half_norm); !alike.ok()) return alike;
    figures.objective = found[item].objective;
    figures.gap = found[item].gap;
    solution.objective += figures.objective;
    if (figures.gap <= options.tolerance * figures.objective) ++solution.certified;
    if (figures.objective > 0) solution.worst_gap = std::max(solution.worst_gap, figures.gap / figures.objective);
  }
  return {};
}

}  // namespace strads::mf
