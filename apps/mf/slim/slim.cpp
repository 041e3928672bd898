#include "mf/slim/slim.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mf/slim/slim_payloads.hpp"
#include "strads/base/hash.hpp"
#include "strads/engine/progress.hpp"

namespace strads::mf {

std::shared_ptr<const SlimData> slim_data(const Ratings& ratings, double lowest) {
  auto data = std::make_shared<SlimData>();
  const Triplets& train = ratings.train;
  const auto is_positive = [&](std::size_t t) {
    return double{train.codes.empty() ? train.values[t] : ratings.levels[train.codes[t]]} >= lowest;
  };
  data->user_begins.assign(std::size_t{ratings.users->size()} + 1, 0);
  data->item_begins.assign(std::size_t{ratings.items->size()} + 1, 0);
  for (std::size_t t = 0; t < train.size(); ++t) {
    if (!is_positive(t)) continue;
    ++data->user_begins[train.users[t] + std::size_t{1}];
    ++data->item_begins[train.items[t] + std::size_t{1}];
  }
  for (auto* begins : {&data->user_begins, &data->item_begins}) {
    for (std::size_t k = 1; k < begins->size(); ++k) (*begins)[k] += (*begins)[k - 1];
  }
  // By item first; users in ascending order then come to each item in order, and items to each user.
  data->user_items.resize(data->user_begins.back());
  data->item_users.resize(data->item_begins.back());
  auto next = data->user_begins;
  for (std::size_t t = 0; t < train.size(); ++t) {
    if (is_positive(t)) data->user_items[next[train.users[t]]++] = train.items[t];
  }
  next = data->item_begins;
  for (std::uint32_t user = 0; user < data->users(); ++user) {
    std::sort(data->user_items.begin() + static_cast<std::ptrdiff_t>(data->user_begins[user]),
              data->user_items.begin() + static_cast<std::ptrdiff_t>(data->user_begins[user + 1]));
    for (const std::uint32_t item : data->items_of(user)) data->item_users[next[item]++] = user;
  }
  Hash64 hash;
  hash.update_u64(ratings.fingerprint);
  hash.update_f64(lowest);
  data->fingerprint = hash.digest();
  return data;
}

SlimScales::SlimScales(const SlimData& data, const SlimOptions& options)
    : user_squares(data.users(), 1.0),
      items(data.items(), 1.0),
      plain(options.user_power == 0 && options.item_power == 0) {
  if (plain) return;
  for (std::uint32_t user = 0; user < data.users(); ++user) {
    const auto count = std::max<std::size_t>(1, data.items_of(user).size());
    user_squares[user] = std::pow(static_cast<double>(count), -options.user_power);
  }
  for (std::uint32_t item = 0; item < data.items(); ++item) {
    const auto count = std::max<std::size_t>(1, data.users_of(item).size());
    items[item] = std::pow(static_cast<double>(count), -options.item_power);
  }
}

std::uint64_t SlimSolution::solved_count() const {
  return static_cast<std::uint64_t>(std::count(solved.begin(), solved.end(), true));
}

SlimSolution slim_solution_of(const SlimData& data, const RunEnd& end) {
  SlimSolution solution;
  solution.columns.resize(data.items());
  solution.solved.assign(data.items(), false);
  for (const Payload& status : end.statuses) {
    each_column(status, kFields<SliceReport>, [&](std::uint32_t item, ItemWeights column) {
      solution.columns[item] = std::move(column);
      solution.solved[item] = true;
    });
  }
  for (const ItemWeights& column : solution.columns) solution.nonzeros += column.rows.size();
  return solution;
}

std::string slim_hash(const SlimSolution& solution) {
  Hash64 hash;
  for (const ItemWeights& column : solution.columns) {
    hash.update_u64(column.rows.size());
    hash.update(std::as_bytes(std::span(column.rows)));
    hash.update(std::as_bytes(std::span(column.weights)));
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  std::uint64_t rest = hash.digest();
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4U) *digit = kDigits[rest & 15U];
  return text;
}

}  // namespace strads::mf
