// Against plain loops in double precision: the same steps from the same start, and the same end from another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "by_hand.hpp"
#include "support/serial_factorization.hpp"

namespace strads::mf {
namespace {

using strads::test::SerialModel;
using strads::test::SerialProblem;

struct SerialCase {
  Solver solver;
  bool weighted, bias;
};

MfOptions options_of(const SerialCase& of) {
  MfOptions options;
  options.solver = of.solver;
  options.weighted = of.weighted;
  options.bias = of.bias;
  options.rank = 5;
  options.width = 2;
  options.lambda = of.weighted ? 0.05 : 0.5;
  options.tolerance = 0;
  return options;
}

SerialProblem problem_of(const MfData& data, const MfOptions& options) {
  SerialProblem problem{.rows = data.size(Side::users),
                        .columns = data.size(Side::items),
                        .rank = options.rank,
                        .lambda = options.lambda,
                        .weighted = options.weighted,
                        .bias = options.bias,
                        .mean = options.mean ? data.mean : 0};
  for (std::size_t t = 0; t < data.train->size(); ++t) {
    problem.ratings.push_back({data.train->users[t], data.train->items[t], test::value_at(data, *data.train, t)});
  }
  return problem;
}

/// The start of our own: users 0, the items' factors from the seed.
SerialModel start_of(const MfData& data, const MfOptions& options, const MfModel& model) {
  const auto state = model.make_state();
  SerialModel start;
  start.w.assign(std::size_t{data.size(Side::users)} * options.rank, 0.0);
  start.h.resize(std::size_t{data.size(Side::items)} * options.rank);
  start.row_bias.assign(data.size(Side::users), 0.0);
  start.column_bias.assign(data.size(Side::items), 0.0);
  for (std::uint32_t page = 0; page < model.page_count(Side::items); ++page) {
    const auto records = model.row_major(test::state_of(*state), Side::items, page);
    const auto& rows = model.rows_of(Side::items, page);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t f = 0; f < options.rank; ++f) {
        start.h[rows[k] * options.rank + f] = static_cast<double>(records.data()[k * record_stride(options.rank) + f]);
      }
    }
  }
  return start;
}

/// `sweep`: from 0. Blocks begin to overshoot with the third one, and do so in full from the sixth.
void serial_sweep(SerialProblem problem, const MfOptions& options, int sweep, SerialModel& model) {
  constexpr double kShares[] = {0, 0, 0.25, 0.5, 0.75};
  problem.relaxation = 1 + (options.relaxation - 1) * (sweep < 5 ? kShares[sweep] : 1);
  switch (options.solver) {
    case Solver::ccd:
      return serial_ccd_sweep(problem, model);
    case Solver::als:
      return serial_als_sweep(problem, model);
    default:
      return serial_block_sweep(problem, options.width, model);
  }
}

/// Objectives after each sweep.
std::vector<double> objectives_of(const test::Fit& fit) {
  std::vector<double> objectives;
  for (const Certificate& certificate : fit.sweeps) objectives.push_back(certificate.objective);
  return objectives;
}

class Serial : public ::testing::TestWithParam<SerialCase> {};

TEST_P(Serial, SweepsFromTheSameStartReachTheSameObjectives) {
  // Rescaling is off: it is a step that the plain loops do not take.
  MfOptions options = options_of(GetParam());
  options.rescales = 0;
  options.sweeps_max = 6;
  const auto data = test::made_up_data({.users = 70, .items = 45, .ratings = 1200});
  const auto ours = objectives_of(test::fit(data, options));
  ASSERT_EQ(ours.size(), 6U);
  const SerialProblem problem = problem_of(*data, options);
  SerialModel model = start_of(*data, options, *test::placed_model(data, options));
  for (std::size_t sweep = 0; sweep < 6; ++sweep) {
    serial_sweep(problem, options, static_cast<int>(sweep), model);
    EXPECT_NEAR(ours[sweep] / serial_objective(problem, model), 1, 2e-5) << "sweep " << sweep + 1;
  }
}

TEST_P(Serial, EndOfCcdIsTheEndOfEverySolverWhereThereIsOneBasin) {
  // Rank 1 with a strong penalty: two random starts of the plain loops end at one objective, and so must we, whose
  // start is another one and who rescale.
  MfOptions options = options_of(GetParam());
  options.rank = 1;
  options.lambda = options.weighted ? 0.1 : 1.5;
  options.sweeps_max = 400;
  options.tolerance = 1e-7;
  const auto data = test::made_up_data({.users = 50, .items = 30, .ratings = 800});
  const SerialProblem problem = problem_of(*data, options);
  double ends[2];
  for (const std::uint64_t seed : {0U, 1U}) {
    SerialModel model = serial_start(problem, seed + 1);
    for (int sweep = 0; sweep < 600; ++sweep) serial_ccd_sweep(problem, model);
    ends[seed] = serial_objective(problem, model);
    double squares = 0;
    for (const double w : model.w) squares += w * w;
    EXPECT_GT(squares, 0.1) << "factors of 0 would say nothing";
  }
  ASSERT_NEAR(ends[0] / ends[1], 1, 1e-6) << "more than one basin";
  EXPECT_NEAR(test::fit(data, options).solution.objective / ends[0], 1, 1e-4);
}

TEST_P(Serial, SweepsOfMovieLensReachTheSameObjectives) {
  MfOptions options = options_of(GetParam());
  options.rank = 3;
  options.rescales = 0;
  options.sweeps_max = 2;
  RatingsInput input;
  input.path = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/movielens/ratings.csv.gz";
  SerialChunks chunks;
  const auto ratings = load_ratings(input, chunks);
  ASSERT_TRUE(ratings.ok()) << ratings.status().message();
  const auto data =
      prepare_mf(std::make_shared<Ratings>(*ratings.value()), 1, std::make_shared<SerialChunks>()).value();
  const auto ours = objectives_of(test::fit(data, options));
  ASSERT_EQ(ours.size(), 2U);
  const SerialProblem problem = problem_of(*data, options);
  SerialModel model = start_of(*data, options, *test::placed_model(data, options));
  for (std::size_t sweep = 0; sweep < 2; ++sweep) {
    serial_sweep(problem, options, static_cast<int>(sweep), model);
    EXPECT_NEAR(ours[sweep] / serial_objective(problem, model), 1, 1e-4) << "sweep " << sweep + 1;
  }
}

std::string name_of(const ::testing::TestParamInfo<SerialCase>& info) {
  constexpr const char* kNames[] = {"Cd", "Ccd", "Als"};
  return std::string(kNames[static_cast<int>(info.param.solver)]) + (info.param.weighted ? "Weighted" : "Plain") +
         (info.param.bias ? "WithBiases" : "");
}

std::vector<SerialCase> all_cases() {
  std::vector<SerialCase> all;
  for (const Solver solver : {Solver::cd, Solver::ccd, Solver::als}) {
    for (const bool weighted : {true, false}) {
      for (const bool bias : {true, false}) all.push_back({solver, weighted, bias});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Of, Serial, ::testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace strads::mf
