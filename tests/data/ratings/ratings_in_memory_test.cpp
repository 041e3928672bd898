// Ratings that another program holds are those of a file with the same lines.
#include <gmock/gmock.h>

#include <limits>

#include "ratings_fixtures.hpp"

namespace strads::data {
namespace {

using ::testing::HasSubstr;

Result<std::shared_ptr<const Ratings>> load_held(const std::vector<std::uint32_t>& users,
                                                 const std::vector<std::uint32_t>& items,
                                                 const std::vector<double>& values, RatingsInput input = {},
                                                 const std::vector<std::string>& user_ids = {}) {
  auto held = std::make_shared<RatingsInMemory>();
  *held = {users, items, values, user_ids, {}, {}, {}, {}};
  input.in_memory = std::move(held);
  SerialChunks serial;
  return load_ratings(input, serial);
}

TEST(RatingsInMemory, AreThoseOfAFile) {
  const RatingsInput input{.holdout = 0.3};
  const auto file = load_text("7,0,3\n2,5,4.5\n7,5,1\n2,0,2\n9,0,5\n7,0,1\n", input);
  const auto held = load_held({7, 2, 7, 2, 9, 7}, {0, 5, 5, 0, 0, 0}, {3, 4.5, 1, 2, 5, 1}, input);
  ASSERT_TRUE(file.ok() && held.ok()) << held.status().message();
  EXPECT_EQ(held.value()->fingerprint, file.value()->fingerprint);
  EXPECT_EQ(held.value()->duplicates, 1u);
  EXPECT_EQ(held.value()->users->name(0), "7");
}

TEST(RatingsInMemory, OfAMatrixByRowsAreThoseOfItsEntries) {
  const auto entries = load_held({0, 0, 2, 3}, {5, 1, 5, 0}, {3, 1, 2.5, 4});
  const std::vector<std::uint32_t> items{5, 1, 5, 0};
  const std::vector<float> values{3, 1, 2.5, 4};
  SerialChunks serial;
  const auto load_rows = [&](const std::vector<std::uint64_t>& begins) {
    auto held = std::make_shared<RatingsInMemory>();
    held->items = items;
    held->single_values = values;
    held->row_begins = begins;
    RatingsInput input;
    input.in_memory = std::move(held);
    return load_ratings(input, serial);
  };
  const auto rows = load_rows({0, 2, 2, 3, 4, 4});
  ASSERT_TRUE(entries.ok() && rows.ok()) << rows.status().message();
  EXPECT_EQ(rows.value()->fingerprint, entries.value()->fingerprint);
  for (const std::vector<std::uint64_t>& wrong : {std::vector<std::uint64_t>{0, 3, 2, 4}, {0, 2, 3}, {1, 2, 4}}) {
    EXPECT_THAT(load_rows(wrong).status().message(), HasSubstr("rows that do not follow each other"));
  }
}

TEST(RatingsInMemory, HaveTheIdsThatAreGiven) {
  const RatingsInput input{.holdout = 0.3};
  const auto file = load_text("ann,0,3\nbob,5,4.5\nann,5,1\nbob,0,2\n12345678901,0,5\n", input);
  const auto held =
      load_held({2, 0, 2, 0, 1}, {0, 5, 5, 0, 0}, {3, 4.5, 1, 2, 5}, input, {"bob", "12345678901", "ann"});
  ASSERT_TRUE(file.ok() && held.ok()) << held.status().message();
  EXPECT_EQ(held.value()->fingerprint, file.value()->fingerprint);
  EXPECT_EQ(held.value()->users->name(0), "ann");
}

TEST(RatingsInMemory, RefuseIdsThatAreNone) {
  const auto said = [](const std::vector<std::string>& ids) {
    return load_held({0, 1}, {0, 1}, {1, 2}, {}, ids).status().message();
  };
  EXPECT_THAT(said({"a", ""}), HasSubstr("ratings: empty user"));
  EXPECT_THAT(said({"a", "b\n"}), HasSubstr("control character"));
  EXPECT_THAT(said({"a", "a"}), HasSubstr("there twice"));
  EXPECT_THAT(said({"a"}), HasSubstr("a user without an id"));
}

TEST(RatingsInMemory, RefuseWhatAreNone) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(load_held({1}, {1, 2}, {1}).status().message(), HasSubstr("1 users, 2 items and 1 values"));
  EXPECT_THAT(load_held({}, {}, {}).status().message(), HasSubstr("at least one"));
  EXPECT_THAT(load_held({1, 2}, {1, 2}, {1, none}).status().message(), HasSubstr("ratings: entry 2 is missing"));
  EXPECT_THAT(load_held({1}, {1}, {1}, {.test_path = "other"}).status().message(), HasSubstr("--holdout"));
  EXPECT_THAT(load_held({1, 1}, {1, 1}, {1, 2}, {.duplicates = Duplicates::refuse}).status().message(),
              HasSubstr("ratings: entry 2"));
}

}  // namespace
}  // namespace strads::data
