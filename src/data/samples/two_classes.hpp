// A response that is one of two classes: numbers or words in files, 0 and 1 for the models. Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "data/formats/table.hpp"
#include "data/samples/samples.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// One column of a table as numbers or, with `words` and where any field is text, as words.
/// Errors: as Table::numbers(), but for text with `words`.
Result<RowValues> column_values(const Table& table, std::size_t column, MinusNine minus_nine, bool words);

/// Fields of which some are text, as words: their values count the different ones from 0.
RowValues as_words(std::span<const std::string_view> fields, MinusNine minus_nine);

/// Alphabetical as R's factor() has it in English, whatever the locale here: letters first without their case, and then
/// small before large. Other bytes by their numbers.
[[nodiscard]] bool sorts_before(const std::string& left, const std::string& right);

struct TwoClasses {
  std::array<std::string, 2> names;        ///< as Dataset::classes(); empty texts where no row has a response
  std::array<std::uint64_t, 2> samples{};  ///< of each
};

/// Where a response stands, for messages.
struct ResponseOrigin {
  const std::string& path;
  const SampleIds& x;
};

/// Codes the values of the kept rows as 0 and 1; NaN stays. The classes are wanted.classes or, where these are empty,
/// those of the kept rows: 0/1, -1/1, 1/2 (0/1 alone where PLINK's --1 says so), or two words in alphabetical order.
/// Errors: input: any other value, with the first sample that has it; one class alone, unless wanted.classes are given
/// or nothing requires a response.
Result<TwoClasses> code_two_classes(const Response& wanted, const ResponseOrigin& origin,
                                    std::span<const std::uint8_t> kept, RowValues& response);

/// Which class is modelled: "response 'y': 38 controls (1), 25 cases (2); the probability of 2 is modelled".
///   zeros: samples whose 0 was taken for missing
std::string modelled_class(const RowValues& response, const TwoClasses& classes, std::uint64_t zeros);

}  // namespace strads::data
