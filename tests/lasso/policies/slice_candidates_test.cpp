// Which candidates a slice finds where bounds, rounding and guesses decide: those that all gradients would give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gradient_walk.hpp"
#include "support/made_up_data.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kBest = 20;
constexpr std::size_t kRank = 2 * kBest + 8;  ///< so many candidates besides the worst one are listed, as far as known
constexpr double kExcess = 1e-5;              ///< what pulls exceed their penalties by, about

/// A walk at its beginning whose penalty factors say what each variable brings.
struct Ranked : Walk {
  std::vector<double> factors;
  Vector exact;

  explicit Ranked(std::shared_ptr<const Dataset> dataset, const LassoOptions& options = {})
      : Walk(std::move(dataset), options) {
    static_cast<void>(SliceGradients(columns(), variables).scan(residual, beta, Penalty(0), chunks, cost));
    measure();
  }
  /// After `residual` was set. Nobody is looked at yet.
  void measure() {
    exact = Exact(*this, Penalty(0)).gradient;
    factors.assign(variables.size(), 1e6);
  }
  [[nodiscard]] double pull(std::size_t i) const { return std::abs(exact[i]); }
  /// At lambda = 1 the pull of variable i exceeds its penalty by so much.
  void exceed(std::size_t i, double by) {
    if (pull(i) > by) factors[i] = pull(i) - by;
  }
  /// At lambda = 1 an update of variable i brings so much.
  void bring(std::size_t i, double decrease) {
    exceed(i, kExcess * std::sqrt(2 * columns().squared_norm(variables[i]) * decrease));
  }
  /// Variable i brings most, and is so steep that no other one is looked at for its steepness.
  void lead(std::size_t i) { factors[i] = pull(i) / 2; }

  [[nodiscard]] Penalty penalty(double lambda = 1) const { return {lambda, 1, 1, factors, false}; }
  [[nodiscard]] SliceGradients::Question question(const Penalty& asked) const {
    return {residual, beta, support, asked, kBest};
  }
  SliceGradients::Answer expect_exact_answer(double lambda, const std::string& name) {
    SliceGradients gradients(columns(), variables);
    const Penalty asked = penalty(lambda);
    auto answer = gradients.refresh(question(asked), chunks, cost);
    expect_exact(*this, gradients, answer, asked, kBest, name);
    return answer;
  }
};

TEST(SliceCandidates, AreTheBestByTheStepThatIsTakenWhereItsRoundingDecides) {
  Ranked run(support::dense_dataset({.rows = 90, .columns = 200}));
  run.lead(0);
  // So near to the penalty that what a step brings has 8 digits: its order is another one than that of the pulls.
  for (std::size_t i = 1; i < run.exact.size(); ++i) run.exceed(i, 5e-9);
  run.expect_exact_answer(1, "all bring the same, but for the last digits of a step");
}

TEST(SliceCandidates, OfShortColumnsCountAsMuchAsTheyBring) {
  LassoOptions unscaled;
  unscaled.scale = false;
  Ranked run(dataset_of(random_content({.rows = 60, .columns = 200, .shared = 0})), unscaled);
  std::vector<std::size_t> by_length(run.exact.size());
  std::iota(by_length.begin(), by_length.end(), 0U);
  const auto squared_norm = [&](std::size_t i) { return run.columns().squared_norm(run.variables[i]); };
  std::sort(by_length.begin(), by_length.end(),
            [&](std::size_t a, std::size_t b) { return squared_norm(a) < squared_norm(b); });
  for (const std::size_t i : by_length) run.bring(i, 1.0);
  for (auto longest = by_length.end() - (kRank - 5); longest != by_length.end(); ++longest) run.bring(*longest, 1.05);
  run.lead(by_length[1]);
  run.bring(by_length[0], 1.1);  // the shortest: by its pull alone it would be the last of all
  run.expect_exact_answer(1, "the shortest column brings most but one");
}

TEST(SliceCandidates, AreListedAboutTwiceAsOftenAsTheyAreAskedFor) {
  Ranked run(support::dense_dataset({.rows = 90, .columns = 200}));
  run.lead(0);
  for (std::size_t i = 1; i < run.exact.size(); ++i) run.bring(i, std::pow(1.05, -static_cast<double>(i)));
  const auto answer = run.expect_exact_answer(1, "each brings a little less than the one before");
  EXPECT_LE(answer.candidates.size(), kRank + 1) << "more cost products, and nobody needs them";
}

