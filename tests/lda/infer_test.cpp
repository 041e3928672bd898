// Topics of unseen documents: the same answer each time, and the one that integration gives.
#include <gtest/gtest.h>

#include "lda/infer/infer.hpp"
#include "topics_fixture.hpp"

namespace strads::lda {
namespace {

std::vector<float> theta_of_rows(const std::vector<std::vector<std::uint32_t>>& rows, std::uint64_t seed = 1,
                                 std::uint32_t sweeps = 100) {
  const TopicModel model = test::small_model();
  SerialChunks serial;
  return infer_topics(test::counted(rows), model.phi, model.alpha, {.seed = seed, .sweeps = sweeps}, serial);
}

TEST(InferTopics, OfADocumentAreTheSameInAnyCompany) {
  const std::vector<std::uint32_t> one = {3, 0, 2, 1}, other = {0, 4, 0, 9};
  const auto alone = theta_of_rows({one});
  std::vector<std::vector<std::uint32_t>> many(200, other);
  many[137] = one;
  const auto among = theta_of_rows(many);
  EXPECT_EQ(alone, std::vector<float>(among.begin() + 274, among.begin() + 276));
  EXPECT_EQ(alone, theta_of_rows({one}));
  EXPECT_NE(alone, theta_of_rows({one}, 2));
}

TEST(InferTopics, OfADocumentWithoutTokensAreThePrior) {
  const auto theta = theta_of_rows({{0, 0, 0, 0}});
  EXPECT_FLOAT_EQ(theta[0], 0.5F / 0.75F);
  EXPECT_FLOAT_EQ(theta[1], 0.25F / 0.75F);
}

/// E[theta_0] of the tokens ape, dog, dog: all eight assignments, by hand.
TEST(InferTopics, AreTheMeanOverAllAssignments) {
  const TopicModel model = test::small_model();
  const std::uint32_t words[] = {0, 3, 3};
  double sum = 0, mean = 0;
  for (std::uint32_t bits = 0; bits < 8; ++bits) {
    double weight = 1, counts[] = {0, 0};
    for (std::uint32_t n = 0; n < 3; ++n) {
      const std::uint32_t k = (bits >> n) & 1U;
      weight *= static_cast<double>(model.phi[k * 4 + words[n]]) * (counts[k] + model.alpha[k]);
      counts[k] += 1;
    }
    sum += weight;
    mean += weight * (counts[0] + model.alpha[0]) / 3.75;
  }
  EXPECT_NEAR(static_cast<double>(theta_of_rows({{1, 0, 0, 2}}, 1, 40000)[0]), mean / sum, 0.01);
}

}  // namespace
}  // namespace strads::lda
