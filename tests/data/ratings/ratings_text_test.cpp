// Triplets as text: separators, headers, what is skipped, what is refused.
#include <limits>

#include "ratings_fixtures.hpp"

namespace strads::data {
namespace {

const List kTwo = {"ann m1 4", "bob m2 3.5"};

// The message, without the folder of the file.
std::string refusal_of_text(std::string_view text) {
  const auto loaded = load_text(text);
  if (loaded.ok()) return "loaded";
  EXPECT_EQ(loaded.status().code(), StatusCode::input);
  const std::string& message = loaded.status().message();
  return message.substr(message.rfind('/', message.find(": ")) + 1);
}

TEST(RatingsText, TakesEverySeparator) {
  EXPECT_EQ(read("ann,m1,4\nbob,m2,3.5\n"), kTwo);
  EXPECT_EQ(read("ann\tm1\t4\nbob\tm2\t3.5\n"), kTwo);
  EXPECT_EQ(read("ann m1 4\nbob m2 3.5\n"), kTwo);
  EXPECT_EQ(read("ann::m1::4\nbob::m2::3.5\n"), kTwo);
}

TEST(RatingsText, TakesRunsOfBlanksAndTabsAsOne) {
  EXPECT_EQ(read("ann  m1   4\n  bob \t m2 3.5 \n"), kTwo);
}

TEST(RatingsText, DropsBlanksAroundFields) {
  EXPECT_EQ(read("ann, m1 ,4\nbob ,m2, 3.5\n"), kTwo);
  EXPECT_EQ(read("ann \tm1\t 4\nbob\tm2 \t3.5 \n"), kTwo);
}

TEST(RatingsText, KeepsBlanksInsideIdsOfOtherSeparators) {
  EXPECT_EQ(read("the cat,m 1,4\n"), List{"the cat m 1 4"});
  EXPECT_EQ(read("a:b::c:d::4\n"), List{"a:b c:d 4"});
  EXPECT_EQ(read("a,b\tc::d\t4\n"), List{"a,b c::d 4"});
}

TEST(RatingsText, IgnoresFurtherFields) {
  EXPECT_EQ(read("ann,m1,4,964982703\nbob,m2,3.5,x,y\n"), kTwo);
  EXPECT_EQ(read("ann::m1::4::964982703\nbob::m2::3.5::1\n"), kTwo);
  EXPECT_EQ(read("ann m1 4 964982703\nbob m2 3.5 1\n"), kTwo);
}

TEST(RatingsText, TakesSeparatorsAtTheEndOfLines) {
  EXPECT_EQ(read("ann,m1,4,\nbob,m2,3.5,\n"), kTwo);
  EXPECT_EQ(read("ann::m1::4::\nbob::m2::3.5::\n"), kTwo);
}

TEST(RatingsText, SkipsAHeader) {
  EXPECT_EQ(read("userId,movieId,rating,timestamp\nann,m1,4,1\nbob,m2,3.5,2\n"), kTwo);
  EXPECT_EQ(read("user item rating\nann m1 4\nbob m2 3.5\n"), kTwo);
  EXPECT_EQ(read("\"user\",\"item\",\"rating\"\nann,m1,4\nbob,m2,3.5\n"), kTwo);
}

TEST(RatingsText, TakesCarriageReturnsBlankLinesAndAByteOrderMark) {
  EXPECT_EQ(read("ann,m1,4\r\nbob,m2,3.5\r\n"), kTwo);
  EXPECT_EQ(read("\n\nann,m1,4\n\n  \nbob,m2,3.5\n\n"), kTwo);
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "ann,m1,4\nbob,m2,3.5"),
            kTwo);
  EXPECT_EQ(read("\xef\xbb\xbfuser,item,rating\nann,m1,4\r\n\r\nbob,m2,3.5\r\n"), kTwo);
}

TEST(RatingsText, TakesIdsOfAnyBytesAndLength) {
  const std::string name = "Jos\xc3\xa9";
  const std::string title(300, 'x');
  EXPECT_EQ(read(name + ",1234567,4\n" + name +
                 ",12345678,"
                 "5\n" +
                 name + ',' + title + ",1\n"),
            (List{name + " 1234567 4", name + " 12345678 5", name + ' ' + title + " 1"}));
}

TEST(RatingsText, TakesIdsAsTheyAreWritten) {
  EXPECT_EQ(load_text("01,1,4\n1,01,4\n1,1,4\n").value()->users->size(), 2u);
}

TEST(RatingsText, KeepsLongIdsThatDifferInOneByteApart) {
  std::string text;
  for (char c = 'a'; c <= 'z'; ++c) text += std::string("a-very-long-user-") + c + ",an-item-of-length," + "3\n";
  const auto loaded = load_text(text + text, {.duplicates = Duplicates::last});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded.value()->users->size(), 26u);
  EXPECT_EQ(loaded.value()->items->size(), 1u);
  EXPECT_EQ(loaded.value()->duplicates, 26u);
}

