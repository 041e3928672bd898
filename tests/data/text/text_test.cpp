#include "data/text/text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace strads::data {
namespace {

TEST(ParseNumber, ReadsPlainSignedAndScientificNumbers) {
  double value = 0;
  EXPECT_EQ(parse_number("-1.5e-3", value), Number::value);
  EXPECT_EQ(value, -0.0015);
  EXPECT_EQ(parse_number("+7", value), Number::value);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(parse_number(".5", value), Number::value);
  EXPECT_EQ(value, 0.5);
}

TEST(ParseNumber, TakesEmptyNaAndNanAsMissing) {
  for (const char* text : {"", "NA", "na", "nan", "NaN", "-nan"}) {
    double value = 0;
    EXPECT_EQ(parse_number(text, value), Number::missing) << text;
    EXPECT_TRUE(std::isnan(value)) << text;
  }
}

TEST(ParseNumber, RefusesInfinityAndOverflow) {
  double value = 0;
  for (const char* text : {"inf", "-Infinity", "1e999", "+1e309"}) {
    EXPECT_EQ(parse_number(text, value), Number::not_finite) << text;
  }
  EXPECT_EQ(parse_number("1" + std::string(400, '0') + "e-10", value), Number::not_finite);
}

TEST(ParseNumber, TakesWhatIsTooSmallAsZero) {
  for (const std::string& text :
       {std::string("1e-999"), "0." + std::string(400, '0') + "1", std::string("-12.5e-400")}) {
    double value = 1;
    EXPECT_EQ(parse_number(text, value), Number::value) << text;
    EXPECT_EQ(value, 0) << text;
  }
}

TEST(ParseNumber, RefusesTextAndHalfNumbers) {
  double value = 0;
  for (const char* text : {"abc", "1x", "1,5", "+-1", "++1", "+", "-", "1 2", "0x10", "N/A", "."}) {
    EXPECT_EQ(parse_number(text, value), Number::text) << text;
  }
}

TEST(ParseCount, RefusesSignsAndOverflow) {
  std::uint64_t value = 0;
  EXPECT_TRUE(parse_count("18446744073709551615", value));
  EXPECT_EQ(value, 18446744073709551615ULL);
  for (const char* text : {"18446744073709551616", "-1", "+1", "", "1.0", "1e3"}) {
    EXPECT_FALSE(parse_count(text, value)) << text;
  }
}

TEST(LineReader, TakesUnixAndWindowsEndsAndALastLineWithoutEnd) {
  LineReader lines("a\r\n\nb");
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(lines.number(), 3u);
  EXPECT_FALSE(lines.next(line));
}

TEST(WordReader, SkipsRunsOfBlanksAndKnowsTheColumn) {
  WordReader words("  ab \t c ");
  std::string_view word;
  ASSERT_TRUE(words.next(word));
  EXPECT_EQ(word, "ab");
  EXPECT_EQ(words.column(), 3u);
  ASSERT_TRUE(words.next(word));
  EXPECT_EQ(word, "c");
  EXPECT_EQ(words.column(), 8u);
  EXPECT_FALSE(words.next(word));
}

TEST(InQuotes, ShortensLongTextAndShowsUnprintableBytes) {
  EXPECT_EQ(in_quotes("a\x01"), "'a\\x01'");
  EXPECT_EQ(in_quotes(std::string(50, 'x')).size(), 45u);
  EXPECT_TRUE(in_quotes(std::string(50, 'x')).ends_with("x...'"));
}

}  // namespace
}  // namespace strads::data
