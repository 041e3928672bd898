#include "data/ratings/ratings_in_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "data/ratings/rating_lines.hpp"
#include "data/ratings/ratings_text.hpp"

namespace strads::data {
namespace {

/// The message for ids that no file could have, or that are not those of the lines; or empty.
std::string wrong_ids(std::span<const std::string> ids, std::span<const std::uint32_t> lines, const char* side) {
  if (ids.empty()) return {};
  for (const std::string& id : ids) {
    if (std::string wrong = wrong_id(id, side, 0); !wrong.empty()) return wrong;
  }
  if (std::unordered_set<std::string_view>(ids.begin(), ids.end()).size() < ids.size()) {
    return std::string("an id of a ") + side + " is there twice, expected each once";
  }
  const bool has_all = std::all_of(lines.begin(), lines.end(), [&](std::uint32_t line) { return line < ids.size(); });
  return has_all ? std::string() : std::string("a ") + side + " without an id, expected one for each row and column";
}

std::shared_ptr<const IdTable> number_side(std::span<const std::uint32_t> lines, std::span<const std::string> ids,
                                           std::vector<RatingsPiece>& pieces,
                                           PageArray<std::uint32_t> RatingsPiece::*side) {
  const std::uint64_t largest = *std::max_element(lines.begin(), lines.end());
  LineNumbers numbers(largest + 1, lines.size());
  PieceCursor cursor(pieces);
  for (const std::uint32_t line : lines) {
    (cursor.piece().*side)[cursor.index()] = numbers.number(line);
    cursor.next();
  }
  return numbers.table(ids);
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
  for (const bool is_user : {true, false}) {
    const std::string wrong = is_user ? wrong_ids(ratings.user_ids, ratings.users, "user")
                                      : wrong_ids(ratings.item_ids, ratings.items, "item");
    if (!wrong.empty()) return Status::input(name + ": " + wrong);
  }
  out.users = number_side(ratings.users, ratings.user_ids, out.pieces, &RatingsPiece::users);
  out.items = number_side(ratings.items, ratings.item_ids, out.pieces, &RatingsPiece::items);
  out.place = [name, piece_ratings](std::size_t piece, std::uint64_t index) {
    return name + ": entry " + std::to_string(piece * piece_ratings + index + 1) + ": ";
  };
  return out;
}

}  // namespace strads::data
