// Text as words in lower case. Layer: data. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strads::data {

/// Lower case of UTF-8 in ASCII, Latin-1, Latin Extended-A, Greek and Cyrillic; other bytes stay.
std::string lower_case(std::string_view text);

/// Walks the words of a text in UTF-8, which are runs of letters, and of digits and underscores too where `digits` is
/// true. What is not ASCII is a letter, but for blanks, punctuation and signs up to U+00BF, in U+2000 to U+2BFF and in
/// U+3000 to U+303F, and the two signs in Latin-1. Bytes that are no UTF-8 end a word.
class TextWords {
 public:
  TextWords(std::string_view text, bool digits) : text_(text), digits_(digits) {}

  /// Moves to the next word: in lower case, with its number of characters. Returns false iff there is none.
  bool next(std::string& word, std::uint32_t& characters);

 private:
  std::string_view text_;
  bool digits_;
  std::size_t position_ = 0;
};

}  // namespace strads::data
