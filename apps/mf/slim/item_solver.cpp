#include "mf/slim/item_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace strads::mf {

namespace {
constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
/// The solver's own gap keeps this distance from the tolerance: the check adds in another order.
constexpr double kMargin = 0.99;
/// Of the tolerance, what coordinate descent is asked for before all candidates are looked at again.
constexpr double kInnerShare = 0.25;
constexpr double kTighter = 0.1;
constexpr double kLeastShare = 1e-17;  ///< of the objective: nothing below is more than rounding
constexpr std::uint32_t kChecksMax = 200;
constexpr std::uint32_t kPassesMax = 500;    ///< between two looks at all candidates
constexpr std::uint32_t kPassesOfMany = 10;  ///< the same by the residual
constexpr std::size_t kGramMax = 3000;       ///< active items whose part of G is made: 72 MB of doubles
}  // namespace

ItemSolver::ItemSolver(const SlimData& data, const SlimScales& scales, const SlimOptions& options)
    : data_(data),
      scales_(scales),
      options_(options),
      couplings_(data.items(), 0.0),
      residual_(data.users(), 0.0),
      heads_(data.users(), kEnd) {}

ItemWeights ItemSolver::solve(std::uint32_t item, const ItemWeights* start) {
  item_ = item;
  find_candidates();
  start == nullptr ? first_pass() : take(*start);
  double inner = kInnerShare * options_.tolerance;
  Bounds now;
  for (std::uint32_t check = 0;; ++check) {
    round_weights();
    make_residual();
    for (Candidate& each : candidates_) each.h = from_residual(each.item);
    now = bounds([&](const auto& see) {
      for (const Candidate& each : candidates_) see(each);
    });
    ++counts_.checks;
    if (now.gap <= kMargin * options_.tolerance * now.objective || check == kChecksMax) break;
    const std::size_t known = active_.size();
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (!candidates_[k].is_active && candidates_[k].h > options_.l1) activate(k);
    }
    // The first look follows no descent.
    if (active_.size() == known && check > 0) inner *= kTighter;
    if (inner < kLeastShare) break;
    extend_gram(check == 0 ? 0 : known);
    descend(inner);
    clear_residual();
  }
  clear_residual();
  for (const std::uint32_t place : active_) {
    for (const std::uint32_t user : data_.users_of(candidates_[place].item)) heads_[user] = kEnd;
  }
  ItemWeights solved;
  solved.figures = {now.objective, now.gap, candidates_.size()};
  for (const Candidate& each : candidates_) {
    if (each.weight == 0) continue;
    solved.rows.push_back(each.item);
    solved.weights.push_back(static_cast<float>(each.weight * scale_of(each)));
  }
  counts_.candidates += candidates_.size();
  counts_.active += active_.size();
  return solved;
}

/// A column of G, made from the users of the item: 2 flops for each of their pairs.
void ItemSolver::find_candidates() {
  candidates_.clear();
  active_.clear();
  links_.clear();
  std::vector<std::uint32_t> met;
  for (const std::uint32_t user : data_.users_of(item_)) {
    const double square = scales_.user_squares[user];
    for (const std::uint32_t other : data_.items_of(user)) {
      if (couplings_[other] == 0) met.push_back(other);
      couplings_[other] += square;
    }
    counts_.scattered += data_.items_of(user).size();
  }
  const double own = scales_.items[item_];
  half_norm_ = 0.5 * couplings_[item_] * own * own;
  for (const std::uint32_t other : met) {
    const double coupling = couplings_[other] * own * scales_.items[other];
    couplings_[other] = 0;
    if (other == item_ || !(coupling > options_.l1)) continue;
    double squares = static_cast<double>(data_.users_of(other).size());
    if (!scales_.plain) {
      squares = 0;
      for (const std::uint32_t user : data_.users_of(other)) squares += scales_.user_squares[user];
    }
    candidates_.push_back({.item = other,
                           .coupling = coupling,
                           .curvature = squares * scales_.items[other] * scales_.items[other],
                           .h = coupling});
  }
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.item < b.item; });
}

