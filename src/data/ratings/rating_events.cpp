#include "strads/data/rating_events.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/ratings/ratings_columns.hpp"
#include "data/ratings/ratings_text.hpp"
#include "data/text/text.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {
namespace {

/// Fields of lines, the third as text and as a number.
struct FieldTexts {
  std::vector<std::string> users, items, thirds;
  std::vector<double> numbers;
  std::string note{};
};

Status event_error(const InputFile& source, std::uint64_t line, const std::string& what) {
  return Status::input(source.path() + ":" + std::to_string(line) + ": " + what);
}

Result<FieldTexts> read_event_lines(const InputFile& source, const TextLayout& layout, std::size_t wanted) {
  const std::string_view text = source.bytes();
  LineReader lines(text.substr(layout.begin));
  const auto before = static_cast<std::uint64_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(layout.begin), '\n'));
  FieldTexts out;
  std::string_view line;
  while (lines.next(line)) {
    if (is_passed_over(layout, line)) continue;
    const LineFields fields = split_line(line, layout.separator);
    if (fields.count < static_cast<int>(wanted)) {
      return event_error(source, before + lines.number(),
                         "the line ends after " + std::to_string(fields.count) + " fields, expected " +
                             std::to_string(wanted) + " separated by " + name_of(layout.separator));
    }
    for (int side = 0; side < 2; ++side) {
      const std::string wrong = wrong_id(fields.field[side], side == 0 ? "user" : "item", 0);
      if (!wrong.empty()) return event_error(source, before + lines.number(), wrong);
    }
    out.users.emplace_back(fields.field[0]);
    out.items.emplace_back(fields.field[1]);
    if (wanted < 3) continue;
    double number = 0;
    if (parse_number(fields.field[2], number) != Number::value) {
      return event_error(source, before + lines.number(),
                         "found '" + std::string(fields.field[2]) + "', expected a finite number");
    }
    out.thirds.emplace_back(fields.field[2]);
    out.numbers.push_back(number);
  }
  if (out.users.empty()) return Status::input(source.path() + ": holds no ratings, expected a line for each");
  return out;
}

Result<FieldTexts> event_fields(const InputFile& source, const std::string& columns, std::size_t wanted) {
  const auto read = [wanted](const InputFile& text, const TextLayout& layout) {
    return read_event_lines(text, layout, wanted);
  };
  const auto noted = [](Result<FieldTexts> fields, const TextReading& reading) {
    if (fields.ok()) fields.value().note = reading.note;
    return fields;
  };
  return read_lines(source, {.fields = wanted, .columns = columns}, read, noted);
}

/// Which columns are user, item and time.
Result<std::string> columns_with_time(const InputFile& source, const RatingEventsInput& input, std::size_t wanted) {
  if (!input.columns.empty()) {
    const auto first = input.columns.find(',');
    const auto second = first == std::string::npos ? first : input.columns.find(',', first + 1);
    return input.columns.substr(0, second) + "," + input.time;
  }
  STRADS_ASSIGN_OR_RETURN(const auto reading, find_reading(source, {.fields = wanted}, false));
  return std::to_string(reading.columns[0] + 1) + "," + std::to_string(reading.columns[1] + 1) + "," + input.time;
}

Result<RatingEvents> read_events(const InputFile& source, const RatingEventsInput& input) {
  if (Status other = refuse_others(source.bytes(), source.path()); !other.ok()) return other;
  const std::size_t wanted = fields_wanted(source, input.columns, ThirdColumn::optional);
  STRADS_ASSIGN_OR_RETURN(auto fields, event_fields(source, input.columns, wanted));
  RatingEvents out;
  out.users = std::move(fields.users);
  out.items = std::move(fields.items);
  out.values = std::move(fields.thirds);
  out.numbers = std::move(fields.numbers);
  out.note = fields.note;
  if (input.time.empty()) return out;
  STRADS_ASSIGN_OR_RETURN(const auto columns, columns_with_time(source, input, wanted));
  STRADS_ASSIGN_OR_RETURN(auto timed, event_fields(source, columns, 3));
  if (timed.users != out.users || timed.items != out.items) {
    return Status::input(source.path() + ": columns " + columns + " have other lines than the ratings, expected a " +
                         "time on each line");
  }
  out.times = std::move(timed.numbers);
  return out;
}

}  // namespace
}  // namespace strads::data

namespace strads {

Result<RatingEvents> load_rating_events(const RatingEventsInput& input) {
  try {
    STRADS_ASSIGN_OR_RETURN(const auto source, data::InputFile::open(input.path));
    return data::read_events(source, input);
  } catch (const std::bad_alloc&) {
    return Status::input(input.path + ": not enough memory to load it");
  }
}

}  // namespace strads
