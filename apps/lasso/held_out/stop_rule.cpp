#include "lasso/held_out/stop_rule.hpp"

#include <span>

namespace strads::lasso {

StopRule stop_rule(std::uint32_t after, std::uint32_t from, std::size_t lambdas) {
  return {after, from > 0 ? from : static_cast<std::uint32_t>((lambdas + 1) / 2)};
}

Measure loss_of(Family family) {
  return family == Family::binomial ? Measure::deviance : Measure::mse;
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

}  // namespace strads::lasso
