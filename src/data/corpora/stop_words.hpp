// Words that are left out of texts. Layer: data.
#pragma once

#include <string>
#include <unordered_set>

#include "strads/base/status.hpp"

namespace strads::data {

/// `which`: "none", "english" for the built-in list, or a file with words in any number of lines, # begins a comment.
/// Words are in lower case. Errors: input: the file cannot be read.
Result<std::unordered_set<std::string>> stop_words(const std::string& which);

}  // namespace strads::data
