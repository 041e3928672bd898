#include "strads_sim/audit/plain_implicit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strads::simulator {
namespace {

constexpr double kHalfUlp = 0x1p-24;
/// Items begin with numbers of at most this over sqrt(rank): rows no longer than it (docs/MODELS.md).
constexpr double kLongestStart = 0.35;

double length_of(const std::vector<double>& row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

std::shared_ptr<const Ratings> chosen_pairs(const Ratings& ratings, const AuditedMf& asked) {
  auto chosen = std::make_shared<Ratings>();
  chosen->users = ratings.users;
  chosen->items = ratings.items;
  const Triplets& all = ratings.train;
  for (std::size_t t = 0; t < all.size(); ++t) {
    const double value = all.codes.empty() ? double{all.values[t]} : double{ratings.levels[all.codes[t]]};
    if (asked.positive_from.has_value() && value < *asked.positive_from) continue;
    chosen->train.users.push_back(all.users[t]);
    chosen->train.items.push_back(all.items[t]);
    chosen->train.values.push_back(static_cast<float>(asked.confidence == "linear" ? value
                                                      : asked.confidence == "log"  ? std::log2(1 + value)
                                                                                   : 1.0));
  }
  return chosen;
}

PlainImplicit::PlainImplicit(std::shared_ptr<const Ratings> chosen, const AuditedMf& asked)
    : chosen_(std::move(chosen)), asked_(asked), rows_(std::size_t{users()} + chosen_->items->size()) {
  confidences_.assign(std::size_t{users()} * chosen_->items->size(), 0.0);
  const Triplets& pairs = chosen_->train;
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    confidences_[std::size_t{pairs.users[t]} * chosen_->items->size() + pairs.items[t]] = double{pairs.values[t]};
  }
}

bool PlainImplicit::is_known() const {
  return std::none_of(rows_.begin() + users(), rows_.end(), [](const auto& row) { return row.empty(); });
}

/// Let u = 2^-24, and a pair have rows of lengths a and b. Its score is a sum of K products of floats, in the basis of
/// the other side's Gram matrix: turning a row there and back moves it by at most 2 (K + 2) u of its length, products
/// and their sum by (K + 2) u a b. Roots of confidences have a rounding, and so has a product with one. So sqrt(c) (s -
/// 1) is off by sqrt(c) R u (1 + a b) with R = 4 K + 12, its square by twice that times itself, and the square of that.
/// The sum over all pairs is w'G w: floats sum up G over the rows of a side, n u of it, and turning it takes more, all
/// within (R + n) u a^2 b^2 for each pair. Of Hu's objective a chosen pair has alpha0 (1 - 2 s) more, where s is off by
/// R u (1 + a b).
PlainObjective PlainImplicit::objective() const {
  const std::size_t items = chosen_->items->size(), rank = asked_.rank;
  const double roundings = 4.0 * static_cast<double>(rank) + 12;
  const double all_roundings = roundings + static_cast<double>(std::max<std::size_t>(users(), items));
  PlainObjective sum;
  std::vector<std::uint32_t> counts(rows_.size(), 0);
  std::vector<double> lengths;
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    lengths.push_back(rows_[j].empty() && j >= users() ? kLongestStart : length_of(rows_[j]));
  }
  for (std::size_t u = 0; u < users(); ++u) {
    for (std::size_t i = 0; i < items; ++i) {
      const auto &user = rows_[u], &item = rows_[users() + i];
      const double confidence = asked_.alpha * confidences_[u * items + i];
      const double product = lengths[u] * lengths[users() + i];
      double score = 0;
      for (std::size_t k = 0; k < std::min(user.size(), item.size()); ++k) score += user[k] * item[k];
      const double wanted = asked_.hu && confidence > 0 ? 1 : 0;
      sum.value += asked_.alpha0 * (score - wanted) * (score - wanted);
      sum.rounding += asked_.alpha0 * all_roundings * kHalfUlp * product * product;
      if (confidence == 0) continue;
      ++counts[u];
      ++counts[users() + i];
      const double off = roundings * kHalfUlp * (1 + product);
      sum.value += confidence * (score - 1) * (score - 1);
      sum.rounding += confidence * (2 * std::abs(score - 1) * off + off * off) + 2 * wanted * asked_.alpha0 * off;
    }
  }
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const auto others = static_cast<double>(j < users() ? items : users());
    const double times = std::pow(counts[j] + asked_.alpha0 * others, asked_.nu);
    sum.value += asked_.lambda * times * lengths[j] * lengths[j];
  }
  return sum;
}

}  // namespace strads::simulator
