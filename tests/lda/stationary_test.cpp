// The distribution that samplers draw from, against all assignments of a tiny corpus.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "lda/check/check_topics.hpp"
#include "made_up_documents.hpp"

namespace strads::lda {
namespace {

using Assignment = std::vector<std::uint16_t>;

/// Two documents of four and three tokens, three words.
Documents tiny_documents() {
  return test::counted({{2, 1, 1}, {0, 1, 2}});
}

LdaOptions tiny_options(Sampler sampler) {
  LdaOptions options;
  options.sampler = sampler;
  options.topics = 2;
  options.alpha = {0.7, 0.4};
  options.beta = 0.5;
  return options;
}

std::map<Assignment, double> enumerated(const Documents& documents, const LdaOptions& options) {
  std::map<Assignment, double> exact;
  double all = 0;
  for (std::uint32_t bits = 0; bits < (1U << documents.tokens); ++bits) {
    LdaSolution solution;
    solution.topics = 2;
    solution.alpha = options.alpha;
    solution.beta = options.beta;
    for (std::uint32_t n = 0; n < documents.tokens; ++n) {
      solution.assignments.push_back(static_cast<std::uint16_t>((bits >> n) & 1U));
    }
    all += exact[solution.assignments] = std::exp(plain_log_joint(documents, solution));
  }
  for (auto& [assignment, share] : exact) share /= all;
  return exact;
}

/// Tokens of one word in one document are alike, and so are assignments that differ in their order.
Assignment sorted_tokens(const Documents& documents, Assignment assignment) {
  auto token = assignment.begin();
  for (const std::uint32_t count : documents.counts) {
    std::sort(token, token + count);
    token += count;
  }
  return assignment;
}

/// Half the sum of differences of shares: of `seeds` independent runs at their last sweep.
double distance_from_exact(const LdaOptions& options, std::uint32_t workers, std::uint32_t seeds) {
  const Documents documents = tiny_documents();
  std::map<Assignment, double> difference;
  for (const auto& [assignment, share] : enumerated(documents, options)) {
    difference[sorted_tokens(documents, assignment)] -= share;
  }
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    test::Machine machine;
    machine.engine.workers = workers;
    const auto run = test::fit(test::data_of(documents, seed), options, machine);
    difference[sorted_tokens(documents, run.solution.assignments)] += 1.0 / seeds;
  }
  double sum = 0;
  for (const auto& [assignment, each] : difference) sum += std::abs(each);
  return sum / 2;
}

constexpr std::uint32_t kSeeds = 2000;
/// 48 kinds of assignments: the distance of so many exact draws is below 0.06 (mean 0.05).
constexpr double kNoise = 0.075;

TEST(StationaryDistribution, OfOneWorkerOfRotationAndStaleIsTheExactOne) {
  for (const Sampler sampler : {Sampler::rotation, Sampler::stale}) {
    LdaOptions options = tiny_options(sampler);
    options.sweeps = 12;
    EXPECT_LT(distance_from_exact(options, 1, kSeeds), kNoise) << test::sampler_name(sampler);
  }
}

/// All tokens move at once: on seven tokens, where each is a seventh of all counts, that is the most it can matter.
TEST(StationaryDistribution, OfDelayedIsNearTheExactOneOnSevenTokens) {
  LdaOptions options = tiny_options(Sampler::delayed);
  options.sweeps = 30;
  EXPECT_LT(distance_from_exact(options, 1, kSeeds), 0.25);
}

/// One token alone has nobody who moves at the same time: its pair of proposals leaves its conditional as it is.
TEST(StationaryDistribution, OfDelayedIsTheExactOneOfAToken) {
  LdaOptions options = tiny_options(Sampler::delayed);
  options.sweeps = 20;
  for (const std::uint32_t proposals : {1U, 3U}) {
    options.proposals = proposals;
    double first = 0;
    for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
      const auto run = test::fit(test::data_of(test::counted({{0, 1}}), seed), options);
      first += run.solution.assignments[0] == 0 ? 1.0 / kSeeds : 0;
    }
    EXPECT_NEAR(first, 0.7 / 1.1, 0.04);
  }
}

}  // namespace
}  // namespace strads::lda
