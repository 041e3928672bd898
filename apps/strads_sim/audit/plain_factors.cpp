#include "strads_sim/audit/plain_factors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strads::simulator {
namespace {

constexpr double kUnit = 0x1p-24;  ///< a float is rounded by at most so much of itself

}  // namespace

PlainRatings::PlainRatings(std::shared_ptr<const Ratings> ratings, const AuditedMf& asked)
    : ratings_(std::move(ratings)), asked_(asked) {
  const Triplets& train = ratings_->train;
  counts_.assign(std::size_t{ratings_->users->size()} + ratings_->items->size(), 0);
  double sum = 0;
  for (std::size_t t = 0; t < train.size(); ++t) {
    ++counts_[train.users[t]];
    ++counts_[ratings_->users->size() + train.items[t]];
    sum += value(train, t);
  }
  mean_ = asked_.mean ? sum / static_cast<double>(train.size()) : 0;
}

bool PlainRatings::is_split(VarId variable) const {
  const double workers = asked_.engine.workers;
  if (asked_.implicit || (asked_.solver != "cd" && asked_.solver != "als") || workers == 1) return false;
  return counts_[variable] > 0.5 * static_cast<double>(ratings_->train.size()) / workers;
}

double PlainRatings::value(const Triplets& part, std::size_t t) const {
  return part.codes.empty() ? part.values[t] : ratings_->levels[part.codes[t]];
}

PlainRatings::Prediction PlainRatings::predict(const Triplets& part, std::size_t t, const PlainFactors& factors) const {
  const auto& user = factors.rows[part.users[t]];
  const auto& item = factors.rows[ratings_->users->size() + part.items[t]];
  Prediction predicted;
  const auto add = [&](double term) {
    predicted.value += term;
    predicted.size += std::abs(term);
  };
  add(mean_);
  add(user[asked_.rank]);
  add(item[asked_.rank]);
  for (std::size_t k = 0; k < asked_.rank; ++k) add(user[k] * item[k]);
  return predicted;
}

/// Factors are floats, and so is what errors are made of; u = 2^-24. Of a rating with error e let s = |a| + |m| + |b_i|
/// + |b_j| + sum_k |w_ik h_jk|, the magnitudes of its terms. To first order in u each rounding on the way moves e by at
/// most u s.
///
/// Roundings. m is one itself; a - m, both biases and K multiply-adds are K + 3 more. The update of a row moves its
/// errors by K + 1 terms, of a magnitude like that of the terms that they move to. So it is R = 2 K + 5 for cd and als,
/// and a sweep of ccd moves each of K + 2 features out and in again: R = 3 K + 8.
///
/// Where errors are squared, as with rows of cd and als that are not split, e^2 is off by at most 2 |e| R u s + (R u
/// s)^2. Ratings that were divided by a unit have one rounding more.
///
/// Where the squared errors of a row are the value of a quadratic, e'e - 2 w'X'e + w'X'X w with e at w = 0, as of split
/// rows and of ccd, terms that are large cancel: each product of two has the roundings of both, the sum over the n
/// ratings of the row adds n, its conversion to a float one, and w, solved in doubles, is stored with one, in both
/// places. The products of one rating come to s^2: they are off by at most (2 R + n + 3) u s^2, however small e is.
///
/// In a phase that was cut, differences of two such sums were added to a third one, and what errors were before it is
/// not known: all are counted as quadratics.
PlainSquares PlainRatings::training(const PlainFactors& factors, bool cut) const {
  const Triplets& train = ratings_->train;
  const double rank = asked_.rank;
  const bool by_feature = asked_.solver == "ccd";
  const double roundings = (by_feature ? 3 * rank + 8 : 2 * rank + 5) + of_unit();
  PlainSquares squares;
  for (std::size_t t = 0; t < train.size(); ++t) {
    const Prediction predicted = predict(train, t, factors);
    const double error = value(train, t) - predicted.value;
    const double size = std::abs(value(train, t)) + predicted.size;
    const VarId user = train.users[t], item = ratings_->users->size() + train.items[t];
    squares.sum += error * error;
    // A sweep ends with the items: their sums are what its error is.
    if (by_feature || is_split(item) || cut) {
      const double longest = cut ? std::max(counts_[user], counts_[item]) : counts_[item];
      squares.rounding += (cut ? 3 : 1) * (2 * roundings + longest + 3) * kUnit * size * size;
    } else {
      const double off = roundings * kUnit * size;
      squares.rounding += 2 * std::abs(error) * off + off * off;
    }
  }
  return squares;
}

/// Predictions are sums of floats; cutting two numbers to a range brings them no farther apart.
PlainSquares PlainRatings::held_out(const Triplets& part, const PlainFactors& factors) const {
  PlainSquares squares;
  for (std::size_t t = 0; t < part.size(); ++t) {
    const Prediction predicted = predict(part, t, factors);
    const double within = std::clamp<double>(predicted.value, ratings_->lowest, ratings_->highest);
    const double error = value(part, t) - within;
    const double size = predicted.size + of_unit() * std::abs(value(part, t));
    const double off = (asked_.rank + 4.0 + of_unit()) * kUnit * size;
    squares.sum += error * error;
    squares.rounding += 2 * std::abs(error) * off + off * off;
  }
  return squares;
}

double PlainRatings::penalty(const PlainFactors& factors) const {
  const std::uint32_t users = ratings_->users->size();
  double sum = 0;
  for (std::size_t j = 0; j < factors.rows.size(); ++j) {
    const auto& row = factors.rows[j];
    const double times = asked_.weighted ? counts_[j] : 1.0;
    for (std::size_t k = 0; k <= asked_.rank; ++k) {
      const double weight =
          k == asked_.rank ? 1 : asked_.unit * (j < users ? factors.weights[k] : 1 / factors.weights[k]);
      sum += times * weight * row[k] * row[k];
    }
  }
  return sum;
}

}  // namespace strads::simulator