/// One pass by the residual, the most promising ones first: most of those that are left at 0 stay there.
void ItemSolver::first_pass() {
  std::vector<std::uint32_t> order(candidates_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<double> gains(candidates_.size());
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    const double excess = candidates_[k].coupling - options_.l1;
    gains[k] = excess * excess / (candidates_[k].curvature + options_.l2);
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return gains[a] != gains[b] ? gains[a] > gains[b] : a < b; });
  make_residual();
  for (const std::uint32_t k : order) {
    Candidate& each = candidates_[k];
    const double excess = from_residual(each.item) - options_.l1;
    if (!(excess > 0)) continue;
    activate(k);
    each.weight = excess / (each.curvature + options_.l2);
    add_to_residual(each.item, -each.weight * scales_.items[each.item]);
  }
  clear_residual();
}

/// The weights of items that are candidates; others cannot leave 0.
void ItemSolver::take(const ItemWeights& start) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    while (at < start.rows.size() && start.rows[at] < candidates_[k].item) ++at;
    if (at == start.rows.size()) return;
    if (start.rows[at] != candidates_[k].item) continue;
    activate(k);
    candidates_[k].weight = double{start.weights[at]} / scale_of(candidates_[k]);
  }
}

void ItemSolver::activate(std::size_t candidate) {
  candidates_[candidate].is_active = true;
  active_.push_back(static_cast<std::uint32_t>(candidate));
}

/// Rows of G among the active items, from their users' chains of active items: `known` of them are there.
void ItemSolver::extend_gram(std::size_t known) {
  const std::size_t size = active_.size();
  if (size > kGramMax) return;
  gram_.resize(std::max(gram_.size(), size));
  for (std::size_t a = 0; a < size; ++a) {
    gram_[a].resize(size);
    if (a < known) std::fill(gram_[a].begin() + static_cast<std::ptrdiff_t>(known), gram_[a].end(), 0.0);
  }
  for (std::size_t a = known; a < size; ++a) {
    const Candidate& each = candidates_[active_[a]];
    std::vector<double>& row = gram_[a];
    std::fill(row.begin(), row.end(), 0.0);
    for (const std::uint32_t user : data_.users_of(each.item)) {
      const double square = scales_.user_squares[user];
      for (std::uint32_t at = heads_[user]; at != kEnd; at = links_[at].next) {
        row[links_[at].place] += square;
        ++counts_.scattered;
      }
      links_.push_back({heads_[user], static_cast<std::uint32_t>(a)});
      heads_[user] = static_cast<std::uint32_t>(links_.size() - 1);
    }
    const double own = scales_.items[each.item];
    for (std::size_t b = 0; b < a; ++b) {
      row[b] *= own * scales_.items[candidates_[active_[b]].item];
      gram_[b][a] = row[b];
    }
    row[a] = each.curvature;
  }
}

void ItemSolver::descend(double tolerance) {
  const bool many = active_.size() > kGramMax;
  for (std::uint32_t pass = 0; pass < (many ? kPassesOfMany : kPassesMax); ++pass) {
    many ? sweep_residual() : sweep_gram();
    ++counts_.passes;
    const Bounds inside = bounds([&](const auto& see) {
      for (const std::uint32_t place : active_) see(candidates_[place]);
    });
    if (inside.gap <= tolerance * inside.objective) return;
  }
}

void ItemSolver::sweep_gram() {
  const std::size_t size = active_.size();
  gradient_.resize(size);
  for (std::size_t a = 0; a < size; ++a) gradient_[a] = candidates_[active_[a]].h;
  for (std::size_t a = 0; a < size; ++a) {
    Candidate& each = candidates_[active_[a]];
    const double excess = gradient_[a] + each.curvature * each.weight - options_.l1;
    const double weight = std::max(0.0, excess / (each.curvature + options_.l2));
    const double change = weight - each.weight;
    if (change == 0) continue;
    each.weight = weight;
    const double* const row = gram_[a].data();
    double* const gradient = gradient_.data();
    for (std::size_t b = 0; b < size; ++b) gradient[b] -= change * row[b];
    counts_.flops += 2 * size;
  }
  for (std::size_t a = 0; a < size; ++a) candidates_[active_[a]].h = gradient_[a];
}

