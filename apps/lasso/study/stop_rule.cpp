#include "lasso/study/stop_rule.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "lasso/study/held_out.hpp"

namespace strads::lasso {

StopRule stop_rule(std::uint32_t after, std::uint32_t from, std::size_t lambdas) {
  return {after, from > 0 ? from : static_cast<std::uint32_t>((lambdas + 1) / 2)};
}

Measure loss_of(Family family) {
  return family->loss_measure;
}

bool is_far_enough(const HeldOutCurves& curves, std::size_t count, const StopRule& rule) {
  if (count < rule.from) return false;
  return has_stopped_improving(std::span(curves.errors).first(count), curves.measure, rule.after) &&
         has_stopped_improving(std::span(curves.losses).first(count), curves.loss, rule.after);
}

std::size_t lambdas_until_stop(const HeldOutCurves& curves, const StopRule& rule) {
  for (std::size_t count = 1; count < curves.errors.size(); ++count) {
    if (is_far_enough(curves, count, rule)) return count;
  }
  return curves.errors.size();
}

Watchers::Watchers(std::shared_ptr<const Dataset> dataset, std::vector<Group> groups, Measure measure, Family family,
                   const StopRule& rule)
    : dataset_(std::move(dataset)),
      groups_(std::move(groups)),
      measure_(measure),
      family_(family),
      rule_(rule),
      errors_(groups_.size()),
      losses_(groups_.size()),
      ended_(groups_.size(), false) {}

void Watchers::score_solution(std::size_t group, const Solution& solution) {
  const auto& [rows, path] = groups_[group];
  const HeldOut samples = held_out_of(*dataset_, rows, original_scale(*path, solution));
  for (auto [all, measure] : {std::pair{&errors_, measure_}, {&losses_, loss_of(family_)}}) {
    auto& errors = (*all)[group];
    errors.resize(std::max(errors.size(), std::size_t{solution.index} + 1));
    errors[solution.index] = fold_error(samples, measure, family_);
  }
}

bool Watchers::all_have(std::size_t count) const {
  for (std::size_t w = 0; w < errors_.size(); ++w) {
    if (errors_[w].size() < count && !ended_[w]) return false;
  }
  return true;
}

Curve Watchers::curve_by(const Errors& errors, Measure measure, std::size_t count) const {
  std::size_t samples = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    count = std::min(count, errors[g].size());
    samples += groups_[g].rows.size();
  }
  if (count == 0) return {};
  Errors first = errors;
  for (auto& own : first) own.resize(count);
  return curve_of(std::move(first), samples, measure);
}

HeldOutCurves Watchers::curves(std::size_t count) const {
  const Measure loss = loss_of(family_);
  return {
      .measure = measure_, .errors = curve(count).mean, .loss = loss, .losses = curve_by(losses_, loss, count).mean};
}

bool Watchers::is_enough(std::size_t count) const {
  const HeldOutCurves first = curves(count);
  return count > 0 && first.errors.size() == count && is_far_enough(first, count, rule_);
}

}  // namespace strads::lasso
