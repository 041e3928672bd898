// Which columns of ratings a header names, by the names that the field uses. Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"

namespace strads::data {

/// What a column is, as far as its name tells.
enum class ColumnKind : std::uint8_t { user, item, rating, time, index, unknown };

struct ColumnMeaning {
  ColumnKind kind = ColumnKind::unknown;
  bool is_id = false;  ///< the name of an id (user_id), or the word rating: goes before a mere word (user, score)
};

/// Of the name of one column: any case; blanks, `_`, `-` and `.` do not count, nor what stands before a slash
/// (review/userId), nor RecBole's types (user_id:token). Index: a column of line or row numbers (pandas, R).
[[nodiscard]] ColumnMeaning meaning_of(std::string_view name);

/// The bare words of a name, as they are compared.
[[nodiscard]] std::string bare_name(std::string_view name);

/// Whether it is a time, as a rating or an id is hardly ever one: Unix seconds or milliseconds since 1980, or a date.
[[nodiscard]] bool looks_like_time(std::string_view field);

/// Where user, item and rating are, from 0.
using RatingsColumns = std::array<std::size_t, 3>;
using RecordFields = std::vector<std::string_view>;

/// Where a byte lies.
struct TextPlace {
  std::uint64_t line = 1, column = 1;
};

struct RatingsHeader {
  RecordFields names;
  TextPlace place;
};

/// What the names of a header say.
struct HeaderMeaning {
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  RatingsColumns columns{kNowhere, kNowhere, kNowhere};
  std::vector<std::size_t> free;     ///< columns of unknown names
  std::vector<std::string> assumed;  ///< which of them is taken for what, as there was one way to do so
};

/// `wanted`: 3, or 2 for user and item. Errors: input: a column is missing, or could be several.
[[nodiscard]] Result<HeaderMeaning> columns_of(const RatingsHeader& header, std::size_t wanted,
                                               const std::string& path);

/// What --columns says of a file of `count` columns. Errors: usage, input.
[[nodiscard]] Result<RatingsColumns> chosen_columns(const std::string& spec, std::size_t wanted,
                                                    const std::optional<RatingsHeader>& header, std::size_t count,
                                                    const std::string& path);

// For messages.
[[nodiscard]] std::string wanted_text(std::size_t fields);
/// How to say which columns are meant.
[[nodiscard]] std::string columns_advice(std::size_t fields);

}  // namespace strads::data
