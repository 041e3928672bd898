// The data sets of tests/datasets: one hash for each (policy, shape), on threads and on nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso_runs.hpp"
#include "support/sanitized.hpp"

namespace strads::lasso {
namespace {

using support::Order;

std::string folder(const std::string& name) {
  return std::string(STRADS_SOURCE_DIR) + "/tests/datasets/" + name;
}

std::shared_ptr<const Dataset> table(const std::string& name) {
  InputOptions input;
  input.source.x = folder(name) + "/X.csv.gz";
  input.response.y = folder(name) + "/y.csv";
  return load_dataset(input).value();
}

std::shared_ptr<const Dataset> genotypes() {
  InputOptions input;
  input.source.bfile = folder("1000g-chr2-eur/chr2-eur");
  input.response.pheno = folder("1000g-chr2-eur/pheno.tsv");
  return load_dataset(input).value();
}

/// Threads and the codec on one node; two nodes with messages in any order.
void expect_one_real_outcome(const Problem& problem) {
  const std::string expected = embedded(problem, 1);
  EXPECT_EQ(embedded(problem, 2), expected) << problem.name();
  EXPECT_EQ(embedded(problem, 7, true), expected) << problem.name();
  const auto run = cluster(problem, {.nodes = 2, .seed = 9, .order = Order::any, .duplicates = 0.1});
  EXPECT_EQ(outcome_of(run, problem), expected) << problem.name();
}

TEST(RealData, DiabetesHasOneHashUnderEveryPolicy) {
  const auto data = table("diabetes");
  for (const Policy policy : kPolicies) {
    for (const Shape& shape : kShapes)
      expect_one_real_outcome({data, policy, shape, support::repetitions<std::uint64_t>(200, 40)});
  }
}

TEST(RealData, LeukemiaHasOneHash) {
  const auto data = table("leukemia");
  for (const Shape& shape : {Shape{1, 4, 1}, Shape{4, 8, 4}}) {
    expect_one_real_outcome({data, Policy::automatic, shape, 0});
    expect_one_real_outcome({data, Policy::paper, shape, 50});
  }
}

TEST(RealData, GenotypesHaveOneHash) {
  const auto data = genotypes();
  for (const Shape& shape : {Shape{1, 4, 1}, Shape{4, 3, 2}}) {
    expect_one_real_outcome({data, Policy::automatic, shape, 0});
    expect_one_real_outcome({data, Policy::block_greedy, shape, 30});
  }
}

}  // namespace
}  // namespace strads::lasso