TEST(RatingsText, ReadsNumbersInEveryForm) {
  EXPECT_EQ(read("a,1,4\na,2,4.0\na,3,04\na,4,+4\na,5,4e0\na,6,40e-1\na,7,4.\na,8,.5\na,9,-3.25\na,10,10\n"),
            (List{"a 1 4", "a 2 4", "a 3 4", "a 4 4", "a 5 4", "a 6 4", "a 7 4", "a 8 0.5", "a 9 -3.25", "a 10 10"}));
}

// Plain lines in the middle of a file and lines near its end take different ways through the parser.
TEST(RatingsText, ReadsTheSameFarFromTheEndAndNearIt) {
  const List values = {"0", "9", "0.5", "3.5", "9.9", "10", "99", "3.75", "-1", "100", "1e1"};
  std::string text;
  List expected;
  for (int round = 0; round < 50; ++round) {
    for (const std::string& value : values) {
      const std::string user = 'u' + std::to_string(expected.size());
      text += user + "\ti\t" + value + '\n';
      char shown[32];
      std::snprintf(shown, sizeof shown, "%g", std::stod(value));
      expected.push_back(user + " i " + shown);
    }
  }
  EXPECT_EQ(read(text), expected);
}

TEST(RatingsText, GivesTenthsTheNearestFloat) {
  std::string text;
  for (int tenths = 0; tenths < 100; ++tenths) {
    text +=
        "u," + std::to_string(tenths) + ',' + std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + '\n';
  }
  const auto loaded = load_text(text + "u,last,1\n").value();
  for (int tenths = 0; tenths < 100; ++tenths) {
    const std::string written = std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
    EXPECT_EQ(value_of(*loaded, loaded->train, static_cast<std::size_t>(tenths)),
              static_cast<float>(std::stod(written)));
  }
}

TEST(RatingsText, SaysWhereFieldsAreMissing) {
  EXPECT_EQ(refusal_of_text("a,1,4\nb,2\n"),
            "f:2:4: the line ends after 2 fields, expected user, item and rating separated by commas");
  EXPECT_EQ(refusal_of_text("a,1,4\n\nb\n"),
            "f:3:2: the line ends after 1 field, expected user, item and rating separated by commas");
  EXPECT_EQ(refusal_of_text("a 1 4\nb 2"),
            "f:2:4: the line ends after 2 fields, expected user, item and rating separated by blanks");
  EXPECT_THAT(load_text("a,1\n"), FailsWith("f:1:1: too few fields, expected user, item and rating"));
  struct Marks {
    const char* text;
    const char* said;
  };
  for (const Marks& marks :
       {Marks{"user|item|rating\na|x|3\n", "by '|', which is not read; make tabs of it: tr '|' '\\t' <"},
        {"a | x | 3\nb | y | 4\n", "by '|', which"},
        {"a||x||3\n", "by '|', which is not read; make tabs of it: tr -s '|' '\\t' <"},
        {"| user | item | rating |\n|---|---|---|\n| a | x | 3 |\n", "by '|', which"},
        {"a^x^3\n", "by '^'"},
        {"a~x~3\n", "by '~'"},
        {"a:x:3\n", "by ':'"},
        {"a\x01x\x01"
         "3\n",
         "by byte 1, which is not read; make tabs of it: tr '\\001' '\\t' <"}}) {
    EXPECT_THAT(load_text(marks.text), FailsWith(marks.said)) << marks.text;
  }
}

TEST(RatingsText, RefusesEmptyAndQuotedIds) {
  EXPECT_EQ(refusal_of_text("a,1,4\n,2,4\n"), "f:2:1: empty user, expected an id");
  EXPECT_EQ(refusal_of_text("a,1,4\nb, ,4\n"), "f:2:4: empty item, expected an id");
  EXPECT_EQ(refusal_of_text("a::1::4\n\"b\"::1::4\n"),
            "f:2:1: user '\"b\"' starts with a quotation mark, expected one that does not");
}

TEST(RatingsText, RefusesIdsThatAreTooLong) {
  EXPECT_THAT(load_text("a,1,4\n" + std::string(70000, 'x') + ",1,4\n"),
              FailsWith("f:2:1: user of 70000 bytes, expected at most 65535"));
}

TEST(RatingsText, RefusesWhatIsNoFiniteNumber) {
  EXPECT_EQ(refusal_of_text("a,1,4\nb,2,good\n"), "f:2:5: rating 'good', expected a number");
  EXPECT_EQ(refusal_of_text("a,1,4\nb,2,\n"), "f:2:5: rating '' is missing, expected a number: leave the line out");
  EXPECT_EQ(refusal_of_text("a,1,NaN\n"), "f:1:5: rating 'NaN' is missing, expected a number: leave the line out");
  EXPECT_EQ(refusal_of_text("a,1,4\nb,2,inf\n"),
            "f:2:5: rating 'inf' is infinite or too large for a float, expected a finite number");
  EXPECT_THAT(load_text("a,1,1e39\n"), FailsWith("f:1:5: rating '1e39' is infinite or too large for a float"));
  EXPECT_THAT(load_text("a,1,4\nb,2,4x\n"), FailsWith("f:2:5: rating '4x', expected a number"));
  EXPECT_THAT(load_text("a,1,4\nb,2,3,5x\nc,3,4.5.5\n"), FailsWith("f:3:5: rating '4.5.5'"));
}

