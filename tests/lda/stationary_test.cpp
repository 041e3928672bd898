// The distribution that samplers draw from, against all assignments of a tiny corpus.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lda/check/check_topics.hpp"
#include "made_up_documents.hpp"
#include "support/sanitized.hpp"

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

constexpr std::uint32_t kSeeds = support::repetitions(2000U, 500U);
/// Of a quarter of the draws the noise is twice as large.
constexpr double kNoiseTimes = support::repetitions(1.0, 2.0);
/// 72 kinds of assignments: the distance of 2,000 exact draws is 0.064 in the mean.
constexpr double kNoise = 0.085 * kNoiseTimes;

TEST(StationaryDistribution, OfOneWorkerOfRotationAndStaleIsTheExactOne) {
  for (const Sampler sampler : {Sampler::rotation, Sampler::stale}) {
    LdaOptions options = tiny_options(sampler);
    options.sweeps = 12;
    EXPECT_LT(distance_from_exact(options, 1, kSeeds), kNoise) << test::sampler_name(sampler);
  }
}

/// All tokens move at once, against the counts of the half-sweep's start: on seven tokens, where each is a seventh of
/// all counts, that is the most it can matter. 8,000 seeds measured 0.10 with one proposal and 0.12 with two and four.
TEST(StationaryDistribution, OfDelayedIsNearTheExactOneOnSevenTokens) {
  LdaOptions options = tiny_options(Sampler::delayed);
  options.sweeps = 30;
  for (const std::uint32_t proposals : {1U, 3U}) {
    options.proposals = proposals;
    EXPECT_LT(distance_from_exact(options, 1, kSeeds), 0.17 * kNoiseTimes) << proposals << " proposals";
  }
}

}  // namespace
}  // namespace strads::lda
