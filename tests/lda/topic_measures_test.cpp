// Perplexity by completion and coherence, against sums by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "lda/topics/coherence.hpp"
#include "lda/topics/completion.hpp"
#include "topics_fixture.hpp"

namespace strads::lda {
namespace {

using test::counted;
using test::small_model;

TEST(PerplexityByCompletion, IsThatOfTheMixtureOfTopics) {
  SerialChunks serial;
  const Documents asked = counted({{2, 0, 0, 1}, {0, 0, 0, 0}, {0, 1, 0, 0}});
  const std::vector<float> theta = {0.75F, 0.25F, 0.5F, 0.5F, 0.0F, 1.0F};
  const Completion found = completed(small_model(), theta, asked, serial);
  const double expected =
      2 * std::log(0.75 * 0.5 + 0.25 * 0.125) + std::log(0.75 * 0.125 + 0.25 * 0.5) + std::log(0.125);
  EXPECT_EQ(found.tokens, 4U);
  EXPECT_NEAR(found.log_likelihood, expected, 2e-6) << "a document is a whole multiple of 2^-20";
  EXPECT_NEAR(found.perplexity(), std::exp(-expected / 4), 1e-5);
}

TEST(PerplexityByCompletion, OfWordsThatAreAllAsProbableIsTheirNumber) {
  TopicModel model = small_model();
  model.phi.assign(8, 0.25F);
  SerialChunks serial;
  const std::vector<float> theta = {0.5F, 0.5F};
  EXPECT_NEAR(completed(model, theta, counted({{3, 1, 0, 2}}), serial).perplexity(), 4.0, 1e-5);
}

std::uint64_t tokens_of_word(const Documents& documents, std::uint32_t word) {
  std::uint64_t tokens = 0;
  for (std::size_t k = 0; k < documents.words.size(); ++k) {
    if (documents.words[k] == word) tokens += documents.counts[k];
  }
  return tokens;
}

TEST(HalvesOfDocuments, ShareOutEveryTokenOnce) {
  const Documents documents = counted({{100, 7, 0, 1}, {0, 0, 0, 0}, {0, 50, 3, 0}});
  const DocumentHalves halves = halves_of(documents, 7);
  ASSERT_EQ(halves.seen.size(), 3U);
  ASSERT_EQ(halves.asked.size(), 3U);
  EXPECT_EQ(halves.seen.tokens + halves.asked.tokens, documents.tokens);
  for (std::uint32_t w = 0; w < 4; ++w) {
    EXPECT_EQ(tokens_of_word(halves.seen, w) + tokens_of_word(halves.asked, w), tokens_of_word(documents, w));
  }
  EXPECT_GT(halves.seen.tokens, 50U);
  EXPECT_GT(halves.asked.tokens, 50U);
  EXPECT_EQ(fingerprint_of(halves_of(documents, 7).seen), fingerprint_of(halves.seen));
  EXPECT_NE(fingerprint_of(halves_of(documents, 8).seen), fingerprint_of(halves.seen));
}

TEST(DocumentsHeldOut, AreTheShareThatWasAskedFor) {
  std::vector<std::vector<std::uint32_t>> rows(2000, {1, 0, 2, 0});
  const Documents documents = counted(rows);
  const DocumentParts parts = hold_out(documents, 0.2, 1);
  EXPECT_EQ(parts.kept.size() + parts.held_out.size(), 2000U);
  EXPECT_NEAR(static_cast<double>(parts.held_out.size()), 400, 60);
  std::set<std::string> names(parts.kept.document_names.begin(), parts.kept.document_names.end());
  names.insert(parts.held_out.document_names.begin(), parts.held_out.document_names.end());
  EXPECT_EQ(names.size(), 2000U);
  EXPECT_TRUE(names.contains("1") && names.contains("2000")) << "the numbers of the corpus";
  EXPECT_EQ(parts.kept.tokens, 3 * parts.kept.size());
}

TEST(CoherenceOfTopics, IsNpmiOfDocumentsThatHoldBothWords) {
  // ape and bee are together in 2 of 4 documents that hold words; ape in 3, bee in 2; cat and dog never.
  const Documents documents = counted({{1, 2, 0, 0}, {1, 1, 0, 0}, {5, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}});
  const Coherence found = npmi(small_model(), documents, 2);
  ASSERT_EQ(found.of_topic.size(), 2U);
  EXPECT_NEAR(found.of_topic[0], std::log(0.5 / (0.75 * 0.5)) / -std::log(0.5), 1e-12);
  EXPECT_EQ(found.of_topic[1], -1);
  EXPECT_NEAR(found.mean, (found.of_topic[0] - 1) / 2, 1e-12);
}

TEST(CoherenceOfTopics, IsOneWhereEveryDocumentHoldsBothWords) {
  EXPECT_EQ(npmi(small_model(), counted({{1, 1, 1, 1}, {2, 1, 1, 3}}), 2).mean, 1);
}

TEST(TopWordsOfATopic, FallInProbabilityAndKeepTheirOrderWhereTheyAreEqual) {
  EXPECT_EQ(top_words(small_model(), 0, 4), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(top_words(small_model(), 1, 3), (std::vector<std::uint32_t>{3, 2, 0}));
  EXPECT_EQ(top_words(small_model(), 1, 9).size(), 4U);
}

}  // namespace
}  // namespace strads::lda
