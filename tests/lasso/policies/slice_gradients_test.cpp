// A slice reads few columns, and says what a pass over all of them in double precision would say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gradient_walk.hpp"
#include "support/made_up_data.hpp"

namespace strads::lasso {
namespace {

/// Columns in whole numbers, stored as bytes.
Content in_bytes(Content content, Storage storage) {
  const double middle = storage == Storage::dense_i8 ? 0 : 128;
  for (Vector& column : content.columns) {
    for (double& value : column) value = std::clamp(std::round(30 * value), -128.0, 127.0) + middle;
  }
  content.whole = storage;
  return content;
}

struct Setting {
  std::string name;
  std::shared_ptr<const Dataset> dataset;
  LassoOptions options{};
  VarId every = 1;
};

std::vector<Setting> settings() {
  const auto genotypes = support::genotype_dataset({.rows = 90, .columns = 700, .missing = 0.05});
  Content sparse = random_content({.rows = 60, .columns = 300, .fill = 0.3});
  sparse.sparse = true;
  Content odd = random_content({.rows = 60, .columns = 200});
  CounterRng random(4, Purpose::tests);
  odd.covariates.assign(2, Vector(60));
  for (auto& covariate : odd.covariates) {
    for (double& value : covariate) value = random.unit();
  }
  odd.excluded.assign(200, 0);
  odd.excluded[1] = 1;
  for (std::size_t j = 0; j < 200; ++j) odd.factors.push_back(0.5 + random.unit());
  Content odd_bytes = in_bytes(odd, Storage::dense_u8);
  odd_bytes.weights = odd.columns[7];
  for (double& weight : odd_bytes.weights) weight = 1 + std::abs(weight);
  const Content bytes = in_bytes(random_content({.rows = 90, .columns = 700}), Storage::dense_i8);
  const LassoOptions plain;
  LassoOptions net, bounded, unscaled, uncentred;
  net.l1_ratio = 0.7;
  bounded.nonnegative = true;
  unscaled.scale = false;
  uncentred.center = uncentred.center_y = false;
  return {{"genotypes", genotypes, plain},
          {"a slice of genotypes", genotypes, plain, 3},
          {"genotypes, elastic net", genotypes, net},
          {"genotypes, nonnegative", genotypes, bounded},
          {"genotypes as they are", genotypes, unscaled},
          {"many genotypes", support::genotype_dataset({.rows = 40, .columns = 40000}), plain},
          {"dense", support::dense_dataset({.rows = 60, .columns = 500}), plain},
          {"sparse", dataset_of(sparse), plain},
          {"bytes", dataset_of(bytes), plain},
          {"a slice of bytes", dataset_of(bytes), net, 3},
          {"bytes as they are", dataset_of(bytes), unscaled},
          {"bytes with their means", dataset_of(bytes), uncentred},
          {"bytes, covariates, factors and weights", dataset_of(odd_bytes), plain},
          {"covariates and factors", dataset_of(odd), plain}};
}

TEST(SliceGradients, SayWhatAPassOverAllColumnsSays) {
  for (const Setting& setting : settings()) {
    for (const double ratio : {0.9, 0.3, 0.01}) {
      Walk run(setting.dataset, setting.options, setting.every);
      CounterRng random(9, Purpose::tests);
      SliceGradients gradients(run.columns(), run.variables);
      const Penalty none(0, setting.options.l1_ratio, 1, run.data->factors, setting.options.nonnegative);
      const double steepest = gradients.scan(run.residual, run.beta, none, run.chunks, run.cost);
      ASSERT_EQ(steepest, Exact(run, none).steepest) << setting.name;
      const Penalty penalty(ratio * steepest, setting.options.l1_ratio, 1, run.data->factors,
                            setting.options.nonnegative);
      double size = 0.2;
      for (int step = 0; step < 14; ++step, size *= 0.4) {
        for (const std::size_t best : {20U, 0U}) {
          const auto answer =
              gradients.refresh({run.residual, run.beta, run.support, penalty, best}, run.chunks, run.cost);
          expect_exact(run, gradients, answer, penalty, best,
                       setting.name + ", lambda " + std::to_string(ratio) + ", step " + std::to_string(step));
          if (::testing::Test::HasFatalFailure()) return;
        }
        run.move(size, random);
      }
    }
  }
}

/// Changes of every size at large lambdas: most gradients are left behind, at more residuals than are remembered.
TEST(SliceGradients, SayWhatAPassSaysOnLongWalks) {
  for (const Setting& setting : settings()) {
    Walk run(setting.dataset, setting.options, setting.every);
    CounterRng random(17, Purpose::tests);
    SliceGradients gradients(run.columns(), run.variables);
    const Penalty none(0, setting.options.l1_ratio, 1, run.data->factors, setting.options.nonnegative);
    const double steepest = gradients.scan(run.residual, run.beta, none, run.chunks, run.cost);
    for (int step = 0; step < 140; ++step) {
      run.move(std::pow(10.0, -5 * random.unit()), random);
      const double ratio = std::pow(10.0, -random.unit() / 2);
      const Penalty penalty(ratio * steepest, setting.options.l1_ratio, 1, run.data->factors,
                            setting.options.nonnegative);
      const auto answer = gradients.refresh({run.residual, run.beta, run.support, penalty, 20}, run.chunks, run.cost);
      expect_exact(run, gradients, answer, penalty, 20,
                   setting.name + ", lambda " + std::to_string(ratio) + ", step " + std::to_string(step));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// A walk whose variable 0 is all of the support and steep, so that a variable is looked at where its factor is small.
struct Steered : Walk {
  std::vector<double> factors;

  explicit Steered(std::shared_ptr<const Dataset> dataset) : Walk(std::move(dataset)) {
    beta[0] = 1;
    support = {0};
    look_at(0, 0);
  }
  [[nodiscard]] Vector column(VarId j) {
    Vector values(columns().rows());
    columns().combine(std::vector<VarId>{j}, Vector{1.0}, values, chunks);
    return values;
  }
  /// Besides variable 0 those from `begin` to `end`.
  void look_at(std::size_t begin, std::size_t end) {
    factors.assign(variables.size(), 1e6);
    factors[0] = 1;
    for (std::size_t j = begin; j < end; ++j) factors[j] = 1;
  }
  /// Asks, and compares the answer with that of all gradients.
  void expect_exact_answer(SliceGradients& gradients, double lambda, const std::string& name) {
    const Penalty penalty(lambda, 1, 1, factors, false);
    const auto answer = gradients.refresh({residual, beta, support, penalty, 20}, chunks, cost);
    expect_exact(*this, gradients, answer, penalty, 20, name);
  }
};

TEST(SliceGradients, ForgetWhoseResidualIsForgotten) {
  constexpr std::size_t kKept = 8, kGroup = 20;  // residuals that are remembered; the fewest gradients are of the last
  for (const auto& dataset : {support::dense_dataset({.rows = 90, .columns = 200}),
                              support::genotype_dataset({.rows = 90, .columns = 200})}) {
    Steered run(dataset);
    SliceGradients gradients(run.columns(), run.variables);
    const Vector step = run.column(190), start = run.column(0);
    for (std::size_t k = 0; k < kKept; ++k) {
      run.residual = start;
      axpy(0.01 * static_cast<double>(k), step, run.residual);
      run.look_at(kGroup * k, kGroup * k + kGroup - 2 * k);
      run.expect_exact_answer(gradients, 1e-3, "residual " + std::to_string(k));
    }
    // A ninth one takes the place of one of them. What belonged to that one is known no more.
    run.residual = run.column(0);
    axpy(1.0, step, run.residual);
    axpy(1.0, run.column(kGroup * (kKept - 1) + 1), run.residual);
    run.look_at(kGroup * (kKept - 2), kGroup * kKept);
    run.expect_exact_answer(gradients, 0.5, "one residual more than are remembered");
  }
}

TEST(SliceGradients, MayMoveByAllThatTheResidualMoves) {
  for (const auto& dataset : {support::dense_dataset({.rows = 90, .columns = 200}),
                              support::genotype_dataset({.rows = 90, .columns = 200})}) {
    Steered run(dataset);
    SliceGradients gradients(run.columns(), run.variables);
    const Vector x = run.column(5), start = run.column(0);
    // Orthogonal to column 5 first, then along it: no other column's gradient moves as far as the residual does.
    run.residual = start;
    axpy(-dot(start, x) / dot(x, x), x, run.residual);
    run.look_at(5, 6);
    run.expect_exact_answer(gradients, 0.3, "orthogonal");
    constexpr double kStep = 0.5;
    axpy(kStep, x, run.residual);
    for (const double share : {0.999, 0.99, 0.95, 0.91}) {
      run.expect_exact_answer(gradients, share * kStep * dot(x, x), std::to_string(share));
    }
  }
}

TEST(SliceGradients, NeedNoScanFirst) {
  Walk run(support::genotype_dataset({.rows = 90, .columns = 700, .missing = 0.05}));
  SliceGradients gradients(run.columns(), run.variables);
  const Penalty penalty(0.05);
  const auto answer = gradients.refresh({run.residual, run.beta, run.support, penalty, 10}, run.chunks, run.cost);
  expect_exact(run, gradients, answer, penalty, 10, "unscanned");
}

TEST(SliceGradients, SayTheSameAfterANumberThatIsNone) {
  Walk run(support::genotype_dataset({.rows = 90, .columns = 700}));
  SliceGradients gradients(run.columns(), run.variables);
  const Penalty penalty(0.05);
  const Vector good = run.residual;
  static_cast<void>(gradients.refresh({good, run.beta, run.support, penalty, 10}, run.chunks, run.cost));
  Vector bad = good;
  bad[3] = std::numeric_limits<double>::infinity();
  static_cast<void>(gradients.refresh({bad, run.beta, run.support, penalty, 10}, run.chunks, run.cost));
  const auto answer = gradients.refresh({good, run.beta, run.support, penalty, 10}, run.chunks, run.cost);
  expect_exact(run, gradients, answer, penalty, 10, "after infinity");
}

/// Flops of a refresh, of all kinds.
std::uint64_t read_by(SliceGradients& gradients, const Walk& run, const Penalty& penalty) {
  SerialChunks serial;
  Cost cost;
  static_cast<void>(gradients.refresh({run.residual, run.beta, run.support, penalty, 20}, serial, cost));
  return cost.streamed + cost.quantised;
}

TEST(SliceGradients, RememberWhatWasRoundedAwayFromEarlierResiduals) {
  Walk run(support::genotype_dataset({.rows = 90, .columns = 200}));
  constexpr std::size_t kHidden = 7, kMain = 90;
  SliceGradients gradients(run.columns(), run.variables);
  run.residual = hiding(run, kHidden, kMain);
  const auto refresh = [&](double lambda) {
    const Penalty penalty(lambda);
    const auto answer = gradients.refresh({run.residual, run.beta, run.support, penalty, 5}, run.chunks, run.cost);
    expect_exact(run, gradients, answer, penalty, 5, "lambda " + std::to_string(lambda));
  };
  const double exact = std::abs(Exact(run, Penalty(0)).gradient[kHidden]);
  refresh(2 * exact);
  const double rounded = std::abs(gradients[kHidden]);
  ASSERT_LT(rounded, exact * (1 - 1e-6)) << "nobody needed its digits so far";
  // The next residual is all but the same: only the memory of the rounding says that this one may be a violator.
  run.residual[3] += 1e-13;
  refresh(exact - 0.1 * (exact - rounded));
}

TEST(SliceGradients, BelieveRoundedGradientsNoMoreThanTheyAreGood) {
  Walk run(support::genotype_dataset({.rows = 90, .columns = 200}));
  constexpr std::size_t kHidden = 7, kMain = 90;
  run.residual = hiding(run, kHidden, kMain);
  const double exact = std::abs(Exact(run, Penalty(0)).gradient[kHidden]);
  const auto refreshed = [&run](SliceGradients& gradients, double lambda) {
    return gradients.refresh({run.residual, run.beta, run.support, Penalty(lambda), 5}, run.chunks, run.cost);
  };
  SliceGradients first(run.columns(), run.variables);
  static_cast<void>(refreshed(first, 2 * exact));
  const double rounded = std::abs(first[kHidden]);
  ASSERT_LT(rounded, exact * (1 - 1e-6)) << "nobody needed its digits";
  SliceGradients second(run.columns(), run.variables);
  const double lambda = exact - 0.1 * (exact - rounded);
  expect_exact(run, second, refreshed(second, lambda), Penalty(lambda), 5, "a violator by its digits");
}

TEST(SliceGradients, ReadNothingTwiceForTheSameResidual) {
  for (const auto& dataset : {support::genotype_dataset({.rows = 90, .columns = 2000}),
                              support::dense_dataset({.rows = 90, .columns = 2000})}) {
    Walk run(dataset);
    SliceGradients gradients(run.columns(), run.variables);
    const double steepest = gradients.scan(run.residual, run.beta, Penalty(0), run.chunks, run.cost);
    EXPECT_LT(read_by(gradients, run, Penalty(0.5 * steepest)), gradients.work_of_all() / 10);
  }
}

TEST(SliceGradients, ReadFewColumnsAfterASmallChange) {
  for (const auto& dataset : {support::genotype_dataset({.rows = 400, .columns = 3000}),
                              support::dense_dataset({.rows = 400, .columns = 3000})}) {
    Walk run(dataset);
    CounterRng random(2, Purpose::tests);
    SliceGradients gradients(run.columns(), run.variables);
    const double steepest = gradients.scan(run.residual, run.beta, Penalty(0), run.chunks, run.cost);
    run.move(0.1, random);
    static_cast<void>(read_by(gradients, run, Penalty(0.5 * steepest)));
    run.move(0.01, random);
    EXPECT_LT(read_by(gradients, run, Penalty(0.5 * steepest)), gradients.work_of_all() / 4);
  }
}

TEST(SliceGradients, ReadEveryColumnOnceAfterAChangeOfEverything) {
  Walk run(support::dense_dataset({.rows = 90, .columns = 2000}));
  CounterRng random(3, Purpose::tests);
  SliceGradients gradients(run.columns(), run.variables);
  const double steepest = gradients.scan(run.residual, run.beta, Penalty(0), run.chunks, run.cost);
  for (int k = 0; k < 20; ++k) run.move(0.5, random);
  ASSERT_FALSE(run.support.empty());
  EXPECT_EQ(read_by(gradients, run, Penalty(1e-3 * steepest)), gradients.work_of_all()) << "the support too";
}

TEST(SliceGradients, CountWholeNumbersApart) {
  for (const auto& dataset : {support::genotype_dataset({.rows = 90, .columns = 2000}),
                              dataset_of(in_bytes(random_content({.rows = 90, .columns = 2000}), Storage::dense_i8))}) {
    Walk run(dataset);
    SliceGradients gradients(run.columns(), run.variables);
    static_cast<void>(gradients.scan(run.residual, run.beta, Penalty(0), run.chunks, run.cost));
    EXPECT_EQ(run.cost.quantised, gradients.work_of_all());
    EXPECT_GE(run.cost.streamed, gradients.work_of_all()) << "statistics";
    EXPECT_LT(run.cost.streamed, gradients.work_of_all() * 11 / 10) << "and the columns that could be the steepest";
  }
}

}  // namespace
}  // namespace strads::lasso
