// What becomes of ratings that were read: numbers, levels, duplicates, hold-out, test files.
#include <algorithm>
#include <cmath>
#include <set>

#include "ratings_fixtures.hpp"
#include "strads/base/hash.hpp"

namespace strads::data {
namespace {

// `users` x `items` pairs, each with a rating of 1 to 5, one pair a line.
std::vector<std::string> all_pairs(int users, int items) {
  std::vector<std::string> out;
  for (int u = 0; u < users; ++u) {
    for (int i = 0; i < items; ++i) {
      out.push_back("user" + std::to_string(u) + ',' + std::to_string(7 * i) + ',' + std::to_string(1 + (u + i) % 5));
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

std::shared_ptr<const Ratings> loaded_or_null(std::string_view text, const RatingsInput& input = {}) {
  const auto loaded = load_text(text, input);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? loaded.value() : nullptr;
}

std::set<std::string> as_set(const Ratings& ratings, const Triplets& part) {
  const auto list = listed(ratings, part);
  return {list.begin(), list.end()};
}

// --- numbers and levels ---

TEST(Ratings, NumberIdsInTheOrderOfFirstAppearance) {
  const auto ratings = loaded_or_null("b,y,1\na,y,2\nb,x,3\nc,z,4\n");
  EXPECT_EQ(ratings->train.users, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(ratings->train.items, (std::vector<std::uint32_t>{0, 0, 1, 2}));
  EXPECT_EQ(ratings->users->name(1), "a");
  EXPECT_EQ(ratings->items->name(2), "z");
}

TEST(Ratings, FindNumbersOfKnownIds) {
  const auto ratings = loaded_or_null(joined(all_pairs(300, 2)));
  for (std::uint32_t u = 0; u < 300; ++u) EXPECT_EQ(ratings->users->find("user" + std::to_string(u)), u);
  EXPECT_EQ(ratings->users->find("user300"), 300u);
  EXPECT_EQ(ratings->items->find(""), 2u);
}

TEST(Ratings, AreOneByteEachWithFewLevels) {
  const auto ratings = loaded_or_null("a,1,4\na,2,0.5\na,3,4\na,4,-1\n");
  EXPECT_EQ(ratings->levels, (std::vector<float>{-1, 0.5, 4}));
  EXPECT_EQ(ratings->train.codes, (std::vector<std::uint8_t>{2, 1, 2, 0}));
  EXPECT_TRUE(ratings->train.values.empty());
  EXPECT_EQ(ratings->lowest, -1);
  EXPECT_EQ(ratings->highest, 4);
}

TEST(Ratings, AreFloatsWithMoreThan256Levels) {
  std::string text;
  for (int k = 0; k < 256; ++k) text += "a," + std::to_string(k) + ',' + std::to_string(k) + '\n';
  EXPECT_EQ(loaded_or_null(text)->levels.size(), 256u);
  const auto ratings = loaded_or_null(text + "b,1,-9.95\n");
  EXPECT_TRUE(ratings->levels.empty());
  EXPECT_TRUE(ratings->train.codes.empty());
  ASSERT_EQ(ratings->train.values.size(), 257u);
  EXPECT_EQ(ratings->train.values[17], 17.0f);
  EXPECT_EQ(ratings->train.values[256], -9.95f);
  EXPECT_EQ(ratings->lowest, -9.95f);
}

TEST(Ratings, TakeMinusZeroForZero) {
  EXPECT_EQ(loaded_or_null("a,1,-0.0\na,2,0\n")->levels, std::vector<float>{0});
}

TEST(Ratings, DoNotDependOnPiecesOrThreads) {
  std::vector<std::string> lines = all_pairs(40, 30);
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) text += lines[k * 7 % lines.size()] + '\n';
  for (int k = 0; k < 300; ++k)
    text += "another,long-item-number-" + std::to_string(k) + ',' + std::to_string(k) + "\n";
  text += joined({lines[3], lines[8], lines[3], "user0,0,2.75"});
  const TempFolder folder;
  const std::string path = folder.write("f", text);
  std::set<std::uint64_t> fingerprints;
  for (const bool levels : {true, false}) {
    fingerprints.clear();
    const std::string file = levels ? folder.write("g", text.substr(0, text.find("another"))) : path;
    for (const std::uint64_t piece_bytes : {1u, 64u, 1000u, 5000u, 1000000u}) {
      for (const Duplicates rule : {Duplicates::average}) {
        FourThreads chunks;
        const RatingsInput input{.path = file, .duplicates = rule, .holdout = 0.2, .validation = 0.1};
        const auto loaded = load_ratings(input, chunks, {}, {.text_bytes = piece_bytes});
        ASSERT_TRUE(loaded.ok()) << loaded.status().message();
        EXPECT_EQ(loaded.value()->levels.empty(), !levels);
        fingerprints.insert(loaded.value()->fingerprint);
      }
    }
    EXPECT_EQ(fingerprints.size(), 1u);
  }
}

TEST(Ratings, HaveTheFingerprintOfTheirContents) {
  const auto fingerprint = [](std::string_view text) { return loaded_or_null(text)->fingerprint; };
  const std::uint64_t first = fingerprint("a,1,4\nb,2,3\n");
  EXPECT_EQ(first, fingerprint("a 1 4.0\nb 2 3.0\n"));
  EXPECT_NE(first, fingerprint("a,1,4\nb,2,4\n"));
  EXPECT_NE(first, fingerprint("a,1,4\nc,2,3\n"));
  EXPECT_NE(first, fingerprint("b,2,3\na,1,4\n"));
}

TEST(Ratings, CountTheBytesOnTheDisk) {
  EXPECT_EQ(loaded_or_null("a,1,4\n")->bytes_read, 6u);
}

TEST(Ratings, NameTheTextWhoseLastLineHasNoEnd) {
  EXPECT_TRUE(loaded_or_null("a,1,4\nb,1,3\n")->unended.empty());
  // What is left of "b,1,35" is a rating as well.
  const auto cut = loaded_or_null("a,1,4\nb,1,3");
  EXPECT_EQ(cut->train.size(), 2u);
  EXPECT_EQ(cut->unended.size(), 1u);
}

TEST(Ratings, TellHowFarTheyAre) {
  const TempFolder folder;
  std::vector<double> told;
  FourThreads chunks;
  const RatingsInput input{.path = folder.write("f", joined(all_pairs(20, 20)))};
  ASSERT_TRUE(load_ratings(input, chunks, [&](double share) { told.push_back(share); }, {.text_bytes = 500}).ok());
  ASSERT_GT(told.size(), 3u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1.0);
}

// --- duplicates ---

constexpr const char* kRepeated = "a,x,1\nb,x,5\na,x,2\na,y,3\na,x,4\nb,x,3\n";

TEST(RatingsDuplicates, AreAveragedAtTheFirstPlace) {
  const auto ratings = loaded_or_null(kRepeated);
  EXPECT_EQ(listed(*ratings, ratings->train), (List{"a x 2.33333", "b x 4", "a y 3"}));
  EXPECT_EQ(ratings->duplicates, 3u);
  EXPECT_EQ(ratings->levels.size(), 3u);  // of what is left
}

TEST(RatingsDuplicates, KeepTheLastAtTheFirstPlace) {
  EXPECT_EQ(read(kRepeated, {.duplicates = Duplicates::last}), (List{"a x 4", "b x 3", "a y 3"}));
}

TEST(RatingsDuplicates, AreRefusedWithTheirPlaces) {
  const RatingsInput refuse{.duplicates = Duplicates::refuse};
  EXPECT_THAT(load_text(std::string("user,item,rating\n\n") + kRepeated, refuse),
              FailsWith("f:5:1: user 'a' rates item 'x' again (first at "));
  EXPECT_THAT(load_text(kRepeated, refuse), FailsWith("f:1:1), expected each pair once; --duplicates average or last"));
  EXPECT_EQ(read("a,x,1\na,y,1\nb,x,1\n", refuse), (List{"a x 1", "a y 1", "b x 1"}));
}

TEST(RatingsDuplicates, AreRefusedInLaterPiecesToo) {
  std::vector<std::string> lines = all_pairs(30, 30);
  lines.push_back(lines[700]);
  lines.push_back(lines[20]);
  const TempFolder folder;
  FourThreads chunks;
  const RatingsInput input{.path = folder.write("f", joined(lines)), .duplicates = Duplicates::refuse};
  const auto loaded = load_ratings(input, chunks, {}, {.text_bytes = 100});
  EXPECT_THAT(loaded, FailsWith("f:901:1: user 'user23' rates item '70' again"));
  EXPECT_THAT(loaded, FailsWith("f:701:1)"));
}

TEST(RatingsDuplicates, AreAllFoundAmongMany) {
  constexpr int kUsers = 700, kItems = 100;  // four buckets of users
  std::vector<std::string> lines = all_pairs(kUsers, kItems);
  const std::size_t count = lines.size();
  for (std::size_t k = 0; k < count; k += 3) lines.push_back(lines[k]);
  const auto ratings = loaded_or_null(joined(lines));
  EXPECT_EQ(ratings->train.size(), count);
  EXPECT_EQ(ratings->duplicates, lines.size() - count);
  EXPECT_EQ(as_set(*ratings, ratings->train).size(), count);
}

TEST(RatingsDuplicates, OfAverageMayNeedMoreThan256Levels) {
  std::string text;
  for (int k = 0; k < 256; ++k) text += "a," + std::to_string(k) + ',' + std::to_string(k) + '\n';
  const auto ratings = loaded_or_null(text + "b,1,1\nb,1,2\n");
  EXPECT_TRUE(ratings->levels.empty());
  EXPECT_EQ(ratings->train.values.back(), 1.5f);
}

// --- hold-out ---

TEST(RatingsHoldout, DoesNotDependOnTheOrderOfTheFile) {
  std::vector<std::string> lines = all_pairs(50, 40);
  const RatingsInput input{.holdout = 0.2, .validation = 0.1, .seed = 5};
  const auto forward = loaded_or_null(joined(lines), input);
  std::reverse(lines.begin(), lines.end());
  const auto backward = loaded_or_null(joined(lines), input);
  EXPECT_EQ(as_set(*forward, forward->test), as_set(*backward, backward->test));
  EXPECT_EQ(as_set(*forward, forward->validation), as_set(*backward, backward->validation));
  EXPECT_EQ(forward->train.size() + forward->validation.size() + forward->test.size(), lines.size());
}

TEST(RatingsHoldout, TakesTheSharesThatWereAskedFor) {
  const auto ratings = loaded_or_null(joined(all_pairs(200, 100)), {.holdout = 0.2, .validation = 0.1});
  // Six standard deviations of a binomial draw of 20,000.
  EXPECT_NEAR(static_cast<double>(ratings->test.size()), 4000, 6 * std::sqrt(20000 * 0.2 * 0.8));
  EXPECT_NEAR(static_cast<double>(ratings->validation.size()), 1600, 6 * std::sqrt(16000 * 0.1 * 0.9));
}

TEST(RatingsHoldout, DiffersBetweenSeedsAndAgreesForOne) {
  const std::string text = joined(all_pairs(50, 40));
  const auto test = [&](std::uint64_t seed) {
    const auto ratings = loaded_or_null(text, {.holdout = 0.1, .seed = seed});
    return as_set(*ratings, ratings->test);
  };
  EXPECT_EQ(test(1), test(1));
  EXPECT_NE(test(1), test(2));
}

TEST(RatingsHoldout, TakesAPairOrNotWhateverItsValue) {
  const auto held = [](std::string_view text) {
    const auto ratings = loaded_or_null(text, {.holdout = 0.5, .seed = 3});
    return std::make_pair(ratings->test.users, ratings->test.items);
  };
  std::string ones, twos;
  for (int k = 0; k < 64; ++k) {
    ones += "u" + std::to_string(k) + ",i,1\n";
    twos += "u" + std::to_string(k) + ",i,2\n";
  }
  EXPECT_EQ(held(ones), held(twos));
  EXPECT_FALSE(held(ones).first.empty());
}

// The formula of docs/FORMATS.md, written a second time.
TEST(RatingsHoldout, FollowsTheWrittenFormula) {
  const auto hash = [](std::string_view id) { return xxh3(std::as_bytes(std::span(id.data(), id.size()))); };
  const auto mix = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  };
  const std::uint64_t words[2] = {9, 1};  // seed, draw
  const std::uint64_t key = xxh3(std::as_bytes(std::span(words)));
  std::set<std::string> expected;
  for (const std::string& line : all_pairs(20, 20)) {
    const std::string user = line.substr(0, line.find(','));
    const std::string item = line.substr(user.size() + 1, line.rfind(',') - user.size() - 1);
    if (mix(mix(key + hash(user)) ^ hash(item)) < (std::uint64_t{1} << 62)) expected.insert(user + ' ' + item);
  }
  const auto ratings = loaded_or_null(joined(all_pairs(20, 20)), {.holdout = 0.25, .seed = 9});
  std::set<std::string> found;
  for (const std::string& line : listed(*ratings, ratings->test)) found.insert(line.substr(0, line.rfind(' ')));
  EXPECT_EQ(found, expected);
}

TEST(RatingsHoldout, LeavesUsersWithoutTrainingRatingsInTheTable) {
  std::string text;
  for (int k = 0; k < 64; ++k) text += "u" + std::to_string(k) + ",i" + std::to_string(k) + ",1\n";
  const auto ratings = loaded_or_null(text, {.holdout = 0.5});
  EXPECT_LT(ratings->train.size(), 64u);
  EXPECT_EQ(ratings->users->size(), 64u);
  EXPECT_EQ(ratings->items->size(), 64u);
}

TEST(RatingsHoldout, DrawsAPairThatIsRatedTwiceOnce) {
  const auto ratings = loaded_or_null("a,x,1\na,x,2\nb,x,3\nc,x,4\nd,x,5\n", {.holdout = 0.4, .seed = 2});
  EXPECT_EQ(ratings->train.size() + ratings->test.size(), 4u);
}

TEST(RatingsHoldout, RefusesToTakeEverything) {
  EXPECT_THAT(load_text("a,x,1\n", {.holdout = 0.999999999}), FailsWith("none is left to learn from; lower --holdout"));
}

TEST(RatingsHoldout, RefusesSharesOutsideZeroToOne) {
  EXPECT_THAT(load_text("a,x,1\n", {.holdout = 1}), FailsAsUsage("--holdout"));
  EXPECT_THAT(load_text("a,x,1\n", {.holdout = -0.1}), FailsAsUsage("--holdout"));
  EXPECT_THAT(load_text("a,x,1\n", {.validation = std::nan("")}), FailsAsUsage("--validation"));
  EXPECT_THAT(load_text("a,x,1\n", {.holdout = 0.1, .test_path = "t"}), FailsAsUsage("exclude each other"));
}

// --- a file for testing ---

TEST(RatingsTestFile, TakesTheIdsOfTheMainFile) {
  const TempFolder folder;
  const RatingsInput input{.path = folder.write("f", "a,x,1\nb,y,2\n"),
                           .test_path = folder.write("t", "b x 5\na y 1\n")};
  const auto loaded = load_file(input);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const Ratings& ratings = *loaded.value();
  EXPECT_EQ(listed(ratings, ratings.train), (List{"a x 1", "b y 2"}));
  EXPECT_EQ(listed(ratings, ratings.test), (List{"b x 5", "a y 1"}));
  EXPECT_EQ(ratings.levels, (std::vector<float>{1, 2, 5}));
  EXPECT_EQ(ratings.highest, 2);  // of the main file
  EXPECT_EQ(ratings.bytes_read, 24u);
}

TEST(RatingsTestFile, KeepsStrangersApart) {
  const TempFolder folder;
  const RatingsInput input{.path = folder.write("f", "a,x,1\nb,y,2\n"),
                           .test_path = folder.write("t", "a,z,3\nc,x,4\na,y,5\nc,z,2\n")};
  const auto loaded = load_file(input);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const Ratings& ratings = *loaded.value();
  EXPECT_EQ(listed(ratings, ratings.test), (List{"a y 5"}));
  EXPECT_EQ(listed(ratings, ratings.strangers), (List{"a ? 3", "? x 4", "? ? 2"}));
  EXPECT_EQ(ratings.test_unknown, 3u);
  EXPECT_EQ(ratings.users->size(), 2u);
}

TEST(RatingsTestFile, ReportsItsOwnErrors) {
  const TempFolder folder;
  EXPECT_THAT(load_file({.path = folder.write("f", "a,x,1\n"), .test_path = folder.write("t", "a,x,1\na,x,?\n")}),
              FailsWith("t:2:5: rating '?'"));
  EXPECT_THAT(load_file({.path = folder.write("f", "a,x,1\n"), .test_path = folder.path("none")}), FailsWith("none"));
}

// --- pairs ---

Result<Pairs> pairs_of(std::string_view text) {
  const TempFolder folder;
  return load_pairs({.path = folder.write("p", text)});
}

TEST(RatingsPairs, AreTheFirstTwoColumns) {
  for (const char* text : {"a,x\nb,y\n", "a x\r\n\r\nb y", "a\tx\t1\nb\ty\t2\n", "a::x::1::2\nb::y::1::2\n"}) {
    const auto pairs = pairs_of(text);
    ASSERT_TRUE(pairs.ok()) << pairs.status().message();
    EXPECT_EQ(pairs.value().users, (List{"a", "b"})) << text;
    EXPECT_EQ(pairs.value().items, (List{"x", "y"})) << text;
  }
}

TEST(RatingsPairs, SkipAHeaderOfKnownNames) {
  for (const char* text : {"user,item\na,x\n", "userId,movieId,rating\na,x,4\n", "who,what,stars\na,x,4\n"}) {
    EXPECT_EQ(pairs_of(text).value().users, List{"a"}) << text;
  }
  EXPECT_EQ(pairs_of("who,what\na,x\n").value().users, (List{"who", "a"}));
  EXPECT_EQ(pairs_of("b,y,good\na,x,bad\n").value().users, (List{"b", "a"}));
}

TEST(RatingsPairs, AreReadFromMatrixMarketAndGzip) {
  EXPECT_EQ(pairs_of(gzipped("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 5\n")).value().users,
            List{"2"});
}

TEST(RatingsPairs, AreRefusedWithTheirPlace) {
  EXPECT_THAT(pairs_of("a,x\nb\n"), FailsWith("p:2:2: the line ends after one field, expected user and item"));
  EXPECT_THAT(pairs_of("a,x\nb,\n"), FailsWith("p:2:3: empty item"));
  EXPECT_THAT(pairs_of("a\n"), FailsWith("p:1:1: too few fields, expected user and item"));
  EXPECT_THAT(pairs_of(""), FailsWith("p: is empty"));
  EXPECT_THAT(pairs_of("user,item\n"), FailsWith("p: holds no pairs"));
}

// --- real data ---

TEST(RatingsRealData, MovieLensIsReadAsItsReadmeSays) {
  const auto loaded = load_file({.path = STRADS_SOURCE_DIR "/tests/datasets/movielens/ratings.csv.gz", .holdout = 0.1});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const Ratings& ratings = *loaded.value();
  EXPECT_EQ(ratings.users->size(), 610u);
  EXPECT_EQ(ratings.items->size(), 9724u);
  EXPECT_EQ(ratings.train.size() + ratings.test.size(), 100836u);
  EXPECT_EQ(ratings.levels, (std::vector<float>{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}));
  EXPECT_EQ(ratings.duplicates, 0u);
}

}  // namespace
}  // namespace strads::data
