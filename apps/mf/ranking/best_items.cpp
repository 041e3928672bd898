#include "mf/ranking/best_items.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace strads::mf {
namespace {

constexpr std::size_t kItemsAtOnce = 1024;

/// The finaliser of SplitMix64 [Steele, Lea, Flood 2014].
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Better ones first.
class IsBetter {
 public:
  IsBetter(TieOrder ties, std::uint32_t user) : ties_(ties), user_(std::uint64_t{user} << 32U) {}
  bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.score != b.score) return a.score > b.score;
    if (ties_ == TieOrder::item) return a.item < b.item;
    return mixed(user_ + a.item) < mixed(user_ + b.item);
  }

 private:
  TieOrder ties_;
  std::uint64_t user_;
};

/// The best `top` of what it is shown, in a heap whose front is the worst.
class BestOfUser {
 public:
  BestOfUser(std::size_t top, IsBetter better) : top_(top), better_(better) {}
  void offer(const Candidate& candidate) {
    if (heap_.size() == top_) {
      if (!better_(candidate, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), better_);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), better_);
  }
  [[nodiscard]] std::vector<Candidate> sorted() {
    std::sort_heap(heap_.begin(), heap_.end(), better_);
    return std::move(heap_);
  }

 private:
  std::size_t top_;
  IsBetter better_;
  std::vector<Candidate> heap_;
};

}  // namespace

ScoreItems scores_of_factors(const FactorModel& model) {
  // Feature by feature, so that the inner loop runs over items: sums of one score keep their order.
  const std::size_t items = model.size(Side::items);
  auto features = std::make_shared<std::vector<float>>(items * model.rank);
  for (std::size_t j = 0; j < items; ++j) {
    for (std::size_t k = 0; k < model.rank; ++k) (*features)[k * items + j] = model.factors[1][j * model.rank + k];
  }
  return [&model, items, features](std::span<const std::uint32_t> users, std::uint32_t begin, std::uint32_t count,
                                   float* out, std::size_t stride) {
    for (std::size_t u = 0; u < users.size(); ++u) std::fill_n(out + u * stride, count, 0.0F);
    for (std::size_t k = 0; k < model.rank; ++k) {
      const float* const feature = features->data() + k * items + begin;
      for (std::size_t u = 0; u < users.size(); ++u) {
        const float w = model.row(Side::users, users[u])[k];
        float* const of_user = out + u * stride;
        for (std::uint32_t j = 0; j < count; ++j) of_user[j] += w * feature[j];
      }
    }
    for (std::size_t u = 0; u < users.size(); ++u) {
      const float base = model.mean + model.biases[0][users[u]];
      float* const of_user = out + u * stride;
      for (std::uint32_t j = 0; j < count; ++j) of_user[j] = (base + model.biases[1][begin + j]) + of_user[j];
    }
  };
}

ScoreItems scores_of_popularity(const RatedItems& rated, std::uint32_t items) {
  auto counts = std::make_shared<std::vector<float>>(items, 0.0F);
  for (const std::uint32_t item : rated.items) (*counts)[item] += 1;
  return [counts](std::span<const std::uint32_t> users, std::uint32_t begin, std::uint32_t count, float* out,
                  std::size_t stride) {
    for (std::size_t u = 0; u < users.size(); ++u) std::copy_n(counts->data() + begin, count, out + u * stride);
  };
}

std::vector<std::vector<Candidate>> best_items(std::span<const std::uint32_t> users, std::uint32_t items,
                                               std::size_t top, const RatedItems& rated, TieOrder ties,
                                               const ScoreItems& scores, const AllowedItems& allowed) {
  std::vector<BestOfUser> best;
  best.reserve(users.size());
  for (const std::uint32_t user : users) best.emplace_back(std::min<std::size_t>(top, items), IsBetter(ties, user));
  std::vector<std::size_t> seen(users.size(), 0);
  std::vector<float> values(users.size() * kItemsAtOnce);
  for (std::uint32_t begin = 0; begin < items; begin += kItemsAtOnce) {
    const auto count = std::min<std::uint32_t>(kItemsAtOnce, items - begin);
    scores(users, begin, count, values.data(), kItemsAtOnce);
    for (std::size_t u = 0; u < users.size(); ++u) {
      const auto known = rated.of(users[u]);
      for (std::uint32_t j = 0; j < count; ++j) {
        const std::uint32_t item = begin + j;
        while (seen[u] < known.size() && known[seen[u]] < item) ++seen[u];
        if (seen[u] < known.size() && known[seen[u]] == item) continue;
        if (!allowed.empty() && allowed[item] == 0) continue;
        best[u].offer({values[u * kItemsAtOnce + j], item});
      }
    }
  }
  std::vector<std::vector<Candidate>> out;
  out.reserve(best.size());
  for (BestOfUser& of_user : best) out.push_back(of_user.sorted());
  return out;
}

}  // namespace strads::mf
