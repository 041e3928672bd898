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

/// Numbers the lines in the order in which `each` tells them, entry after entry.
template <class Each>
std::shared_ptr<const IdTable> number_side(std::uint64_t line_count, std::uint64_t entries, const Each& each,
                                           std::span<const std::string> ids, std::vector<RatingsPiece>& pieces,
                                           PageArray<std::uint32_t> RatingsPiece::*side) {
  LineNumbers numbers(line_count, entries);
  PieceCursor cursor(pieces);
  each([&](std::uint64_t line) {
    (cursor.piece().*side)[cursor.index()] = numbers.number(line);
    cursor.next();
  });
  return numbers.table(ids);
}

std::shared_ptr<const IdTable> number_lines(std::span<const std::uint32_t> lines, std::span<const std::string> ids,
                                            std::vector<RatingsPiece>& pieces,
                                            PageArray<std::uint32_t> RatingsPiece::*side) {
  const std::uint64_t largest = *std::max_element(lines.begin(), lines.end());
  const auto each = [lines](const auto& tell) {
    for (const std::uint32_t line : lines) tell(line);
  };
  return number_side(largest + 1, lines.size(), each, ids, pieces, side);
}

std::shared_ptr<const IdTable> number_rows(std::span<const std::uint64_t> begins, std::span<const std::string> ids,
                                           std::vector<RatingsPiece>& pieces) {
  const auto each = [begins](const auto& tell) {
    for (std::size_t row = 0; row + 1 < begins.size(); ++row) {
      for (std::uint64_t at = begins[row]; at < begins[row + 1]; ++at) tell(row);
    }
  };
  return number_side(begins.size() - 1, begins.back(), each, ids, pieces, &RatingsPiece::users);
}

/// Whether each row begins where the one before ends, the first at 0 and the last at `count`.
bool are_rows(std::span<const std::uint64_t> begins, std::uint64_t count) {
  return begins.front() == 0 && begins.back() == count && std::is_sorted(begins.begin(), begins.end());
}

}  // namespace

Result<RatingsFile> take_ratings(const RatingsInMemory& ratings, std::uint64_t piece_ratings) {
  const std::string name = "ratings";
  const bool by_rows = !ratings.row_begins.empty(), is_single = !ratings.single_values.empty();
  const std::size_t count = is_single ? ratings.single_values.size() : ratings.values.size();
  const std::size_t users = by_rows ? ratings.row_begins.back() : ratings.users.size();
  if (by_rows && !are_rows(ratings.row_begins, count)) {
    return Status::input(name + ": rows that do not follow each other up to entry " + std::to_string(count) +
                         ", expected those of a matrix in CSR form");
  }
  if (users != count || ratings.items.size() != count || count == 0) {
    return Status::input(name + ": " + std::to_string(users) + " users, " + std::to_string(ratings.items.size()) +
                         " items and " + std::to_string(count) + " values, expected as many of each, at least one");
  }
  RatingsFile out;
  out.path = name;
  out.pieces = empty_pieces(count, piece_ratings);
  PieceCursor cursor(out.pieces);
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  for (std::size_t k = 0; k < count; ++k, cursor.next()) {
    const double value = is_single ? double{ratings.single_values[k]} : ratings.values[k];
    if (!(std::abs(value) <= kLargest)) {
      return Status::input(name + ": entry " + std::to_string(k + 1) +
                           " is missing, infinite or too large for a float, expected a finite number");
    }
    cursor.piece().values.add(static_cast<float>(value));
  }
  for (const bool is_user : {true, false}) {
    const std::string wrong = is_user ? wrong_ids(ratings.user_ids, ratings.users, "user")
                                      : wrong_ids(ratings.item_ids, ratings.items, "item");
    if (!wrong.empty()) return Status::input(name + ": " + wrong);
  }
  out.users = by_rows ? number_rows(ratings.row_begins, ratings.user_ids, out.pieces)
                      : number_lines(ratings.users, ratings.user_ids, out.pieces, &RatingsPiece::users);
  out.items = number_lines(ratings.items, ratings.item_ids, out.pieces, &RatingsPiece::items);
  out.place = [name, piece_ratings](std::size_t piece, std::uint64_t index) {
    return name + ": entry " + std::to_string(piece * piece_ratings + index + 1) + ": ";
  };
  return out;
}

}  // namespace strads::data