void ItemSolver::sweep_residual() {
  for (const std::uint32_t place : active_) {
    Candidate& each = candidates_[place];
    const double excess = from_residual(each.item) + each.curvature * each.weight - options_.l1;
    const double weight = std::max(0.0, excess / (each.curvature + options_.l2));
    if (weight == each.weight) continue;
    add_to_residual(each.item, (each.weight - weight) * scales_.items[each.item]);
    each.weight = weight;
  }
  for (const std::uint32_t place : active_) candidates_[place].h = from_residual(candidates_[place].item);
}

void ItemSolver::round_weights() {
  for (const std::uint32_t place : active_) {
    Candidate& each = candidates_[place];
    const double scale = scale_of(each);
    each.weight = double{static_cast<float>(each.weight * scale)} / scale;
  }
}

/// x_u^2 (a_j - A w)_u / x_u: what from_residual() adds up.
void ItemSolver::make_residual() {
  for (const std::uint32_t user : data_.users_of(item_)) {
    residual_[user] = scales_.items[item_] * scales_.user_squares[user];
  }
  for (const std::uint32_t place : active_) {
    const Candidate& each = candidates_[place];
    if (each.weight > 0) add_to_residual(each.item, -each.weight * scales_.items[each.item]);
  }
}

void ItemSolver::clear_residual() {
  for (const std::uint32_t user : data_.users_of(item_)) residual_[user] = 0;
  for (const std::uint32_t place : active_) {
    for (const std::uint32_t user : data_.users_of(candidates_[place].item)) residual_[user] = 0;
  }
}

void ItemSolver::add_to_residual(std::uint32_t item, double factor) {
  const auto users = data_.users_of(item);
  counts_.scattered += users.size();
  if (scales_.plain) {
    for (const std::uint32_t user : users) residual_[user] += factor;
  } else {
    for (const std::uint32_t user : users) residual_[user] += factor * scales_.user_squares[user];
  }
}

/// h of an item. Four sums: an addition need not wait for the one before.
double ItemSolver::from_residual(std::uint32_t item) {
  const auto users = data_.users_of(item);
  counts_.scattered += users.size();
  const std::uint32_t* const of = users.data();
  const std::size_t count = users.size();
  double sums[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    for (std::size_t s = 0; s < 4; ++s) sums[s] += residual_[of[k + s]];
  }
  for (; k < count; ++k) sums[0] += residual_[of[k]];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) * scales_.items[item];
}

/// What a weight of the scaled problem is multiplied by to be one of the pairs as they are.
double ItemSolver::scale_of(const Candidate& candidate) const {
  return scales_.items[candidate.item] / scales_.items[item_];
}

double ItemSolver::gap_of(const Candidate& candidate) const {
  const double excess = std::max(0.0, candidate.h - options_.l1), w = candidate.weight;
  return (options_.l1 - candidate.h) * w + 0.5 * options_.l2 * w * w + 0.5 * excess * excess / options_.l2;
}

/// w'G w = w'(G_j - h), so that the objective needs no pass over users.
template <class Each>
ItemSolver::Bounds ItemSolver::bounds(const Each& each) const {
  Bounds sums{half_norm_, 0};
  each([&](const Candidate& candidate) {
    const double w = candidate.weight;
    sums.gap += gap_of(candidate);
    sums.objective += w * (options_.l1 + 0.5 * options_.l2 * w) - 0.5 * w * (candidate.coupling + candidate.h);
  });
  return sums;
}

}  // namespace strads::mf
