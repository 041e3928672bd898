#include "mf/ranking/judged_lists.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace strads::mf {
namespace {

/// Users whose lists are in memory at once.
constexpr std::size_t kListsAtOnce = 4096;
/// Users whose lists are judged as one piece.
constexpr std::size_t kJudgedTogether = 64;

}  // namespace

std::optional<RankingSums> judged_lists(const ListQuestion& question, const std::vector<std::uint32_t>& ks,
                                        const ItemRanker& ranker, Chunks& chunks,
                                        const std::function<bool(std::size_t done)>& go_on) {
  std::vector<std::uint32_t> popularity(question.ids.known(Side::items), 0);
  for (const std::uint32_t item : question.rated.items) ++popularity[item];
  RankingSums sums(ks, popularity, question.ids.known(Side::users));
  for (std::size_t begin = 0; begin < question.users.size(); begin += kListsAtOnce) {
    const auto here = question.users.subspan(begin, std::min(kListsAtOnce, question.users.size() - begin));
    std::vector<std::vector<UserMetrics>> judged(here.size());
    const auto lists = lists_of_all(ranker, here, ks.back(), question.rated, TieOrder::hash, chunks);
    chunks.for_each((here.size() + kJudgedTogether - 1) / kJudgedTogether, [&](std::size_t piece) {
      const std::size_t end = std::min(here.size(), (piece + 1) * kJudgedTogether);
      for (std::size_t u = piece * kJudgedTogether; u < end; ++u) {
        const std::uint32_t user = here[u];
        judged[u] = metrics_of_user(lists[u], question.held_out.of(user), question.held_out.missed[user], ks);
      }
    });
    for (std::size_t u = 0; u < here.size(); ++u) sums.add(lists[u], judged[u]);
    if (go_on && !go_on(begin + here.size())) return std::nullopt;
  }
  return sums;
}

RankedFold ranked_fold(const Ratings& fold, std::optional<double> from, bool weights) {
  RankedFold out;
  out.ids.ids[0] = fold.users;
  out.ids.ids[1] = fold.items;
  const Triplets* const parts[] = {&fold.train, &fold.validation};
  out.rated = rated_by_user(fold, parts, out.ids);
  if (weights) {
    const double lowest = from.value_or(-std::numeric_limits<double>::infinity());
    out.positives = std::make_shared<const RatedItems>(rated_by_user(fold, parts, out.ids, lowest));
  }
  out.held_out = held_out_of_fit(fold, from, out.ids, out.rated);
  out.users = out.held_out.users();
  return out;
}

RankedQuality ranked_quality(const RankedFold& fold, const RankedBy& by, const ItemRanker& ranker, Chunks& chunks) {
  const auto sums = judged_lists(fold.question(), {by.at}, ranker, chunks);
  RankedQuality quality;
  quality.users = sums->users();
  for (std::size_t m = 0; m < kRankingMetrics.size(); ++m) quality.means[m] = sums->mean(0, m).mean;
  return quality;
}

}  // namespace strads::mf
