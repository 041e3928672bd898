#include "strads/numerics/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strads {

namespace {

/// A step at which one term crosses zero: the slope of F grows by 2 l1 |delta| there.
struct Breakpoint {
  double step;
  std::size_t term;
};

/// Sign of b + a delta just after a = 0.
double sign_ahead(const LineTerm& term) {
  if (term.value != 0) return term.value > 0 ? 1 : -1;
  return term.delta > 0 ? 1 : -1;
}

std::vector<Breakpoint> breakpoints(std::span<const LineTerm> terms) {
  std::vector<Breakpoint> result;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const LineTerm& term = terms[j];
    // Without an l1 penalty the slope has no kink at zero.
    if (term.value == 0 || term.delta == 0 || term.l1 == 0) continue;
    const double step = -term.value / term.delta;
    if (step > 0 && step < 1) result.push_back({step, j});
  }
  std::sort(result.begin(), result.end(), [](const Breakpoint& a, const Breakpoint& b) {
    return a.step != b.step ? a.step < b.step : a.term < b.term;
  });
  return result;
}

/// -(integral of C + a K over [from, to]): what F falls by on a piece where its slope is C + a K.
double fall(double c, double k, double from, double to) {
  return -(to - from) * (c + k * (from + to) / 2);
}

}  // namespace

LineStep line_search(double rv, double vv, std::span<const LineTerm> terms) {
  double c = -rv;  // slope at a -> 0+ of everything but the curvature
  double k = vv;
  for (const LineTerm& term : terms) {
    if (term.delta == 0) continue;
    c += term.l1 * term.delta * sign_ahead(term) + term.l2 * term.delta * term.value;
    k += term.l2 * term.delta * term.delta;
  }
  const auto kinks = breakpoints(terms);
  LineStep best;
  for (std::size_t b = 0; b <= kinks.size(); ++b) {
    const double high = b < kinks.size() ? kinks[b].step : 1.0;
    if (!(c + high * k < 0)) {
      // The minimum lies in this piece: inside it, or at its start when the slope jumped over zero there.
      const double inside = k > 0 ? -c / k : best.step;
      if (inside > best.step) {
        const double step = std::min(inside, high);
        best.decrease += fall(c, k, best.step, step);
        best.step = step;
        best.zeroed = b < kinks.size() && step == high ? static_cast<std::ptrdiff_t>(kinks[b].term) : -1;
      }
      return best;
    }
    if (high > best.step) {
      best.decrease += fall(c, k, best.step, high);
      best.step = high;
      best.zeroed = b < kinks.size() ? static_cast<std::ptrdiff_t>(kinks[b].term) : -1;
    }
    if (b < kinks.size()) c += 2 * terms[kinks[b].term].l1 * std::abs(terms[kinks[b].term].delta);
  }
  return best;
}

}  // namespace strads
