#include "wire/printable.hpp"

#include <gtest/gtest.h>

namespace strads::wire {
namespace {

TEST(Printable, LeavesTextOfAnyLanguageAsItIs) {
  for (const std::string text :
       {"", "node1", "Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\xa6\x80", "a: 'b' (c)"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, TakesTheTeethOutOfEscapeSequences) {
  EXPECT_EQ(printable("\x1b[2J\x1b]0;owned\x07"), "?[2J?]0;owned?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m")
      << "the same sequence as one control character";
}

TEST(Printable, KeepsNothingThatBeginsALineOrTurnsTheDirection) {
  EXPECT_EQ(printable("a\nlasso: error: b\r\tc\x7f"), "a?lasso: error: b??c?");
  EXPECT_EQ(printable("a\xe2\x80\xa8"
                      "b\xe2\x80\xae"
                      "c\xe2\x81\xa6"),
            "a?b?c?");
}

TEST(Printable, IsUtf8WhateverCame) {
  EXPECT_EQ(printable("\xff\xc3 \xe2\x82"), "?? ??");
  EXPECT_EQ(printable("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80"), "?? ??? ????") << "overlong, surrogate, too large";
}

TEST(Printable, IsCutBetweenTwoCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_EQ(printable("ab\xc3\xbc", 3), "ab...");
}

}  // namespace
}  // namespace strads::wire
