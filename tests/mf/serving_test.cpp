// What serving is made of, by hand: vectors whose inner product is the score, similar items, rows of new users and
// items, and models of ratings that have grown.
#include "mf/factors/serving_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "mf/factors/fold_in.hpp"
#include "mf/factors/grown_model.hpp"
#include "mf/ranking/scorer.hpp"
#include "strads/base/chunks.hpp"
#include "strads/program/array_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "support/temporary_folder.hpp"

namespace strads::mf {
namespace {

using strads::test::TemporaryFolder;
using testing::ElementsAre;

/// b is twice as long as a, c is at right angles to both, d has no length.
FactorModel model_to_serve() {
  FactorModel model;
  model.rank = 2;
  model.mean = 3;
  model.ids[0] = make_ids("users", {"ann", "bob", "cleo"}).value();
  model.ids[1] = make_ids("items", {"a", "b", "c", "d"}).value();
  model.factors[0] = {1, 2, -1, 0.5F, 0, 3};
  model.factors[1] = {3, 4, 6, 8, -4, 3, 0, 0};
  model.biases[0] = {0.5F, -0.25F, 0};
  model.biases[1] = {0.25F, 0, -1, 2};
  model.counts[0] = {2, 1, 1};
  model.counts[1] = {1, 1, 1, 1};
  return model;
}

/// One feature, so that a row's minimum is a formula.
FactorModel model_of_one_feature() {
  FactorModel model = model_to_serve();
  model.rank = 1;
  model.factors[0] = {1, -0.5F, 2};
  model.factors[1] = {0.5F, -1, 1.5F, 0.25F};
  return model;
}

struct OneRating {
  std::string user, item;
  float value;
};

/// As a file of these lines is read.
Ratings ratings_of(const std::vector<OneRating>& lines) {
  Ratings ratings;
  std::vector<std::string> users, items;
  const auto number_of = [](std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    if (at == static_cast<std::ptrdiff_t>(names.size())) names.push_back(name);
    return static_cast<std::uint32_t>(at);
  };
  ratings.lowest = ratings.highest = lines.front().value;
  for (const OneRating& line : lines) {
    ratings.train.users.push_back(number_of(users, line.user));
    ratings.train.items.push_back(number_of(items, line.item));
    ratings.train.values.push_back(line.value);
    ratings.lowest = std::min(ratings.lowest, line.value);
    ratings.highest = std::max(ratings.highest, line.value);
  }
  ratings.users = make_ids("users", std::move(users)).value();
  ratings.items = make_ids("items", std::move(items)).value();
  return ratings;
}

std::vector<float> row_in(const FactorModel& model, Side side, std::uint32_t index) {
  return {model.row(side, index), model.row(side, index) + model.rank};
}

std::vector<std::string> names_in(const IdTable& ids) {
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < ids.size(); ++k) names.emplace_back(ids.name(k));
  return names;
}

TEST(ServingVectors, HaveTheScoreAsTheirInnerProduct) {
  const FactorModel model = model_to_serve();
  ASSERT_EQ(vector_size(model), 4U) << "two more for the mean and the biases";
  const auto users = serving_vectors(model, Side::users), items = serving_vectors(model, Side::items);
  ASSERT_EQ(users.size(), 3U * 4U);
  ASSERT_EQ(items.size(), 4U * 4U);
  for (std::uint32_t user = 0; user < 3; ++user) {
    for (std::uint32_t item = 0; item < 4; ++item) {
      float product = 0;
      for (std::size_t k = 0; k < 4; ++k) product += users[user * 4U + k] * items[item * 4U + k];
      EXPECT_EQ(product, score(model, user, item)) << user << ", " << item << ": all of it has few digits";
    }
  }
}

TEST(ServingVectors, AreTheFactorsWhereThereIsNoBias) {
  FactorModel model = model_to_serve();
  model.mean = 0;
  for (auto& of_side : model.biases) std::fill(of_side.begin(), of_side.end(), 0.0F);
  EXPECT_EQ(vector_size(model), 2U);
  EXPECT_EQ(serving_vectors(model, Side::users), model.factors[0]);
  EXPECT_EQ(serving_vectors(model, Side::items), model.factors[1]);
}

TEST(ServingFiles, AreTheVectorsAndALineForEachId) {
  const TemporaryFolder folder;
  const FactorModel model = model_to_serve();
  auto opened = RunDirectory::open(folder.path("served"), false, {});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  ASSERT_TRUE(write_serving(opened.value(), model).ok());
  ASSERT_TRUE(opened.value().finish({}).ok());
  const std::uint64_t shape[] = {4, 4};
  EXPECT_TRUE(check_array(folder.path("served/item_vectors.npy"), shape, serving_vectors(model, Side::items)).ok());
  EXPECT_EQ(folder.read("served/user_ids.txt"), "ann\nbob\ncleo\n");
  EXPECT_EQ(folder.read("served/item_ids.txt"), "a\nb\nc\nd\n");
}

TEST(SimilarItems, AreThoseWithTheLargestCosinesWithoutTheItemItself) {
  const TemporaryFolder folder;
  auto opened = RunDirectory::open(folder.path("model"), false, {});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  ASSERT_TRUE(write_factor_model(opened.value(), model_to_serve()).ok());
  ASSERT_TRUE(opened.value().finish({}).ok());
  const auto read = read_similar_items(folder.path("model"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const SimilarItems& similar = read.value();
  const std::vector<std::uint32_t> items = {0, 1, 2, 3};
  const auto lists = similar.scorer.ranker()->best(items, 3, similar.itself, TieOrder::item);
  constexpr std::uint32_t kExpected[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  for (std::size_t item = 0; item < 4; ++item) {
    ASSERT_EQ(lists[item].size(), 3U);
    for (std::size_t place = 0; place < 3; ++place) EXPECT_EQ(lists[item][place].item, kExpected[item][place]);
  }
  EXPECT_NEAR(lists[0][0].score, 1, 1e-6) << "biases and lengths do not count";
  EXPECT_EQ(lists[0][1].score, 0);
  EXPECT_EQ(lists[3][0].score, 0) << "an item without a length is like none";
}

TEST(RowsOf, SomeItemsAreInTheOrderOfTheFileWithoutStrangers) {
  const Ratings ratings =
      ratings_of({{"ann", "new", 5}, {"ghost", "new", 1}, {"bob", "a", 4}, {"cleo", "new", 2}, {"ann", "a", 3}});
  const std::uint32_t rows[] = {0, kNoRow};
  const RowRatings found = rows_of(ratings, Side::items, rows, 1, model_to_serve());
  EXPECT_THAT(found.begins, ElementsAre(0, 2));
  EXPECT_THAT(found.columns, ElementsAre(0, 2)) << "as the model counts users";
  EXPECT_THAT(found.values, ElementsAre(5, 2));
  EXPECT_EQ(found.unknown, 1U);
}

TEST(FoldedItems, OfRatingsAreTheMinimumByHand) {
  const FactorModel model = model_of_one_feature();
  const Ratings ratings = ratings_of({{"ann", "new", 5}, {"cleo", "new", 2}, {"bob", "new", 4}});
  const std::uint32_t rows[] = {0};
  MfOptions options;
  options.rank = 1;
  options.lambda = 0.1;
  SerialChunks chunks;
  const FoldedRows folded =
      folded_rows(options, model, Side::items, rows_of(ratings, Side::items, rows, 1, model), chunks);
  // Normal equations of factor and bias; e is what mean and users leave of a rating.
  double ww = 0, w1 = 0, we = 0, e1 = 0;
  const double values[] = {5, 4, 2};
  for (std::uint32_t user = 0; user < 3; ++user) {
    const double w = model.factors[0][user], e = values[user] - 3 - double{model.biases[0][user]};
    ww += w * w;
    w1 += w;
    we += w * e;
    e1 += e;
  }
  const double a = ww + 0.1 * 3, d = 3 + 0.1 * 3, determinant = a * d - w1 * w1;
  EXPECT_NEAR(folded.factors[0], (we * d - w1 * e1) / determinant, 1e-5);
  EXPECT_NEAR(folded.biases[0], (a * e1 - w1 * we) / determinant, 1e-5);
}

TEST(FoldedItems, OfChoicesAreTheMinimumByHand) {
  const FactorModel model = model_of_one_feature();
  const Ratings ratings = ratings_of({{"ann", "new", 1}, {"cleo", "new", 1}});
  const std::uint32_t rows[] = {0};
  MfOptions options;
  options.implicit = true;
  options.rank = 1;
  options.lambda = 0.1;
  options.alpha0 = 0.2;
  options.nu = 0.5;
  SerialChunks chunks;
  const FoldedRows folded =
      folded_rows(options, model, Side::items, rows_of(ratings, Side::items, rows, 1, model), chunks);
  const double chosen = 1 * 1 + 2 * 2, all = chosen + 0.5 * 0.5;
  EXPECT_NEAR(folded.factors[0], (1 + 2) / (chosen + 0.2 * all + 0.1 * std::sqrt(2 + 0.2 * 3)), 1e-5);
  EXPECT_EQ(folded.biases[0], 0);
}

TEST(NewItems, StandBehindThoseOfTheModel) {
  const FactorModel model = model_to_serve();
  const Ratings ratings =
      ratings_of({{"ann", "new", 5}, {"ghost", "of strangers", 1}, {"bob", "b", 4}, {"cleo", "new", 2}});
  const std::uint32_t rows[] = {0, 1, 2};
  const auto made = with_new_items(model, {{10, 11, 20, 21, 30, 31}, {0.1F, 0.2F, 0.3F}}, ratings,
                                   rows_of(ratings, Side::items, rows, 3, model));
  ASSERT_TRUE(made.ok()) << made.status().message();
  const FactorModel& grown = made.value();
  EXPECT_THAT(names_in(*grown.ids[1]), ElementsAre("a", "b", "c", "d", "new"));
  EXPECT_THAT(grown.factors[1], ElementsAre(3, 4, 30, 31, -4, 3, 0, 0, 10, 11));
  EXPECT_THAT(grown.biases[1], ElementsAre(0.25F, 0.3F, -1, 2, 0.1F));
  EXPECT_THAT(grown.counts[1], ElementsAre(1, 1, 1, 1, 2));
  EXPECT_EQ(grown.factors[0], model.factors[0]);
}

TEST(NewUsers, AreAloneWithTheItemsOfTheModel) {
  const FactorModel model = model_to_serve();
  const Ratings ratings = ratings_of({{"eve", "a", 5}, {"ann", "c", 1}, {"eve", "unheard of", 4}, {"eve", "d", 2}});
  const std::uint32_t rows[] = {0, 1};
  const FactorModel grown =
      with_new_users(model, {{7, 8, 9, 10}, {0.5F, 0.25F}}, ratings, rows_of(ratings, Side::users, rows, 2, model));
  EXPECT_THAT(names_in(*grown.ids[0]), ElementsAre("eve", "ann"));
  EXPECT_THAT(grown.factors[0], ElementsAre(7, 8, 9, 10));
  EXPECT_THAT(grown.counts[0], ElementsAre(2, 1)) << "of items that the model knows";
  EXPECT_EQ(grown.factors[1], model.factors[1]);
}

TEST(GrownModel, KeepsWhomItKnowsAndSolvesWhomItDoesNot) {
  const FactorModel old = model_to_serve();
  const Ratings ratings = ratings_of({{"bob", "a", 4}, {"ann", "a", 5}, {"ann", "b", 3}, {"dora", "b", 2}});
  FactorModel model = grown_model(old, ratings);
  EXPECT_THAT(names_in(*model.ids[0]), ElementsAre("bob", "ann", "dora"));
  EXPECT_THAT(model.factors[0], ElementsAre(-1, 0.5F, 1, 2, 0, 0));
  EXPECT_THAT(model.biases[0], ElementsAre(-0.25F, 0.5F, 0));
  EXPECT_THAT(model.counts[0], ElementsAre(1, 2, 1));
  const ChangedRows users = changed_rows(old, model, ratings, Side::users);
  EXPECT_THAT(users.rows, ElementsAre(2)) << "the others have as many ratings as before";
  EXPECT_THAT(users.place, ElementsAre(kNoRow, kNoRow, 0));
  EXPECT_EQ(users.fresh, 1U);
  EXPECT_EQ(users.gone, 1U) << "cleo";
  EXPECT_THAT(users.ratings.values, ElementsAre(2));
  const ChangedRows items = changed_rows(old, model, ratings, Side::items);
  EXPECT_THAT(items.rows, ElementsAre(0, 1));
  EXPECT_EQ(items.fresh, 0U);
  EXPECT_EQ(items.gone, 2U);
  MfOptions options;
  options.rank = 2;
  SerialChunks chunks;
  solve_rows(options, users, Side::users, model, chunks);
  EXPECT_EQ(row_in(model, Side::users, 0), row_in(old, Side::users, 1));
  EXPECT_EQ(row_in(model, Side::users, 1), row_in(old, Side::users, 0));
  EXPECT_NE(row_in(model, Side::users, 2), std::vector<float>(2, 0.0F));
  EXPECT_EQ(row_in(model, Side::items, 0), row_in(old, Side::items, 0));
}

}  // namespace
}  // namespace strads::mf
