// look_at_ratings: how many users, items and ratings, without numbering them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "data/formats/npz.hpp"
#include "data/ratings/rating_lines.hpp"
#include "data/ratings/ratings_columns.hpp"
#include "data/ratings/ratings_records.hpp"
#include "data/shape/archive_shape.hpp"
#include "data/shape/open_to_look.hpp"
#include "data/shape/text_pieces.hpp"
#include "data/text/text.hpp"
#include "strads/base/hash.hpp"
#include "strads/data/data_shape.hpp"

namespace strads {
namespace data {
namespace {

/// How many different words there are, within 1 %, in 64 KiB: HyperLogLog [Flajolet et al. 2007].
class DistinctCount {
 public:
  void add(std::string_view word) {
    Hash64 hash;
    hash.update(std::as_bytes(std::span(word.data(), word.size())));
    const std::uint64_t bits = hash.digest();
    auto& most = most_[bits >> (64 - kBits)];
    most = std::max<std::uint8_t>(most, static_cast<std::uint8_t>(std::countl_zero((bits << kBits) | 1) + 1));
  }
  [[nodiscard]] std::uint64_t count() const {
    double sum = 0, empty = 0;
    for (const std::uint8_t most : most_) {
      sum += std::ldexp(1.0, -most);
      empty += most == 0 ? 1 : 0;
    }
    const double places = static_cast<double>(most_.size());
    const double estimate = 0.7213 / (1 + 1.079 / places) * places * places / sum;
    // Up to five a place: by how many places no word has met, since the formula is too large there.
    return static_cast<std::uint64_t>(
        std::lround(estimate < 5 * places && empty > 0 ? places * std::log(places / empty) : estimate));
  }

 private:
  static constexpr int kBits = 16;
  std::vector<std::uint8_t> most_ = std::vector<std::uint8_t>(std::size_t{1} << kBits);
};

/// How the lines are read, by their start: what a fit refuses there is refused here.
Result<TextReading> reading_of(const InputFile& source, const std::string& columns, std::size_t fields) {
  constexpr std::size_t kHead = std::size_t{1} << 20;
  const std::string_view text = source.bytes();
  if (Status other = refuse_others(text, source.path()); !other.ok()) return other;
  const WantedFields wanted{.fields = fields, .columns = columns};
  if (text.size() <= kHead) return find_reading(source, wanted, false);
  const auto end = std::min(text.rfind('\n', kHead), kHead);
  return find_reading(source.with_text(std::string(text.substr(0, end + 1))), wanted, false);
}

/// In place of a rating that nobody reads.
constexpr std::string_view kOne = "1";

/// visit(user, item, rating) for each line of a piece that has them.
template <class Visit>
void for_lines(std::string_view piece, const TextReading& reading, std::size_t wanted, Visit&& visit) {
  if (reading.as_it_is) {
    LineReader lines(piece);
    for (std::string_view line; lines.next(line);) {
      if (is_passed_over(reading.layout, line)) continue;
      const LineFields fields = split_line(line, reading.layout.separator);
      if (fields.count >= static_cast<int>(wanted)) {
        visit(fields.field[0], fields.field[1], wanted == 2 ? kOne : fields.field[2]);
      }
    }
    return;
  }
  RecordReader records(piece, reading.layout.separator, reading.quotes);
  const auto [user, item, rating] = reading.columns;
  const std::size_t least = wanted == 2 ? std::max(user, item) : std::max({user, item, rating});
  while (records.next()) {
    const auto& fields = records.fields();
    if (fields.size() > least) {
      visit(trimmed(fields[user]), trimmed(fields[item]), wanted == 2 ? kOne : trimmed(fields[rating]));
    }
  }
}

Result<RatingsShape> shape_of_text(const InputFile& source, const RatingsInput& input, bool all) {
  constexpr std::size_t kLevelsMax = 256, kLevelsLookedAt = 100'000;
  const std::size_t fields = fields_wanted(source, input.columns, input.positives.third());
  STRADS_ASSIGN_OR_RETURN(const auto reading, reading_of(source, input.columns, fields));
  RatingsShape shape;
  DistinctCount users, items;
  std::set<std::string, std::less<>> levels;
  std::uint64_t lines = 0, copied = 0;
  const std::string_view text = source.bytes().substr(reading.layout.begin);
  const double factor = for_pieces(text, all, [&](std::string_view piece) {
    for_lines(piece, reading, fields, [&](std::string_view user, std::string_view item, std::string_view value) {
      ++lines;
      copied += user.size() + item.size() + value.size() + 3;
      users.add(user);
      items.add(item);
      if (lines <= kLevelsLookedAt && levels.size() <= kLevelsMax && !levels.contains(value)) levels.emplace(value);
    });
  });
  shape.ratings = static_cast<std::uint64_t>(static_cast<double>(lines) * factor);
  shape.users = users.count();
  shape.items = items.count();
  shape.has_levels = levels.size() <= kLevelsMax;
  if (!reading.as_it_is) shape.copied_bytes = static_cast<std::uint64_t>(static_cast<double>(copied) * factor);
  return shape;
}

/// What the reader of a matrix holds of the lines of one side. `compressed`: also where each begins, a list that grows.
std::uint64_t bytes_of_lines(std::uint64_t lines, std::uint64_t entries, bool compressed) {
  constexpr std::uint64_t kBegins = 12;
  return LineNumbers::bytes(lines, entries) + (compressed ? kBegins * lines : 0);
}

}  // namespace
}  // namespace data

Result<RatingsShape> look_at_ratings(const RatingsInput& input, Look look) {
  STRADS_ASSIGN_OR_RETURN(const auto source, data::open_to_look(input.path, look));
  const std::string_view bytes = source.bytes();
  if (!data::is_zip(bytes)) return data::shape_of_text(source, input, look == Look::thorough);
  STRADS_ASSIGN_OR_RETURN(const data::ArchiveShape matrix, data::look_at_archive(bytes, input.path));
  // Rows and columns without ratings are no users and items: matrices are as wide as the largest number.
  constexpr std::uint64_t kQuickBytes = std::uint64_t{2} << 20;
  const data::RatingEntries found = data::look_at_ratings(
      bytes, matrix, look == Look::quick ? kQuickBytes : std::numeric_limits<std::uint64_t>::max());
  RatingsShape shape;
  shape.ratings = matrix.entries;
  shape.users = found.rows;
  shape.items = found.columns;
  shape.has_levels = found.has_levels;
  shape.lines_bytes = data::bytes_of_lines(matrix.rows, matrix.entries, matrix.format == "csr") +
                      data::bytes_of_lines(matrix.columns, matrix.entries, matrix.format == "csc");
  return shape;
}

}  // namespace strads
