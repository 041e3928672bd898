#include "data/ratings/ratings_in_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "data/ratings/rating_lines.hpp"

namespace strads::data {
namespace {

std::shared_ptr<const IdTable> number_side(std::span<const std::uint32_t> lines, std::vector<RatingsPiece>& pieces,
                                           PageArray<std::uint32_t> RatingsPiece::*side) {
  const std::uint64_t largest = *std::max_element(lines.begin(), lines.end());
  LineNumbers numbers(largest + 1, lines.size());
  PieceCursor cursor(pieces);
  for (const std::uint32_t line : lines) {
    (cursor.piece().*side)[cursor.index()] = numbers.number(line);
    cursor.next();
  }
  return numbers.table();
}

}  // namespace

Result<RatingsFile> take_ratings(const RatingsInMemory& ratings, std::uint64_t piece_ratings) {
  const std::string name = "ratings";
  const std::size_t count = ratings.values.size();
  if (ratings.users.size() != count || ratings.items.size() != count || count == 0) {
    return Status::input(name + ": " + std::to_string(ratings.users.size()) + " users, " +
                         std::to_string(ratings.items.size()) + " items and " + std::to_string(count) +
                         " values, expected as many of each, at least one");
  }
  RatingsFile out;
  out.path = name;
  out.pieces = empty_pieces(count, piece_ratings);
  PieceCursor cursor(out.pieces);
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  for (std::size_t k = 0; k < count; ++k, cursor.next()) {
    if (!(std::abs(ratings.values[k]) <= kLargest)) {
      return Status::input(name + ": entry " + std::to_string(k + 1) +
                           " is missing, infinite or too large for a float, expected a finite number");
    }
    cursor.piece().values.add(static_cast<float>(ratings.values[k]));
  }
  out.users = number_side(ratings.users, out.pieces, &RatingsPiece::users);
  out.items = number_side(ratings.items, out.pieces, &RatingsPiece::items);
  out.place = [name, piece_ratings](std::size_t piece, std::uint64_t index) {
    return name + ": entry " + std::to_string(piece * piece_ratings + index + 1) + ": ";
  };
  return out;
}

}  // namespace strads::data
