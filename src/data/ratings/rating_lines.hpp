// Ratings of a sparse matrix: rows and columns become users and items, entries go into pieces. Layer: data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/ratings/ratings_ids.hpp"
#include "data/ratings/ratings_pieces.hpp"

namespace strads::data {

/// Numbers rows or columns in the order in which they come.
class LineNumbers {
 public:
  LineNumbers(std::uint64_t lines, std::uint64_t entries) {
    if (is_direct(lines, entries)) direct_.assign(lines, kUnseen);
  }
  /// What it takes, about.
  static constexpr std::uint64_t bytes(std::uint64_t lines, std::uint64_t entries) {
    constexpr std::uint64_t kSeldom = 48;  // an entry of a table by hash
    return is_direct(lines, entries) ? sizeof(std::uint32_t) * lines : kSeldom * std::min(lines, entries);
  }

  std::uint32_t number(std::uint64_t line) {
    std::uint32_t& number = direct_.empty() ? sparse_.try_emplace(line, kUnseen).first->second : direct_[line];
    if (number == kUnseen) {
      number = static_cast<std::uint32_t>(seen_.size());
      seen_.push_back(static_cast<std::uint32_t>(line));
    }
    return number;
  }

  /// `ids`: those of all lines; empty: their numbers.
  [[nodiscard]] std::shared_ptr<const IdTable> table(std::span<const std::string> ids = {}) const {
    std::string bytes;
    std::vector<std::uint64_t> starts{0};
    starts.reserve(seen_.size() + 1);
    for (const std::uint32_t line : seen_) {
      bytes += ids.empty() ? std::to_string(line) : ids[line];
      starts.push_back(bytes.size());
    }
    return make_id_table(std::move(bytes), std::move(starts));
  }

 private:
  static constexpr std::uint32_t kUnseen = 0xffffffff;
  // Sizes are only believed when the entries could fill them.
  static constexpr bool is_direct(std::uint64_t lines, std::uint64_t entries) { return lines <= 8 * entries + 65536; }

  std::vector<std::uint32_t> direct_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;  // looked up, never walked
  std::vector<std::uint32_t> seen_;
};

/// Walks the places of all ratings.
class PieceCursor {
 public:
  explicit PieceCursor(std::vector<RatingsPiece>& pieces) : pieces_(pieces) {}
  RatingsPiece& piece() { return pieces_[piece_]; }
  [[nodiscard]] std::uint64_t index() const noexcept { return index_; }
  void next() {
    if (++index_ < pieces_[piece_].count) return;
    ++piece_;
    index_ = 0;
  }

 private:
  std::vector<RatingsPiece>& pieces_;
  std::size_t piece_ = 0;
  std::uint64_t index_ = 0;
};

/// Room for so many ratings, in pieces of `piece_ratings`. REQUIRES: entries > 0.
inline std::vector<RatingsPiece> empty_pieces(std::uint64_t entries, std::uint64_t piece_ratings) {
  std::vector<RatingsPiece> pieces((entries - 1) / piece_ratings + 1);
  for (std::uint64_t p = 0; p < pieces.size(); ++p) {
    RatingsPiece& piece = pieces[p];
    piece.count = std::min(piece_ratings, entries - p * piece_ratings);
    piece.users = PageArray<std::uint32_t>(piece.count);
    piece.items = PageArray<std::uint32_t>(piece.count);
    piece.values = PieceValues(piece.count);
  }
  return pieces;
}

}  // namespace strads::data
