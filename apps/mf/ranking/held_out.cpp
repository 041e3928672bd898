#include "mf/ranking/held_out.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace strads::mf {
namespace {

/// Collects pairs by user, then orders them.
class HeldOutPairs {
 public:
  HeldOutPairs(const ModelIds& model, const RatedItems& rated)
      : items_(model.known(Side::items)), rated_(rated), of_user_(model.known(Side::users)) {}

  /// `user`, `item`: numbers of the model; from its sizes on they are unknown ones, each item with a number of its own.
  void add(std::uint32_t user, std::uint64_t item) {
    ++out_.pairs;
    if (user >= of_user_.size()) {
      ++out_.of_strangers;
      return;
    }
    of_user_[user].push_back(item);
  }
  void leave_out() {
    ++out_.pairs;
    ++out_.irrelevant;
  }

  HeldOut finish() {
    out_.begins.assign(1, 0);
    out_.missed.assign(of_user_.size(), 0);
    for (std::uint32_t user = 0; user < of_user_.size(); ++user) {
      auto& own = of_user_[user];
      std::sort(own.begin(), own.end());
      const auto end = std::unique(own.begin(), own.end());
      out_.repeated += static_cast<std::uint64_t>(own.end() - end);
      const auto rated = rated_.of(user);
      for (auto at = own.begin(); at != end; ++at) {
        if (*at >= items_) {
          ++out_.missed[user];
        } else if (std::binary_search(rated.begin(), rated.end(), static_cast<std::uint32_t>(*at))) {
          ++out_.rated;
        } else {
          out_.items.push_back(static_cast<std::uint32_t>(*at));
        }
      }
      out_.begins.push_back(out_.items.size());
      own = {};
    }
    return std::move(out_);
  }

 private:
  std::uint32_t items_;
  const RatedItems& rated_;
  std::vector<std::vector<std::uint64_t>> of_user_;
  HeldOut out_;
};

/// Numbers of ids: those of the model, and after them those that it does not know.
class ItemNumbers {
 public:
  explicit ItemNumbers(const IdTable& known) : known_(known) {}
  std::uint64_t operator()(std::string_view name) {
    const std::uint32_t found = known_.find(name);
    if (found < known_.size()) return found;
    return known_.size() + strangers_.try_emplace(std::string(name), strangers_.size()).first->second;
  }

 private:
  const IdTable& known_;
  std::unordered_map<std::string, std::uint64_t> strangers_;
};

bool is_relevant(const Ratings& ratings, const Triplets& part, std::size_t t, std::optional<double> bound) {
  return !bound.has_value() || double{value_of(part, ratings.levels, t)} >= *bound;
}

}  // namespace

std::vector<std::uint32_t> HeldOut::users() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t user = 0; user < missed.size(); ++user) {
    if (begins[user + 1] > begins[user] || missed[user] > 0) out.push_back(user);
  }
  return out;
}

Result<HeldOut> held_out_of_file(const HeldOutFile& file, const ModelIds& model, const RatedItems& rated,
                                 Chunks& chunks) {
  if (!file.relevant.has_value()) {
    HeldOutPairs pairs(model, rated);
    ItemNumbers item_number(*model.ids[1]);
    STRADS_ASSIGN_OR_RETURN(const auto given, load_pairs({.path = file.path, .columns = file.columns}));
    for (std::size_t t = 0; t < given.users.size(); ++t) {
      pairs.add(model.ids[0]->find(given.users[t]), item_number(given.items[t]));
    }
    return pairs.finish();
  }
  RatingsInput input;
  input.path = file.path;
  input.columns = file.columns;
  STRADS_ASSIGN_OR_RETURN(const auto given, load_ratings(input, chunks));
  return held_out_of_ratings(*given, file.relevant, model, rated);
}

HeldOut held_out_of_ratings(const Ratings& given, std::optional<double> relevant, const ModelIds& model,
                            const RatedItems& rated) {
  HeldOutPairs pairs(model, rated);
  ItemNumbers item_number(*model.ids[1]);
  const Triplets& all = given.train;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (!is_relevant(given, all, t, relevant)) {
      pairs.leave_out();
      continue;
    }
    pairs.add(model.ids[0]->find(given.users->name(all.users[t])), item_number(given.items->name(all.items[t])));
  }
  return pairs.finish();
}

HeldOut held_out_of_fit(const Ratings& ratings, std::optional<double> relevant, const ModelIds& model,
                        const RatedItems& rated) {
  const Triplets* const parts[] = {&ratings.test, &ratings.strangers};
  return held_out_of_parts(ratings, parts, relevant, model, rated);
}

HeldOut held_out_of_parts(const Ratings& ratings, std::span<const Triplets* const> parts,
                          std::optional<double> relevant, const ModelIds& model, const RatedItems& rated) {
  HeldOutPairs pairs(model, rated);
  const std::uint32_t users = ratings.users->size(), items = ratings.items->size();
  std::uint64_t stranger = model.known(Side::items);  // a test file's unknown items have lost their ids
  for (const Triplets* part : parts) {
    for (std::size_t t = 0; t < part->size(); ++t) {
      if (!is_relevant(ratings, *part, t, relevant)) {
        pairs.leave_out();
        continue;
      }
      const std::uint32_t user = part->users[t], item = part->items[t];
      const std::uint32_t own = user < users ? model.ids[0]->find(ratings.users->name(user)) : model.known(Side::users);
      const bool is_known = item < items && model.ids[1]->find(ratings.items->name(item)) < model.known(Side::items);
      pairs.add(own, is_known ? model.ids[1]->find(ratings.items->name(item)) : stranger++);
    }
  }
  return pairs.finish();
}

}  // namespace strads::mf
