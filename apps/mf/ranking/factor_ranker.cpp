#include "mf/ranking/factor_ranker.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "mf/ranking/best_of_user.hpp"
#include "strads/numerics/product_screen.hpp"

namespace strads::mf {
namespace {

/// Strips that a panel of items is used for while it is in the first cache.
constexpr std::size_t kStripsTogether = 8;
/// Items that wait for their exact scores, of one user, besides `top`.
constexpr std::size_t kWaiting = 256;
/// Chains of sums that are added up side by side.
constexpr std::size_t kChains = 8;

/// score() of some items, side by side. The user is one of the model's.
void exact_scores(const FactorModel& model, std::uint32_t row, std::span<const std::uint32_t> items,
                  std::span<float> out) {
  const float* const w = model.row(Side::users, row);
  const float base = model.mean + model.biases[0][row];
  for (std::size_t first = 0; first < items.size(); first += kChains) {
    const std::size_t count = std::min(kChains, items.size() - first);
    std::array<const float*, kChains> h{};
    std::array<float, kChains> products{};
    for (std::size_t c = 0; c < kChains; ++c) h[c] = model.row(Side::items, items[first + std::min(c, count - 1)]);
    for (std::uint32_t k = 0; k < model.rank; ++k) {
      for (std::size_t c = 0; c < kChains; ++c) products[c] += w[k] * h[c][k];
    }
    for (std::size_t c = 0; c < count; ++c) out[first + c] = (base + model.biases[1][items[first + c]]) + products[c];
  }
}

/// The list of one user while panels of items go by.
class ScreenedList {
 public:
  ScreenedList(std::size_t top, IsBetter better, std::span<const std::uint32_t> rated)
      : top_(top), best_(top, better), rated_(rated) {}

  [[nodiscard]] bool may_have(std::uint32_t item) const {
    return !std::binary_search(rated_.begin(), rated_.end(), item);
  }
  /// An item whose score is from `least` to `most`. A bound that is no number bounds nothing.
  void offer(std::uint32_t item, float least, float most) {
    waiting_.push_back({most, item});
    if (!(least > floor_)) return;
    if (floors_.size() == top_) {
      std::pop_heap(floors_.begin(), floors_.end(), std::greater<>());
      floors_.pop_back();
    }
    floors_.push_back(least);
    std::push_heap(floors_.begin(), floors_.end(), std::greater<>());
    if (floors_.size() == top_) floor_ = std::max(floor_, floors_.front());
  }
  /// As many items as the list is long have this score or more.
  [[nodiscard]] float floor() const { return floor_; }
  [[nodiscard]] bool is_crowded() const { return waiting_.size() >= kWaiting + 2 * top_; }
  /// Takes the scores of those that wait.
  void settle(const FactorModel& model, std::uint32_t row) {
    std::vector<std::uint32_t> items;
    for (const Candidate& one : waiting_) {
      if (!(one.score < floor_)) items.push_back(one.item);
    }
    waiting_.clear();
    std::vector<float> scores(items.size());
    exact_scores(model, row, items, scores);
    for (std::size_t k = 0; k < items.size(); ++k) best_.offer({scores[k], items[k]});
    if (best_.is_full()) floor_ = std::max(floor_, best_.worst().score);
  }
  [[nodiscard]] std::vector<Candidate> sorted() { return best_.sorted(); }

 private:
  std::size_t top_;
  BestOfUser best_;
  std::span<const std::uint32_t> rated_;
  std::vector<Candidate> waiting_;  ///< with the most that their scores can be
  std::vector<float> floors_;       ///< the largest of the least that scores can be; the smallest is in front
  float floor_ = -std::numeric_limits<float>::infinity();
};

std::vector<std::uint32_t> longest_first(const FactorModel& model, const AllowedItems& allowed) {
  std::vector<std::uint32_t> order;
  std::vector<double> reaches(model.size(Side::items), 0);
  double length = 0;
  for (std::uint32_t user = 0; user < model.size(Side::users); ++user) {
    length += double{length_above(model.row(Side::users, user), model.rank)};
  }
  if (model.size(Side::users) > 0) length /= model.size(Side::users);
  for (std::uint32_t item = 0; item < model.size(Side::items); ++item) {
    if (!allowed.empty() && allowed[item] == 0) continue;
    order.push_back(item);
    const double reach =
        model.biases[1][item] + length * double{length_above(model.row(Side::items, item), model.rank)};
    reaches[item] = reach >= 0 || reach < 0 ? reach : 0;  // an order that needs numbers
  }
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return reaches[a] != reaches[b] ? reaches[a] > reaches[b] : a < b;
  });
  return order;
}

