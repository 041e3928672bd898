// Steps on faces: against the closed form, and against the objective itself where the way bends.
#include "svm/solver/face_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "svm/made_up_samples.hpp"

namespace strads::svm {
namespace {

/// f over all samples of made-up data, all of them on the face.
struct Whole {
  std::shared_ptr<SvmData> data;
  Samples samples;
  Face face;
  std::vector<double> w;

  Whole(std::uint64_t seed, std::size_t count, std::size_t features, double upper, double diagonal)
      : data(made_up::random_data(seed, {.samples = count, .features = features})), samples(data->rows, 0.5) {
    CounterRng random(seed, Purpose::tests, 9);
    w.assign(samples.width(), 0.0);
    for (std::uint32_t i = 0; i < count; ++i) {
      face.samples.push_back(i);
      face.sign.push_back(data->sign(0, i));
      face.value.push_back((std::isfinite(upper) ? upper : 1.0) * (0.1 + 0.8 * random.unit()));
      face.upper.push_back(upper);
      face.diagonal.push_back(diagonal);
      samples.add(i, face.sign.back() * face.value.back(), w.data());
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      face.gradient.push_back(face.sign[i] * samples.dot(i, w.data()) - 1 + diagonal * face.value[i]);
    }
  }

  /// By a w of its own.
  [[nodiscard]] double objective(const std::vector<double>& value) const {
    std::vector<double> sum(samples.width(), 0.0);
    double f = 0;
    for (std::uint32_t i = 0; i < value.size(); ++i) {
      samples.add(i, face.sign[i] * value[i], sum.data());
      f += 0.5 * face.diagonal[i] * value[i] * value[i] - value[i];
    }
    for (const double own : sum) f += 0.5 * own * own;
    return f;
  }
};

TEST(FaceStep, ComesToTheMinimumWhereNothingIsInTheWay) {
  SerialChunks serial;
  Whole whole(3, 12, 6, 1e9, 0.8);
  for (double& value : whole.face.value) value += 1e4;
  // Far from every bound: the gradient at the minimum is zero. Start there with values that the box never stops.
  std::vector<double> w(whole.samples.width(), 0.0);
  for (std::uint32_t i = 0; i < 12; ++i) {
    whole.samples.add(i, whole.face.sign[i] * whole.face.value[i], w.data());
  }
  for (std::uint32_t i = 0; i < 12; ++i) {
    whole.face.gradient[i] = whole.face.sign[i] * whole.samples.dot(i, w.data()) - 1 + 0.8 * whole.face.value[i];
    whole.face.upper[i] = std::numeric_limits<double>::infinity();
  }
  const double before = whole.objective(whole.face.value);
  const FaceStep done = step_on_face(whole.samples, whole.face, w, 1e-10, 100, serial);
  EXPECT_NEAR(done.decrease, before - whole.objective(whole.face.value), 1e-6 * std::abs(before));
  EXPECT_GT(done.decrease, 0);
}

TEST(FaceStep, NeverRaisesTheObjectiveAndStaysInTheBox) {
  SerialChunks serial;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CounterRng random(seed, Purpose::tests, 4);
    const bool hinge = random.below(2) == 0;
    // More samples than features: copies of directions, along which f has no minimum but the bounds.
    Whole whole(seed, 2 + random.below(60), 1 + random.below(8),
                hinge ? 0.01 + random.unit() : std::numeric_limits<double>::infinity(), hinge ? 0.0 : 0.3);
    const double before = whole.objective(whole.face.value);
    const auto iterations = static_cast<std::uint32_t>(1 + random.below(40));
    const FaceStep done = step_on_face(whole.samples, whole.face, whole.w, 1e-3, iterations, serial);
    const double after = whole.objective(whole.face.value);
    EXPECT_LE(after, before + 1e-12 * std::abs(before)) << "seed " << seed;
    EXPECT_NEAR(done.decrease, before - after, 1e-9 * (1 + std::abs(before))) << "seed " << seed;
    std::vector<double> sum(whole.samples.width(), 0.0);
    for (std::uint32_t i = 0; i < whole.face.size(); ++i) {
      EXPECT_GE(whole.face.value[i], 0);
      EXPECT_LE(whole.face.value[i], whole.face.upper[i]);
      whole.samples.add(i, whole.face.sign[i] * whole.face.value[i], sum.data());
    }
    for (std::size_t j = 0; j < sum.size(); ++j) EXPECT_NEAR(whole.w[j], sum[j], 1e-10) << "seed " << seed;
  }
}

TEST(FaceStep, StopsWhereTheSearchAlongTheBentWayHasItsMinimum) {
  SerialChunks serial;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Whole whole(seed, 30, 3, 0.2, 0.0);
    const std::vector<double> start = whole.face.value;
    const FaceStep done = step_on_face(whole.samples, whole.face, whole.w, 1e-3, 1, serial);
    const double after = whole.objective(whole.face.value);
    // One iteration goes along the scaled gradient: no point of that way, bent at the bounds, is lower.
    std::vector<double> point(start.size());
    for (int k = 1; k <= 400; ++k) {
      const double t = 0.01 * k * k;
      for (std::uint32_t i = 0; i < start.size(); ++i) {
        const double step = -whole.face.gradient[i] / whole.samples.norm(i);
        point[i] = std::clamp(start[i] + t * 1e-3 * step, 0.0, 0.2);
      }
      if (whole.objective(point) < after - 1e-12) {
        // A first local minimum may come before a lower one; then the way rises between them.
        std::vector<double> nearer(start.size());
        bool rises = false;
        double last = whole.objective(start);
        for (int m = 1; m <= k && !rises; ++m) {
          for (std::uint32_t i = 0; i < start.size(); ++i) {
            const double step = -whole.face.gradient[i] / whole.samples.norm(i);
            nearer[i] = std::clamp(start[i] + 1e-5 * m * m * step, 0.0, 0.2);
          }
          const double next = whole.objective(nearer);
          rises = next > last;
          last = next;
        }
        EXPECT_TRUE(rises) << "seed " << seed;
        break;
      }
    }
    EXPECT_GE(done.decrease, 0);
  }
}

}  // namespace
}  // namespace strads::svm
