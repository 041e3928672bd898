// What a round costs on the wire, against what its changed variables need: 12 bytes each (number and delta).
#include <gtest/gtest.h>

#include "lasso_runs.hpp"
#include "wire/size.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kBytesPerVariable = sizeof(VarId) + sizeof(double);
/// Below it a message is mostly its envelope: header, checksum and fields, about 150 bytes.
constexpr std::size_t kManyVariables = 16;
constexpr std::size_t kTallyMax = 12;  ///< counts of how a block was solved

support::ClusterRun run_of(const Shape& shape) {
  Problem problem(support::dense_dataset({.rows = 400, .columns = 300, .seed = 3}), Policy::automatic, shape, 0);
  problem.lasso.lambda = 0.01;  // of lambda_max: half of the variables change
  support::ClusterOptions options;
  options.nodes = 2;
  return cluster(problem, options);
}

class BytesOfARound : public testing::TestWithParam<Shape> {};

TEST_P(BytesOfARound, AreWithinTwiceOfWhatItsChangedVariablesNeed) {
  const auto run = run_of(GetParam());
  std::size_t seen = 0;
  // What a block was solved by is counted in a few numbers, whatever it changed.
  const auto check = [&seen](const wire::Message& message, std::size_t changed, std::size_t tally) {
    if (changed < kManyVariables) return;
    ++seen;
    EXPECT_LE(tally, kTallyMax);
    EXPECT_LE(wire::encoded_size(message), 2 * kBytesPerVariable * changed + tally * sizeof(std::uint64_t));
  };
  for (const auto& commit : run.all<wire::Commit>()) check(commit, commit.changes.ids.size(), commit.tally.size());
  for (const auto& deltas : run.all<wire::Deltas>()) check(deltas, deltas.deltas.ids.size(), deltas.tally.size());
  for (const auto& assign : run.all<wire::Assign>()) check(assign, assign.block.ids.size(), 0);
  EXPECT_GT(seen, 3U);
}

TEST_P(BytesOfARound, OfTheCoordinatorDoNotGrowWithIt) {
  const auto run = run_of(GetParam());
  for (const auto& commit : run.all<wire::Commit>()) {
    wire::Commit light = commit;
    light.changes = {};
    EXPECT_LE(commit.tally.size(), kTallyMax);
    light.tally = {};
    EXPECT_LE(wire::encoded_size(light), 200U);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BytesOfARound, testing::Values(Shape{1, 1, 1}, Shape{2, 2, 2}, Shape{4, 8, 4}),
                         name_of_shape);

}  // namespace
}  // namespace strads::lasso