class FactorRanker final : public ItemRanker {
 public:
  FactorRanker(const FactorModel& model, const AllowedItems& allowed, std::span<const std::uint32_t> owners)
      : model_(model),
        owners_(owners),
        order_(longest_first(model, allowed)),
        panels_(model.factors[1], model.rank, model.biases[1], order_) {}
  [[nodiscard]] std::size_t users_at_once() const override { return kStripsTogether * kStripRows; }
  [[nodiscard]] CandidateLists best(std::span<const std::uint32_t> users, std::size_t top, const RatedItems& rated,
                                    TieOrder ties) const override {
    std::vector<ScreenedList> lists;
    lists.reserve(users.size());
    const std::size_t places = std::min<std::size_t>(top, order_.size());
    for (const std::uint32_t user : users) lists.emplace_back(places, IsBetter(ties, user), rated.of(user));
    std::vector<RowStrip> strips = strips_of(users);
    std::vector<bool> done(strips.size(), places == 0);
    LargeProducts large;
    for (std::size_t panel = 0; panel < panels_.panels(); ++panel) {
      for (std::size_t s = 0; s < strips.size(); ++s) {
        if (done[s] || (done[s] = strips[s].is_done(panels_, panel))) continue;
        if (!screen_products(strips[s], panels_, panel, large)) continue;
        for (std::size_t r = 0; r < kStripRows; ++r) {
          if (large.large[r] == 0) continue;
          const std::size_t u = s * kStripRows + r;
          if (u >= users.size()) continue;
          take(strips[s], r, panel, large, lists[u]);
          if (lists[u].is_crowded()) lists[u].settle(model_, row_of(users, u));
          strips[s].least[r] = lists[u].floor();
        }
      }
    }
    CandidateLists out;
    for (std::size_t u = 0; u < users.size(); ++u) {
      lists[u].settle(model_, row_of(users, u));
      out.push_back(lists[u].sorted());
    }
    return out;
  }

 private:
  [[nodiscard]] std::uint32_t row_of(std::span<const std::uint32_t> users, std::size_t u) const {
    if (owners_.empty()) return users[u];
    return static_cast<std::uint32_t>(users.data() + u - owners_.data());
  }
  [[nodiscard]] std::vector<RowStrip> strips_of(std::span<const std::uint32_t> users) const {
    std::vector<RowStrip> strips((users.size() + kStripRows - 1) / kStripRows, RowStrip(model_.rank));
    for (std::size_t u = 0; u < users.size(); ++u) {
      const std::uint32_t row = row_of(users, u);
      strips[u / kStripRows].set(u % kStripRows, model_.row(Side::users, row), model_.mean + model_.biases[0][row]);
    }
    return strips;
  }
  /// What a panel has for one row.
  void take(const RowStrip& strip, std::size_t r, std::size_t panel, const LargeProducts& large,
            ScreenedList& list) const {
    for (std::uint32_t bits = large.large[r]; bits != 0; bits &= bits - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(bits));
      const std::size_t place = panel * kPanelColumns + c;
      if (place >= order_.size() || !list.may_have(order_[place])) continue;
      const float slack = strip.slack(r) * panels_.lengths(panel)[c], product = large.products[r][c];
      const float base = strip.base(r) + panels_.biases(panel)[c];
      list.offer(order_[place], base + (product - slack), base + (product + slack));
    }
  }

  const FactorModel& model_;
  std::span<const std::uint32_t> owners_;
  std::vector<std::uint32_t> order_;
  ColumnPanels panels_;
};

}  // namespace

std::unique_ptr<const ItemRanker> rank_by_factors(const FactorModel& model, const AllowedItems& allowed,
                                                  std::span<const std::uint32_t> owners) {
  return std::make_unique<FactorRanker>(model, allowed, owners);
}

}  // namespace strads::mf
