// The check of a solution finds what is wrong with one.
#include "svm/check/check_svm.hpp"

#include <gtest/gtest.h>

#include "svm/made_up_samples.hpp"

namespace strads::svm {
namespace {

struct Solved {
  std::shared_ptr<SvmData> data = made_up::random_data(6, {.samples = 40, .features = 5, .classes = 3});
  SvmOptions options{.loss = Loss::hinge, .cost = 0.5, .bias = 1, .tolerance = 1e-8, .policies = {}};
  SvmSolution solution = made_up::solve(data, options);

  [[nodiscard]] SvmCheck check() const {
    SerialChunks serial;
    return check_solution(*data, options, solution, serial);
  }
  [[nodiscard]] bool confirmed() const { return confirm(solution, check(), *data, options).ok(); }
};

TEST(CheckSvm, ConfirmsWhatIsTrue) {
  const Solved solved;
  EXPECT_TRUE(solved.confirmed());
  const SvmCheck found = solved.check();
  EXPECT_LE(found.worst_gap, 1e-8 * 1.01);
  EXPECT_GT(found.support, 0u);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    // y f of the own class's problem against those of the others, by the tests' own sums.
    std::uint32_t best = 0;
    double largest = -HUGE_VAL;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const double m = made_up::margin(*solved.data, solved.solution, k, i);
      const double f = solved.data->labels[i] == k ? m : -m;
      if (f > largest) best = k;
      largest = std::max(largest, f);
    }
    wrong += best != solved.data->labels[i] ? 1U : 0U;
  }
  EXPECT_EQ(found.wrong, wrong);
}

TEST(CheckSvm, FindsAWeightThatIsNotTheSolvers) {
  Solved solved;
  solved.solution.weights[2] += 1e-3;
  EXPECT_FALSE(solved.confirmed());
}

TEST(CheckSvm, FindsADualVariableThatIsNotTheSolvers) {
  Solved solved;
  for (double& alpha : solved.solution.alpha) {
    if (alpha > 0 && alpha < 0.5) {
      alpha *= 0.9;
      break;
    }
  }
  EXPECT_FALSE(solved.confirmed());
}

TEST(CheckSvm, FindsADualVariableOutsideItsBounds) {
  Solved solved;
  solved.solution.alpha[0] = -1e-12;
  EXPECT_FALSE(solved.confirmed());
  solved.solution.alpha[0] = 0.5000001;
  EXPECT_FALSE(solved.confirmed());
}

TEST(CheckSvm, FindsABiasThatIsNotTheSolvers) {
  Solved solved;
  solved.solution.bias[1] *= 1.01;
  EXPECT_FALSE(solved.confirmed());
}

TEST(CheckSvm, FindsANumberThatIsNone) {
  Solved solved;
  solved.solution.weights[0] = std::nan("");
  EXPECT_FALSE(solved.confirmed());
}

}  // namespace
}  // namespace strads::svm
