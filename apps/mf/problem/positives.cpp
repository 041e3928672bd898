#include "mf/problem/positives.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

float confidence_of(float value, Confidence confidence) {
  switch (confidence) {
    case Confidence::ones:
      return 1;
    case Confidence::linear:
      return value;
    case Confidence::log:
      return static_cast<float>(std::log2(1 + double{value}));
  }
  return 1;
}

Status wrong_value(const std::string& name, const Ratings& ratings, const Triplets& train, std::size_t t, float value,
                   const std::string& expected) {
  return Status::input(name + ": user '" + std::string(ratings.users->name(train.users[t])) + "' and item '" +
                       std::string(ratings.items->name(train.items[t])) + "' have the value " +
                       short_text(double{value}) + ", expected " + expected);
}

}  // namespace

Status to_positives(const Positives& positives, const std::string& name, Ratings& ratings) {
  Triplets& train = ratings.train;
  Triplets kept;
  kept.users.reserve(train.size());
  kept.items.reserve(train.size());
  kept.values.reserve(train.size());
  for (std::size_t t = 0; t < train.size(); ++t) {
    const float value = train.codes.empty() ? train.values[t] : ratings.levels[train.codes[t]];
    if (positives.from.has_value() && double{value} < *positives.from) continue;
    const bool may_be_none = !positives.from.has_value() || positives.confidence != Confidence::ones;
    if (may_be_none && !(value > 0)) {
      return wrong_value(name, ratings, train, t, value,
                         positives.from.has_value()
                             ? "numbers above 0, which confidences are: give a larger --positive-from"
                             : "numbers above 0 of pairs that were chosen: --positive-from R leaves out those below R");
    }
    const float confidence = confidence_of(value, positives.confidence);
    if (!std::isfinite(confidence)) {
      return wrong_value(name, ratings, train, t, value, "sums of values that single precision holds");
    }
    kept.users.push_back(train.users[t]);
    kept.items.push_back(train.items[t]);
    kept.values.push_back(confidence);
  }
  if (kept.size() == 0) {
    return Status::input(name + ": no pair has a value of " + short_text(positives.from.value_or(0)) +
                         " or more, expected some that --positive-from keeps");
  }
  train = std::move(kept);
  Triplets validation;
  for (std::size_t t = 0; t < ratings.validation.size(); ++t) {
    const Triplets& all = ratings.validation;
    const float value = all.codes.empty() ? all.values[t] : ratings.levels[all.codes[t]];
    if (positives.from.has_value() && double{value} < *positives.from) continue;
    validation.users.push_back(all.users[t]);
    validation.items.push_back(all.items[t]);
    validation.values.push_back(1);
  }
  ratings.validation = std::move(validation);
  // All that goes on from here are training pairs: their values are no codes of these levels any more.
  ratings.levels.clear();
  return {};
}

}  // namespace strads::mf
