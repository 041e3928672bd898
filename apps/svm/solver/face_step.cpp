#include "svm/solver/face_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "svm/solver/dual_box.hpp"

namespace strads::svm {

namespace {

/// So many variables are on the way out of the box that the face is another one: its minimum need not be found.
constexpr double kOutsideShare = 0.05;
constexpr std::size_t kOutsideMin = 2;

double inner(std::span<const double> a, std::span<const double> b) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t at = 0;
  for (; at + 4 <= a.size(); at += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[at + k] * b[at + k];
  }
  for (; at < a.size(); ++at) sums[0] += a[at] * b[at];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Where the search goes, and what f is along it.
struct Way {
  std::vector<double> step;     ///< of each variable
  std::vector<double> feature;  ///< sum of step y x
};

/// Q step = -gradient over the face, not to the end; preconditioned by the diagonal of Q.
Way conjugate_gradients(const Samples& samples, const Face& face, double residual_wanted, std::uint32_t iterations_max,
                        Chunks& chunks, FaceStep& done) {
  const std::size_t count = face.size();
  Way way{std::vector<double>(count, 0.0), std::vector<double>(samples.width(), 0.0)};
  std::vector<double> residual(count), scaled(count), direction(count), signed_direction(count), image(count);
  std::vector<double> feature(samples.width()), inverse(count);
  std::uint64_t entries = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double curvature = samples.norm(face.samples[k]) + face.diagonal[k];
    inverse[k] = curvature > 0 ? 1 / curvature : 1.0;
    residual[k] = -face.gradient[k];
    direction[k] = scaled[k] = inverse[k] * residual[k];
    entries += samples.entries(face.samples[k]);
  }
  double product = inner(residual, scaled);
  const double enough = residual_wanted * residual_wanted * product;
  const auto outside_max = static_cast<std::size_t>(kOutsideShare * static_cast<double>(count)) + kOutsideMin;
  while (done.iterations < iterations_max && product > 0) {
    for (std::size_t k = 0; k < count; ++k) signed_direction[k] = face.sign[k] * direction[k];
    samples.combine(face.samples, signed_direction, feature, chunks);
    samples.dots(face.samples, feature, image, chunks);
    for (std::size_t k = 0; k < count; ++k) {
      image[k] = face.sign[k] * image[k] + face.diagonal[k] * direction[k];
    }
    done.flops += 4 * entries + 12 * count + 4 * feature.size();
    ++done.iterations;
    const double curvature = inner(direction, image);
    // Copies of a sample, or fewer features than variables: f falls along a line for ever, until a bound comes.
    const bool flat = !(curvature > 1e-14 * product);
    const double length = flat ? 1e14 : product / curvature;
    if (flat && done.iterations > 1) break;
    for (std::size_t k = 0; k < count; ++k) way.step[k] += length * direction[k];
    for (std::size_t j = 0; j < feature.size(); ++j) way.feature[j] += length * feature[j];
    if (flat) break;
    std::size_t outside = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double next = face.value[k] + way.step[k];
      outside += next < 0 || next > face.upper[k] ? 1U : 0U;
    }
    // Copies of a sample leave f without a minimum on the face as well.
    if (outside > outside_max) {
      done.solved = true;
      break;
    }
    for (std::size_t k = 0; k < count; ++k) {
      residual[k] -= length * image[k];
      scaled[k] = inverse[k] * residual[k];
    }
    const double next = inner(residual, scaled);
    if (next <= enough) {
      done.solved = true;
      break;
    }
    const double ratio = next / product;
    product = next;
    for (std::size_t k = 0; k < count; ++k) direction[k] = scaled[k] + ratio * direction[k];
  }
  return way;
}

/// The minimum of f along a + t step, every variable stopping at its bound. With u(t) = b + t v: what a variable that
/// stops at t takes from v it gives t times to b, so that a stop costs two sparse products.
void search_along(const Samples& samples, Face& face, Way& way, std::span<double> w, FaceStep& done) {
  const std::size_t count = face.size();
  std::vector<std::pair<double, std::uint32_t>> stops;
  double bv = inner(w, way.feature), vv = inner(way.feature, way.feature), sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double step = way.step[k];
    if (step == 0) continue;
    bv += face.diagonal[k] * face.value[k] * step;
    vv += face.diagonal[k] * step * step;
    sum += step;
    const double bound = step > 0 ? face.upper[k] : 0.0;
    const double at = (bound - face.value[k]) / step;
    if (std::isfinite(at)) stops.emplace_back(std::max(at, 0.0), static_cast<std::uint32_t>(k));
  }
  std::make_heap(stops.begin(), stops.end(), std::greater<>());
  std::vector<double>& v = way.feature;
  double t = 0;
  const double vv_start = vv;
  while (true) {
    const double slope = bv + t * vv - sum;
    if (!(slope < 0)) break;
    const double minimum =
        vv > 1e-13 * vv_start ? (sum - bv) / vv : std::numeric_limits<double>::infinity();  // else rounding is left
    const double next = stops.empty() ? std::numeric_limits<double>::infinity() : stops.front().first;
    if (!std::isfinite(minimum) && !std::isfinite(next)) break;
    const double end = std::max(t, std::min(minimum, next));
    const double moved = end - t;
    done.decrease -= moved * (slope + 0.5 * moved * vv);
    t = end;
    if (minimum <= next) break;
    const std::uint32_t k = stops.front().second;
    std::pop_heap(stops.begin(), stops.end(), std::greater<>());
    stops.pop_back();
    const std::uint32_t i = face.samples[k];
    const double step = way.step[k], factor = face.sign[k] * step, norm = samples.norm(i);
    const double xb = samples.dot(i, w.data()), xv = samples.dot(i, v.data());
    bv += t * factor * xv - factor * xb - t * factor * factor * norm - face.diagonal[k] * face.value[k] * step;
    vv += factor * factor * norm - 2 * factor * xv - face.diagonal[k] * step * step;
    sum -= step;
    samples.add(i, -factor, v.data());
    samples.add(i, t * factor, w.data());
    face.value[k] = step > 0 ? face.upper[k] : 0.0;
    way.step[k] = 0;
    ++done.hits;
    done.flops += 8 * samples.entries(i);
  }
  for (std::size_t j = 0; j < w.size(); ++j) w[j] += t * v[j];
  for (std::size_t k = 0; k < count; ++k) {
    if (way.step[k] != 0) face.value[k] = std::clamp(face.value[k] + t * way.step[k], 0.0, face.upper[k]);
  }
}

}  // namespace

FaceStep step_on_face(const Samples& samples, Face& face, std::span<double> w, double residual,
                      std::uint32_t iterations_max, Chunks& chunks) {
  FaceStep done;
  if (face.size() == 0) return done;
  Way way = conjugate_gradients(samples, face, residual, iterations_max, chunks, done);
  search_along(samples, face, way, w, done);
  return done;
}

}  // namespace strads::svm
