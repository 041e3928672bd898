// Ratings whose header says where things are, quoted fields, and bytes that no id has.
#include "data/ratings/ratings_columns.hpp"

#include <gtest/gtest.h>

#include "ratings_fixtures.hpp"

namespace strads::data {
namespace {

using List = std::vector<std::string>;
using testing::HasSubstr;

List train_of(std::string_view text) {
  const auto loaded = load_text(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? listed(*loaded.value(), loaded.value()->train) : List();
}

std::string refusal(std::string_view text) {
  const auto loaded = load_text(text);
  EXPECT_FALSE(loaded.ok()) << text;
  const std::string message = loaded.ok() ? "" : loaded.status().message();
  return message.substr(std::min(message.rfind("f:"), message.size()));
}

const List kThree = {"a x 4", "b x 3", "a y 2.5"};

// --- names in the header ---

TEST(RatingsHeader, SaysWhereUserItemAndRatingAre) {
  for (const char* text : {
           "user,item,timestamp,rating\na,x,99,4\nb,x,98,3\na,y,97,2.5\n",
           "timestamp,userId,movieId,rating\n99,a,x,4\n98,b,x,3\n97,a,y,2.5\n",
           "item,user,rating\nx,a,4\nx,b,3\ny,a,2.5\n",
           "Stars;\tITEM\tUSER\tscore\n0\tx\ta\t4\n0\tx\tb\t3\n0\ty\ta\t2.5\n",
           "user item time rating\na x 99 4\nb x 98 3\na y 97 2.5\n",
           "user::item::timestamp::rating\na::x::99::4\nb::x::98::3\na::y::97::2.5\n",
           "who,what,timestamp,rating\na,x,99,4\nb,x,98,3\na,y,97,2.5\n",
           "\xef\xbb\xbfuser,item,timestamp,rating\r\na,x,99,4\r\n\r\nb,x,98,3\r\na,y,97,2.5",
       }) {
    EXPECT_EQ(train_of(text), kThree) << text;
  }
}

TEST(RatingsHeader, IsNotedWhereItMovesAColumn) {
  const auto moved = load_text("user,item,timestamp,rating\na,x,99,4\n");
  ASSERT_EQ(moved.value()->notes.size(), 1U);
  EXPECT_THAT(moved.value()->notes[0],
              HasSubstr("f: user, item and rating are columns 1, 2 and 4, as the first line names them"));
  EXPECT_TRUE(load_text("userId,movieId,rating,timestamp\na,x,4,99\n").value()->notes.empty());
}

TEST(RatingsHeader, WithATimeInPlaceOfTheRatingIsRefused) {
  EXPECT_EQ(refusal("user,item,timestamp\na,x,99\n"),
            "f:1:1: column 3 is called 'timestamp' and none is called rating: name the column of the ratings in the "
            "first line, or give --columns USER,ITEM,RATING");
}

TEST(RatingsHeader, CountsTheFieldsThatItAsksFor) {
  EXPECT_EQ(refusal("user,item,timestamp,rating\na,x,99,4\nb,x,98\n"),
            "f:3:7: the line ends after 3 fields, expected 4, among them user, item and rating separated by commas");
  EXPECT_EQ(refusal("user,item,timestamp,rating\na,x,99,good\n"), "f:2:8: rating 'good', expected a number");
  EXPECT_EQ(refusal("user,item,timestamp,rating\n\n,x,99,4\n"), "f:3:1: empty user, expected an id");
}

TEST(RatingsHeader, OfUnknownNamesLeavesTheFirstThreeColumns) {
  EXPECT_EQ(train_of("who,what,how much,when\na,x,4,99\nb,x,3,98\na,y,2.5,97\n"), kThree);
}

TEST(RatingsHeader, IsFollowedForPairsAndForTheTestFile) {
  const TempFolder folder;
  const auto pairs = load_pairs({.path = folder.write("p", "timestamp,item,user\n99,x,a\n98,y,b\n")});
  ASSERT_TRUE(pairs.ok()) << pairs.status().message();
  EXPECT_EQ(pairs.value().users, (List{"a", "b"}));
  EXPECT_EQ(pairs.value().items, (List{"x", "y"}));
  const auto loaded = load_file(
      {.path = folder.write("f", "a,x,4\nb,x,3\n"), .test_path = folder.write("t", "item,user,rating\nx,a,5\n")});
  EXPECT_EQ(listed(*loaded.value(), loaded.value()->test), List{"a x 5"});
}

TEST(RatingsHeader, KeepsTheNumbersOfLines) {
  EXPECT_THAT(load_text("item,user,rating\nx,a,4\n\nx,a,3\n", {.duplicates = Duplicates::refuse}),
              FailsWith("f:4:1: user 'a' rates item 'x' again (first at"));
}

// --- quoted fields ---

TEST(RatingsQuotes, StandAroundFieldsAsRfc4180Says) {
  for (const char* text : {
           "\"a\",\"x\",\"4\"\n\"b\",\"x\",\"3\"\n\"a\",\"y\",\"2.5\"\n",
           "a,x,4\nb,x,3\n\"a\",y,\"2.5\"\n",
           "\"user\",\"item\",\"rating\"\r\na,\"x\",4\r\nb,x,3\r\na,y,2.5\r\n",
           "\"a\"\t\"x\"\t4\n\"b\"\tx\t3\na\ty\t2.5\n",
           "user,item,rating,review\na,x,4,\"good,\nb,x,1\n\"\"really\"\"\"\nb,x,3,\na,y,2.5,\"so so\"\n",
           "review,rating,item,user\n\"one, two\",4,x,a\n\"\",3,x,b\n\"\n\n\",2.5,y,a",
       }) {
    EXPECT_EQ(train_of(text), kThree) << text;
  }
}

TEST(RatingsQuotes, MayHoldSeparatorsAndDoubledQuotesOfAnId) {
  EXPECT_EQ(train_of("\"Smith, J.\",\"the \"\"best\"\" film of all\",4\nb,the best film of all,3\n"),
            (List{"Smith, J. the \"best\" film of all 4", "b the best film of all 3"}));
  // pandas quotes what needs it alone.
  EXPECT_EQ(train_of("user,item,rating\nb,x,3\n\"Smith, J.\",x,4\n"), (List{"b x 3", "Smith, J. x 4"}));
}

TEST(RatingsQuotes, InTheMiddleOfAFieldAreItsOwn) {
  EXPECT_EQ(train_of("a,5\" pipe,4\nb,x,3\n"), (List{"a 5\" pipe 4", "b x 3"}));
  EXPECT_EQ(train_of("a,5\" pipe,4,99\nb,x,3,98\n"), (List{"a 5\" pipe 4", "b x 3"}));
}

TEST(RatingsQuotes, ThatDoNotEndOrGoOnAreRefused) {
  EXPECT_EQ(refusal("a,x,4\nb,\"x,3\na,y,2\n"), "f:2:3: a quotation mark opens here and none closes it");
  EXPECT_EQ(refusal("a,x,4\nb,\"x\"y,3\n"),
            "f:2:6: found 'y' behind the closing quotation mark, expected the next field; a quotation mark inside a "
            "field is doubled");
  EXPECT_EQ(refusal("a,x,4\n\"b\",\"x\",\"good\"\n"), "f:2:10: rating 'good', expected a number");
}

// Without its quotes each of these lines has all fields, with them none: what it said without them stays.
TEST(RatingsQuotes, ThatEncloseSeparatorsUntilAFieldIsMissingAreRefused) {
  EXPECT_EQ(refusal(" \"\t \"\t"), "f:1:2: user '\"' starts with a quotation mark, expected one that does not");
  const TempFolder folder;
  EXPECT_THAT(load_pairs({.path = folder.write("q", "\"a\tb\"\n")}),
              FailsWith("q:1:1: user '\"a' starts with a quotation mark"));
}

TEST(RatingsQuotes, CountLinesThatAreInside) {
  EXPECT_EQ(refusal("a,x,4,\"1\n2\n3\"\nb,x,good,\"\"\n"), "f:4:5: rating 'good', expected a number");
  EXPECT_EQ(refusal("a,x,4,\"1\n2\n3\"\n\"b\nc\",x,3,\"\"\n"),
            "f:4:2: user 'b\\x0ac' has a control character, expected an id of printable ones");
}

TEST(RatingsQuotes, AreReadInPairsToo) {
  const TempFolder folder;
  const auto pairs = load_pairs({.path = folder.write("p", "\"user\",\"item\"\n\"Smith, J.\",\"x\"\nb,y\n")});
  ASSERT_TRUE(pairs.ok()) << pairs.status().message();
  EXPECT_EQ(pairs.value().users, (List{"Smith, J.", "b"}));
  EXPECT_THAT(load_pairs({.path = folder.write("q", "a,x\nb,\"y\n")}), FailsWith("q:2:3: a quotation mark opens here"));
}

// --- bytes that no id has ---

TEST(RatingsIds, HaveNoControlCharacters) {
  using namespace std::string_literals;
  EXPECT_EQ(refusal("a,x,4\nb\0c,x,3\n"s),
            "f:2:1: user 'b\\x00c' has a control character, expected an id of printable ones");
  EXPECT_EQ(refusal("a,x,4\nb,x\0,3\n"s),
            "f:2:3: item 'x\\x00' has a control character, expected an id of printable ones");
  EXPECT_EQ(refusal("a,x,4\nb,\x1b[2Jx,3\n"),
            "f:2:3: item '\\x1b[2Jx' has a control character, expected an id of printable ones");
  EXPECT_EQ(refusal("a 1 4\n\0\0 1 3\n"s),
            "f:2:1: user '\\x00\\x00' has a control character, expected an id of printable ones");
  EXPECT_EQ(refusal("a,x,4\nb,\"x\ty\",3\n"), "f:2:4: item 'x\\x09y' has a tab, expected an id without");
}

}  // namespace
}  // namespace strads::data