TEST(SliceCandidates, AreLookedForAgainWhereTheSampleMisleads) {
  constexpr std::size_t kStride = 4;  // so many variables that only every fourth is looked at for a guess
  Ranked run(dataset_of(random_content({.rows = 6, .columns = 70'000, .shared = 0})));
  for (std::size_t i = 0; i < run.exact.size(); ++i) run.bring(i, 1 + 1e-5 * static_cast<double>(i));
  run.lead(0);
  // One less than asked for, all of them in the sample: it promises as many among those that are not.
  for (std::size_t k = 1; k + 1 < kBest; ++k) run.bring(kStride * 500 * k, 4);
  run.expect_exact_answer(1, "the best are all in the sample");
}

/// A walk over genotypes whose residual hides much of a column from its approximation by whole numbers.
struct Hidden : Ranked {
  static constexpr std::size_t kHidden = 7, kMain = 90;
  double lost = 0;  ///< by so much the approximation of |g_kHidden| is less than that

  Hidden() : Ranked(support::genotype_dataset({.rows = 90, .columns = 200})) {
    residual = hiding(*this, kHidden, kMain);
    measure();
    SliceGradients gradients(columns(), variables);
    const Penalty needs_no_digits(2 * pull(kHidden));
    static_cast<void>(gradients.refresh(question(needs_no_digits), chunks, cost));
    lost = pull(kHidden) - std::abs(gradients[kHidden]);
    EXPECT_GT(lost, 1e-6 * pull(kHidden));
  }
};

TEST(SliceCandidates, MayBeBetterThanTheirApproximation) {
  Hidden run;
  for (std::size_t i = 0; i < run.exact.size(); ++i) run.exceed(i, 10.5 * run.lost);
  run.lead(Hidden::kMain);
  run.exceed(Hidden::kHidden, 11 * run.lost);
  run.expect_exact_answer(1, "better than all others, and by its approximation worse");
}

TEST(SliceCandidates, MayBeSteeperThanTheirApproximation) {
  Hidden run;
  run.factors[Hidden::kHidden] = 1;
  const double steepness = run.pull(Hidden::kHidden);
  run.factors[Hidden::kMain] = run.pull(Hidden::kMain) / (steepness - 0.5 * run.lost);
  run.expect_exact_answer(10 * steepness, "steepest, and by its approximation not");
}

TEST(SteepestZeros, MayBeSteeperThanTheirApproximation) {
  Hidden run;
  SliceGradients gradients(run.columns(), run.variables);
  const Penalty penalty(2 * run.pull(Hidden::kHidden));
  static_cast<void>(gradients.refresh(run.question(penalty), run.chunks, run.cost));
  const double least = run.pull(Hidden::kHidden) - 0.1 * run.lost;
  const auto found = gradients.steepest_zeros(run.question(penalty), least, run.exact.size(), run.chunks, run.cost);
  EXPECT_EQ(std::count(found.begin(), found.end(), Hidden::kHidden), 1);
  EXPECT_EQ(gradients[Hidden::kHidden], run.exact[Hidden::kHidden]);
}

TEST(SteepestZeros, AreAsManyAsWereAskedFor) {
  for (const auto& dataset : {support::dense_dataset({.rows = 90, .columns = 200}),
                              support::genotype_dataset({.rows = 90, .columns = 200})}) {
    Ranked run(dataset);
    SliceGradients gradients(run.columns(), run.variables);
    const Penalty penalty(1e-3);
    static_cast<void>(gradients.refresh(run.question(penalty), run.chunks, run.cost));
    std::vector<std::uint32_t> order(run.exact.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return run.pull(a) > run.pull(b); });
    const auto found = gradients.steepest_zeros(run.question(penalty), 0, kBest, run.chunks, run.cost);
    EXPECT_LT(found.size(), run.exact.size()) << "not all of them";
    for (std::size_t k = 0; k < kBest; ++k) {
      EXPECT_EQ(std::count(found.begin(), found.end(), order[k]), 1) << "place " << k;
    }
  }
}

}  // namespace
}  // namespace strads::lasso
