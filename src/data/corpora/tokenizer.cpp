#include "data/corpora/tokenizer.hpp"

namespace strads::data {
namespace {

constexpr char32_t kNoCharacter = 0xffff'ffff;

struct Character {
  char32_t code = kNoCharacter;
  std::size_t bytes = 1;
};

/// The character at `at`; kNoCharacter, one byte long, where the bytes are no UTF-8.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {};
  char32_t code = first & (0x7fU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0U) != 0x80) return {};
    code = (code << 6U) | (byte(k) & 0x3fU);
  }
  return {code, length};
}

char32_t lower(char32_t c) {
  if (c < 0x80) return c >= U'A' && c <= U'Z' ? c + 32 : c;
  if (c >= 0xc0 && c <= 0xde && c != 0xd7) return c + 32;
  if (c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) return c | 1U;
  if (c >= 0x139 && c <= 0x148) return c + (c & 1U);
  if (c >= 0x14a && c <= 0x177) return c | 1U;
  if (c >= 0x179 && c <= 0x17e) return c + (c & 1U);
  if (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) return c + 32;
  if (c >= 0x400 && c <= 0x40f) return c + 80;
  return c >= 0x410 && c <= 0x42f ? c + 32 : c;
}

bool is_letter(char32_t c) {
  if (c < 0x80) return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
  if (c == 0xd7 || c == 0xf7 || c == kNoCharacter) return false;
  return !(c >= 0x2000 && c <= 0x2bff) && !(c >= 0x3000 && c <= 0x303f) && c != 0xfeff;
}

bool is_of_word(char32_t c, bool digits) {
  return is_letter(c) || (digits && ((c >= U'0' && c <= U'9') || c == U'_'));
}

/// All characters that lower() changes have two bytes, and so have those that they become.
void append_lower(std::string_view text, const Character& character, std::string& out) {
  const char32_t changed = lower(character.code);
  if (character.code == kNoCharacter || changed == character.code) {
    out.append(text);
  } else if (changed < 0x80) {
    out.push_back(static_cast<char>(changed));
  } else {
    out.push_back(static_cast<char>(0xc0U | (changed >> 6U)));
    out.push_back(static_cast<char>(0x80U | (changed & 0x3fU)));
  }
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    append_lower(text.substr(at, character.bytes), character, out);
    at += character.bytes;
  }
  return out;
}

bool TextWords::next(std::string& word, std::uint32_t& characters) {
  word.clear();
  characters = 0;
  while (position_ < text_.size()) {
    const Character character = character_at(text_, position_);
    const bool belongs = is_of_word(character.code, digits_);
    if (!belongs && characters > 0) return true;
    if (belongs) {
      append_lower(text_.substr(position_, character.bytes), character, word);
      ++characters;
    }
    position_ += character.bytes;
  }
  return characters > 0;
}

}  // namespace strads::data
