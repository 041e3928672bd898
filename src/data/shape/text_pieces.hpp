// Counting in a text without reading all of it. Layer: data. Private.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace strads::data {

/// Texts up to this size are looked at as a whole.
inline constexpr std::size_t kWholeText = std::size_t{4} << 20;

/// visit(piece) for pieces of whole lines, spread evenly over a text; of a short one, or with `all`, once for all of
/// it. Returns by how much to multiply what was counted.
template <class Visit>
double for_pieces(std::string_view text, bool all, const Visit& visit) {
  constexpr std::size_t kPieces = 32, kPieceBytes = std::size_t{64} << 10;
  if (all || text.size() <= kWholeText) {
    visit(text);
    return 1;
  }
  std::size_t seen = 0;
  for (std::size_t k = 0; k < kPieces; ++k) {
    std::size_t begin = text.size() / kPieces * k;
    if (begin > 0) begin = text.find('\n', begin - 1) + 1;  // no line end: 0, and the text is one line
    const std::size_t end = std::min(text.find('\n', std::min(begin + kPieceBytes, text.size() - 1)), text.size() - 1);
    const std::string_view piece = text.substr(begin, end + 1 - begin);
    visit(piece);
    seen += piece.size();
  }
  return static_cast<double>(text.size()) / static_cast<double>(std::max<std::size_t>(1, seen));
}

}  // namespace strads::data
