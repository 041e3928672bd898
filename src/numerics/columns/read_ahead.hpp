// Which columns of a list a pass asks for, and when (docs/DESIGN.md, "Files larger than memory"). Layer: numerics.
// Pure, private.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/types.hpp"

namespace strads {

/// Columns are asked for in windows of so many bytes, so many windows before they are read: 8 MB are on their way, with
/// a call to the system for each megabyte.
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 20;
inline constexpr std::size_t kWindowsAhead = 8;
/// So many windows make a list one that is worth going through from its end.
inline constexpr std::uint64_t kLongPass = 16;
/// Bytes between two columns that are rather read than left out: some pages cost less than another request.
inline constexpr std::uint64_t kGapBytes = 16384;

/// Part of a list, or bytes: [begin, end).
template <class T>
struct Part {
  T begin = 0;
  T end = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

/// What the piece [begin, end) of a pass over a list of `size` columns asks for before it reads its own: the windows
/// that come kWindowsAhead after those which begin in it, the first piece also all before. Pieces that cover the list
/// ask for each of its columns once.
///   window: columns of a window, > 0
inline Part<std::size_t> asked_for(std::size_t size, std::size_t window, std::size_t begin, std::size_t end) {
  const std::size_t first = (begin + window - 1) / window, last = (end + window - 1) / window;
  if (first >= last) return {};
  const std::size_t from = begin == 0 ? 0 : (first + kWindowsAhead) * window;
  return {std::min(size, from), std::min(size, (last + kWindowsAhead) * window)};
}

/// A pass that goes through its list from the end: a file that memory cannot hold still has there what the pass before
/// read last. Its k-th piece is the k-th last one, and asks for windows in the same way, counted from the end.
struct PassOrder {
  std::size_t size = 0;       ///< columns
  std::size_t per_piece = 1;  ///< columns of a piece, > 0
  bool backwards = false;

  [[nodiscard]] std::size_t pieces() const { return (size + per_piece - 1) / per_piece; }
  /// Columns of the k-th piece, as places in the list.
  [[nodiscard]] Part<std::size_t> piece(std::size_t k) const {
    const std::size_t p = backwards ? pieces() - 1 - k : k;
    return {p * per_piece, std::min(size, (p + 1) * per_piece)};
  }
  /// What it asks for: asked_for().
  [[nodiscard]] Part<std::size_t> asked_by(std::size_t window, const Part<std::size_t>& piece) const {
    if (!backwards) return asked_for(size, window, piece.begin, piece.end);
    const Part<std::size_t> wanted = asked_for(size, window, size - piece.end, size - piece.begin);
    return {size - wanted.end, size - wanted.begin};
  }
};

/// Bytes of these columns, `stride` each: neighbours in the list that are neighbours in memory are one part.
inline std::vector<Part<std::uint64_t>> parts_of(std::span<const VarId> columns, std::uint64_t stride) {
  std::vector<Part<std::uint64_t>> parts;
  for (const VarId j : columns) {
    const Part<std::uint64_t> own{j * stride, (std::uint64_t{j} + 1) * stride};
    if (parts.empty() || own.begin < parts.back().begin || own.begin > parts.back().end + kGapBytes) {
      parts.push_back(own);
    } else {
      parts.back().end = std::max(parts.back().end, own.end);
    }
  }
  return parts;
}

}  // namespace strads
