#include "mf/ranking/best_items.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "mf/ranking/best_of_user.hpp"

namespace strads::mf {
namespace {

constexpr std::size_t kItemsAtOnce = 1024;

/// Users whose scores are computed together: those of one stretch of items stay in a cache.
constexpr std::size_t kUsersTogether = 4;

class RankerByScores final : public ItemRanker {
 public:
  RankerByScores(ScoreItems scores, std::uint32_t items, AllowedItems allowed)
      : scores_(std::move(scores)), items_(items), allowed_(std::move(allowed)) {}
  [[nodiscard]] std::size_t users_at_once() const override { return kUsersTogether; }
  [[nodiscard]] CandidateLists best(std::span<const std::uint32_t> users, std::size_t top, const RatedItems& rated,
                                    TieOrder ties) const override {
    return best_items(users, items_, top, rated, ties, scores_, allowed_);
  }

 private:
  ScoreItems scores_;
  std::uint32_t items_;
  AllowedItems allowed_;
};

}  // namespace

ScoreItems scores_of_popularity(const RatedItems& rated, std::uint32_t items) {
  auto counts = std::make_shared<std::vector<float>>(items, 0.0F);
  for (const std::uint32_t item : rated.items) (*counts)[item] += 1;
  return [counts](std::span<const std::uint32_t> users, std::uint32_t begin, std::uint32_t count, float* out,
                  std::size_t stride) {
    for (std::size_t u = 0; u < users.size(); ++u) std::copy_n(counts->data() + begin, count, out + u * stride);
  };
}

CandidateLists best_items(std::span<const std::uint32_t> users, std::uint32_t items, std::size_t top,
                          const RatedItems& rated, TieOrder ties, const ScoreItems& scores,
                          const AllowedItems& allowed) {
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
  CandidateLists out;
  out.reserve(best.size());
  for (BestOfUser& of_user : best) out.push_back(of_user.sorted());
  return out;
}

std::unique_ptr<const ItemRanker> rank_by_scores(ScoreItems scores, std::uint32_t items, AllowedItems allowed) {
  return std::make_unique<RankerByScores>(std::move(scores), items, std::move(allowed));
}

CandidateLists lists_of_all(const ItemRanker& ranker, std::span<const std::uint32_t> users, std::size_t top,
                            const RatedItems& rated, TieOrder ties, Chunks& chunks) {
  CandidateLists lists(users.size());
  const std::size_t at_once = ranker.users_at_once();
  chunks.for_each((users.size() + at_once - 1) / at_once, [&](std::size_t piece) {
    const std::size_t begin = piece * at_once;
    const auto here = users.subspan(begin, std::min(at_once, users.size() - begin));
    auto best = ranker.best(here, top, rated, ties);
    std::move(best.begin(), best.end(), lists.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return lists;
}

}  // namespace strads::mf
