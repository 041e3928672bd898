#include "wire/printable.hpp"

#include <cstdint>

namespace strads::wire {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8
};

std::uint32_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// The character that begins `text`, which is not empty.
Character first_of(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte_at(text, k) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte_at(text, k) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[bytes] || surrogate || code > 0x10ffff ? Character{} : Character{code, bytes};
}

bool harmless(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
  const bool direction =
      code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !control && !direction;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  while (!text.empty()) {
    const Character next = first_of(text);
    const bool kept = next.bytes > 0 && harmless(next.code);
    const std::size_t bytes = next.bytes > 0 ? next.bytes : 1;
    if (shown.size() + (kept ? bytes : 1) > most) return shown + "...";
    if (kept) {
      shown.append(text.substr(0, bytes));
    } else {
      shown.push_back('?');
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace strads::wire
