// Pictures of topics and of the curve: what is drawn, and that nothing overflows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lda/output/pictures.hpp"
#include "regression/svg.hpp"
#include "topics_fixture.hpp"

namespace strads::lda {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// Words of equal shares.
TopicModel model_of_topics(std::uint32_t topics, std::vector<std::string> words) {
  TopicModel model;
  model.topics = topics;
  model.alpha.assign(topics, 0.1);
  model.phi.assign(topics * words.size(), 1.0F / static_cast<float>(words.size()));
  model.word_tokens.assign(words.size(), 1);
  for (std::uint32_t k = 0; k < topics; ++k) model.topic_tokens.push_back(100 + k);
  model.words = std::move(words);
  return model;
}

TEST(PictureOfTopics, HasARowForEachTopicTheLargestFirst) {
  const std::string svg = topics_picture(test::small_model(), "corpus");
  EXPECT_THAT(svg, HasSubstr(">corpus: 2 topics, the largest first<"));
  EXPECT_THAT(svg, HasSubstr(">share of the tokens, %<"));
  EXPECT_LT(svg.find(">56.2<"), svg.find(">43.8<")) << "9 and 7 of 16 tokens";
  EXPECT_EQ(times(svg, ">dog<"), 2U);
  EXPECT_THAT(svg, HasSubstr(">50<")) << "the largest share of a word in its topic";
}

TEST(PictureOfTopics, SaysHowManyOfManyTopicsItShows) {
  const std::string svg = topics_picture(model_of_topics(100, {"ape", "bee"}), "corpus");
  EXPECT_THAT(svg, HasSubstr("the 30 largest of 100 topics, "));
  EXPECT_EQ(times(svg, ">ape<"), 30U);
  EXPECT_THAT(svg, HasSubstr(">100<"));
  EXPECT_THAT(svg, Not(HasSubstr(">70<"))) << "the largest that is not among them";
}

TEST(PictureOfTopics, CutsWordsThatAreTooLong) {
  const std::string long_word(60, 'w'), signs = "a<b&c";
  const std::string svg = topics_picture(model_of_topics(2, {long_word, signs}), "corpus");
  EXPECT_THAT(svg, Not(HasSubstr(long_word)));
  EXPECT_THAT(svg, HasSubstr("www...<"));
  EXPECT_THAT(svg, HasSubstr(">a&lt;b&amp;c<"));
}

TEST(PictureOfTopics, IsThereWhereNoTopicHasATokenOrThereIsOneWord) {
  TopicModel model = model_of_topics(1, {"ape"});
  model.topic_tokens = {0};
  EXPECT_THAT(topics_picture(model, "corpus"), HasSubstr(">ape<"));
}

TEST(ShortenedText, IsCutBetweenLettersToItsWidth) {
  EXPECT_EQ(lasso::shortened_to("topic", 100), "topic");
  std::string wide;
  for (int k = 0; k < 20; ++k) wide += "\xe8\xaa\x9e";  // as wide as high
  EXPECT_EQ(lasso::shortened_to(wide, 96, 12), wide.substr(0, 3 * 6) + "...");
}

TEST(PictureOfTheCurve, HasAPartForEachThatWasMeasured) {
  std::vector<CurvePoint> points(3);
  for (std::size_t k = 0; k < 3; ++k) {
    points[k].sweep = 10.0 * static_cast<double>(k + 1);
    points[k].log_joint = -9.0 + 0.1 * static_cast<double>(k);
  }
  const std::string one = curve_picture(points, "corpus");
  EXPECT_THAT(one, HasSubstr(">log joint a token, nats<"));
  EXPECT_THAT(one, Not(HasSubstr("perplexity")));
  EXPECT_EQ(times(one, "<circle"), 3U);
  points[1].perplexity = 500;
  points[2].perplexity = 400;
  const std::string two = curve_picture(points, "corpus");
  EXPECT_THAT(two, HasSubstr(">held-out perplexity<"));
  EXPECT_EQ(times(two, "<circle"), 5U);
  EXPECT_EQ(times(two, ">sweeps<"), 2U);
  EXPECT_THAT(curve_picture({}, "corpus"), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace strads::lda