TEST(RatingsText, SaysTheFirstErrorOfAFileWhateverThePieces) {
  std::string text;
  for (int k = 0; k < 300; ++k) text += "u" + std::to_string(k) + ",i,3\n";
  text += "bad,i,x\n" + text + "worse,i,y\n";
  const TempFolder folder;
  FourThreads chunks;
  for (const std::uint64_t piece_bytes : {0u, 100u, 1000u}) {
    const auto loaded = load_ratings({.path = folder.write("f", text)}, chunks, {}, {.text_bytes = piece_bytes});
    EXPECT_THAT(loaded, FailsWith("f:301:7: rating 'x'"));
  }
}

TEST(RatingsText, RefusesFilesWithoutRatings) {
  EXPECT_EQ(refusal_of_text(""), "f: is empty, expected a line with user, item and rating for each rating");
  EXPECT_EQ(refusal_of_text("\n \n"), "f: is empty, expected a line with user, item and rating for each rating");
  EXPECT_EQ(refusal_of_text("user,item,rating\n"), "f: holds no ratings, expected a line for each");
  EXPECT_THAT(load_file({.path = "/nowhere/f"}), FailsWith("/nowhere/f"));
}

TEST(RatingsText, UnpacksGzipByContent) {
  EXPECT_EQ(read(gzipped("ann,m1,4\nbob,m2,3.5\n")), kTwo);
  EXPECT_THAT(load_text(gzipped("ann,m1,4\n").substr(0, 20)), FailsWith("the file is cut off"));
}

// --- Matrix Market ---

constexpr const char* kBanner = "%%MatrixMarket matrix coordinate real general\n";

TEST(RatingsMatrixMarket, NumbersAreTheIds) {
  EXPECT_EQ(read(std::string(kBanner) + "% by hand\n 3 20 2\n3 20 4.5\n% more\n1 2 -1\n"),
            (List{"3 20 4.5", "1 2 -1"}));
}

TEST(RatingsMatrixMarket, TakesIntegers) {
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 4\n"), List{"1 1 4"});
}

TEST(RatingsMatrixMarket, RefusesNumbersOutsideTheSizes) {
  const std::string start = std::string(kBanner) + "3 2 2\n1 1 4\n";
  EXPECT_EQ(refusal_of_text(start + "4 1 3\n"),
            "f:4:1: user number '4', expected 1 to 3 (Matrix Market counts from one)");
  EXPECT_EQ(refusal_of_text(start + "0 1 3\n"),
            "f:4:1: user number '0', expected 1 to 3 (Matrix Market counts from one)");
  EXPECT_EQ(refusal_of_text(start + "1 3 3\n"),
            "f:4:3: item number '3', expected 1 to 2 (Matrix Market counts from one)");
  EXPECT_EQ(refusal_of_text(start + "01 1 3\n"),
            "f:4:1: user number '01', expected 1 to 3 (Matrix Market counts from one)");
  EXPECT_THAT(load_text(start + "x 1 3\n1 1 1\n1 1 1\n1 1 1\n1 1 1\n1 1 1\n1 1 1\n1 1 1\n"),
              FailsWith("f:4:1: user number 'x'"));
}

TEST(RatingsMatrixMarket, RefusesOtherCountsOfRatings) {
  EXPECT_EQ(refusal_of_text(std::string(kBanner) + "3 2 2\n1 1 4\n"),
            "f: 1 ratings, but the line of sizes says 2: the file is cut off, or the sizes are wrong");
  EXPECT_THAT(load_text(std::string(kBanner) + "3 2 1\n1 1 4\n1 2 4\n"), FailsWith("2 ratings, but the line of sizes"));
  EXPECT_THAT(load_text(std::string(kBanner) + "3 2\n1 1 4\n"), FailsWith("f:2:1: found '3 2', expected three counts"));
  EXPECT_THAT(load_text(kBanner), FailsWith("ends before the line with the sizes"));
}

TEST(RatingsMatrixMarket, RefusesOtherKinds) {
  EXPECT_THAT(load_text("%%MatrixMarket matrix array real general\n1 1\n4\n"),
              FailsWith("f:1:23: found 'array' in the first line, expected coordinate"));
  EXPECT_THAT(load_text("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"),
              FailsWith("found 'pattern'"));
  EXPECT_THAT(load_text("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n"), FailsWith("'symmetric'"));
}

}  // namespace
}  // namespace strads::data
