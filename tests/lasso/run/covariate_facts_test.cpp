// Which covariates are projected out: also with weights and dropped rows.
#include "lasso/report/covariate_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/run/in_memory_dataset.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;

class Named final : public InMemoryDataset {
 public:
  Named(Content content, std::vector<std::string> names, std::vector<SkippedCovariate> skipped)
      : InMemoryDataset(std::move(content)), names_(std::move(names)), skipped_(std::move(skipped)) {}
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return names_; }
  [[nodiscard]] const std::vector<SkippedCovariate>& skipped_covariates() const override { return skipped_; }

 private:
  std::vector<std::string> names_;
  std::vector<SkippedCovariate> skipped_;
};

/// a, one (constant but for the dropped row), twice (2 a + 1), b.
Content with_covariates() {
  Content content = random_content({});
  const std::size_t rows = content.rows();
  std::vector<double> a(rows), one(rows, 3.0), twice(rows), b(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i] = static_cast<double>(i * 7 % 11);
    twice[i] = 2 * a[i] + 1;
    b[i] = static_cast<double>(i * i % 13);
  }
  content.dropped_rows = {4};
  content.covariates = {a, one, twice, b};
  for (auto& covariate : content.covariates) covariate[4] = 0;
  content.response[4] = 0;
  return content;
}

CovariateFacts facts_of(Content content) {
  const auto dataset = std::make_shared<Named>(std::move(content), std::vector<std::string>{"a", "one", "twice", "b"},
                                               std::vector<SkippedCovariate>{{"site", "text"}});
  return covariate_facts(*prepare_lasso(dataset, {}).value());
}

TEST(CovariateFacts, TellConstantAndCollinearOnesFromTheOthers) {
  const CovariateFacts facts = facts_of(with_covariates());
  EXPECT_THAT(facts.used, ElementsAre("a", "b"));
  EXPECT_THAT(facts.places, ElementsAre(0u, 3u));
  EXPECT_EQ(covariate_line(facts),
            "covariates: a, b; left out: site (text), one (constant), twice (collinear with those before it)");
}

TEST(CovariateFacts, AreTheSameWhereClassesAreFitted) {
  Content content = with_covariates();
  for (std::size_t i = 0; i < content.rows(); ++i)
    content.response[i] = i == 4 ? 0.0 : static_cast<double>(i * 5 % 3 % 2);
  const auto dataset = std::make_shared<Named>(std::move(content), std::vector<std::string>{"a", "one", "twice", "b"},
                                               std::vector<SkippedCovariate>{});
  LassoOptions options;
  options.family = Family::binomial;
  const auto data = prepare_lasso(dataset, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  const CovariateFacts facts = covariate_facts(*data.value());
  EXPECT_THAT(facts.used, ElementsAre("a", "b"));
  EXPECT_THAT(facts.places, ElementsAre(0u, 3u));
}

TEST(CovariateFacts, SayWhichOnesVaryByTooLittleToBeSeen) {
  Content content = with_covariates();
  for (std::size_t i = 0; i < content.rows(); ++i) content.covariates[3][i] = 1e15 + static_cast<double>(i % 2);
  content.covariates[3][4] = 0;
  EXPECT_THAT(covariate_line(facts_of(content)),
              ::testing::EndsWith("b (varies by less than 1e-10 of its size: subtract a constant from it)"));
}

TEST(CovariateFacts, AreTheSameWithWeights) {
  Content content = with_covariates();
  for (std::size_t i = 0; i < content.rows(); ++i) {
    content.weights.push_back(content.takes_part(i) ? 0.5 + static_cast<double>(i % 3) : 0.0);
  }
  EXPECT_EQ(covariate_line(facts_of(content)), covariate_line(facts_of(with_covariates())));
}

TEST(CovariateFacts, SayThatNoneIsLeft) {
  CovariateFacts facts;
  EXPECT_FALSE(facts.any());
  facts.skipped.push_back({"site", "text"});
  EXPECT_TRUE(facts.any());
  EXPECT_EQ(covariate_line(facts), "covariates: none; left out: site (text)");
}

}  // namespace
}  // namespace strads::lasso
