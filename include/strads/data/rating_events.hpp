// Ratings as events: lines of a text as they stand there, with their times. Layer: data.
#pragma once

#include <string>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

/// One entry a line, in the order of the file. Nothing is merged.
struct RatingEvents {
  std::vector<std::string> users, items;
  std::vector<std::string> values;  ///< as they are written; empty where the file has none
  std::vector<double> numbers;      ///< of `values`
  std::vector<double> times;        ///< empty where none were asked for
  std::string note{};               ///< what a user should know of how they were read; else ""
};

/// `columns`: as RatingsInput::columns, of two or three. `time`: name or number from 1 of the column with the time; "":
/// none is read.
struct RatingEventsInput {
  std::string path;
  std::string columns{};
  std::string time{};
};
/// Text alone, as load_ratings() reads it, gzip or not. A time is a number: seconds, milliseconds or whatever grows,
/// read in double precision. Errors: input, with path:line:column. Cost: about 200 ns a line, all in memory.
[[nodiscard]] Result<RatingEvents> load_rating_events(const RatingEventsInput& input);

}  // namespace strads
