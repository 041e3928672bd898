#include "mf/ranking/stop_lists.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "mf/ranking/factor_ranker.hpp"
#include "mf/ranking/held_out.hpp"
#include "mf/ranking/judged_lists.hpp"
#include "mf/ranking/rated_items.hpp"
#include "strads/base/chunks.hpp"

namespace strads::mf {
namespace {

class ValidationLists final : public StopLists {
 public:
  ValidationLists(const Ratings& ratings, std::optional<double> from) {
    fold_.ids.ids[0] = ratings.users;
    fold_.ids.ids[1] = ratings.items;
    const Triplets* const train[] = {&ratings.train};
    const Triplets* const validation[] = {&ratings.validation};
    fold_.rated = rated_by_user(ratings, train, fold_.ids);
    fold_.held_out = held_out_of_parts(ratings, validation, from, fold_.ids, fold_.rated);
    fold_.users = fold_.held_out.users();
  }
  [[nodiscard]] const std::vector<std::uint32_t>& users() const override { return fold_.users; }
  [[nodiscard]] double summed(const RankedBy& by, std::span<const std::uint32_t> users,
                              ListedFactors rows) const override {
    if (users.empty()) return 0;
    FactorModel factors;
    factors.rank = rows.rank;
    factors.mean = rows.mean;
    factors.factors[0] = std::move(rows.users);
    factors.factors[1] = std::move(rows.items);
    factors.biases[0] = std::move(rows.user_biases);
    factors.biases[1] = std::move(rows.item_biases);
    const auto ranker = rank_by_factors(factors, {}, users);  // whose rows come in their order
    SerialChunks serial;                                      // blocks of other users have the other threads
    const auto sums = judged_lists({fold_.ids, fold_.rated, fold_.held_out, users}, {by.at}, *ranker, serial);
    return sums->mean(0, by.metric).mean * static_cast<double>(sums->users());
  }

 private:
  RankedFold fold_;
};

}  // namespace

Result<std::shared_ptr<const StopLists>> stop_lists_of(const Ratings& ratings, const RatingsInput& input, bool wanted) {
  if (!wanted || input.validation == 0) return std::shared_ptr<const StopLists>();
  auto lists = std::make_shared<const ValidationLists>(ratings, input.positives.from);
  if (!lists->users().empty()) return std::shared_ptr<const StopLists>(std::move(lists));
  return Status::input(input.path + ": none of " + std::to_string(ratings.validation.size()) +
                       " validation pairs is one that a list could have, so that --stop-metric has nothing to look " +
                       "at; give a larger --validation, or leave --stop-metric out");
}

}  // namespace strads::mf
