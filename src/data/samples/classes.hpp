// A response that is one of several classes: whole numbers or words in files, 0, 1, 2 ... for the models. Layer: data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/samples/samples.hpp"
#include "data/samples/two_classes.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Words that are all numbers where they are needed become these numbers; words may be left in rows alone that take no
/// part.
void read_words_as_numbers(std::span<const std::uint8_t> kept, RowValues& response);

/// Codes the values of the kept rows as places in the list that is returned; NaN stays. The classes are
/// wanted.class_names or, where these are empty, those of the kept rows: whole numbers, ascending, or words in
/// alphabetical order.
/// Errors: input, with the first sample: a number that is not whole; words beside numbers; a class that
/// wanted.class_names does not have; one class alone, or more than kClassesMax, unless the names are given.
Result<std::vector<std::string>> code_classes(const Response& wanted, const ResponseOrigin& origin,
                                              std::span<const std::uint8_t> kept, RowValues& response);

/// More classes than this are taken for a mistake: a number that counts or an id.
inline constexpr std::size_t kClassesMax = 1000;

/// "response 'y': 38 samples of 'a', 25 of 'b'"; of many classes how many there are.
///   zeros: samples whose 0 was taken for missing
std::string classes_text(const RowValues& response, const std::vector<std::string>& names,
                         std::span<const std::uint8_t> kept, std::uint64_t zeros);

}  // namespace strads::data
